"""Steps and runs, as methods of the workflow class."""
