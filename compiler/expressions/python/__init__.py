"""Typed tree → Python source."""
