"""What a spec declares, by name, and what it knows of the other files of its project."""
