"""What beginners are given: a project with one working spec, and specs to start from."""
