"""The shell: argv to flows, events to the screen, values to exit codes."""
