"""Renderers: pure functions from a report to text; one file a format."""
