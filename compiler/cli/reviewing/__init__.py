"""Versions of specs, in files or in the history of a repository, and what has changed between them."""
