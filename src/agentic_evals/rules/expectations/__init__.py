"""One file an operator: its name is the key below `expected`."""
