"""Bytes to documents, or to every problem at once with pointer, line and column."""
