"""One file a rule of the contract that a fixture must meet before anything runs."""
