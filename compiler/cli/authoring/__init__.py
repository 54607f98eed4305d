"""Specs written over HTTP (``wfc serve --author``): files of one folder, what editors ask, tests and proposals."""
