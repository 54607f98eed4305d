"""Bringing revisions to installations (``wfc apply``): folders of releases, of which one is current."""
