"""What a pipeline asks of a pull request's specs, part by part, and the reports of it."""
