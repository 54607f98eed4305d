"""Rules over a whole workflow, one a file; each reports what breaks it."""
