"""One file a leaf, each with the constant `EXECUTOR`: executors."""
