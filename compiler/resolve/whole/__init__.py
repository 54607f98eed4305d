"""Checks and declarations that require all steps of a spec to be known."""
