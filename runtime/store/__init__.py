"""The storage of runs as JSON data, from which they can be resumed."""
