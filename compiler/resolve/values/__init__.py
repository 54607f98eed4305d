"""Reading expressions, templates and data, each held against the type that is wanted at its place."""
