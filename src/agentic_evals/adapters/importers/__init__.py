"""One file a leaf, each with the constant `IMPORTER`: importers."""
