"""The command line: parse, call, print. `app` is the entry point; one file for each command or kind of command."""
