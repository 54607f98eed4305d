"""Runs as JSON data, and runs that go on from it."""
