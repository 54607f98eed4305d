"""What can be said of a spec only once all its steps are known."""
