"""One file a leaf, each with the constant `FORGE`: forges."""
