"""The command line: parse, call, print. `app` is the door; one file for each command or kind of command."""
