"""One small file a command: its name is the command's, its `COMMAND` a click command."""
