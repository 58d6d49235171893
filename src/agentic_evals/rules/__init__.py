"""Decisions: pure functions from values to values; no file, process, clock or chance."""
