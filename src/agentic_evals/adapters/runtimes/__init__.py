"""One file a leaf, each with the constant `RUNTIME`: runtimes."""
