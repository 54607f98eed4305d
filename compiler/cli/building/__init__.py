"""Generated modules on disk: what specs ask for, what is there, and how it is written."""
