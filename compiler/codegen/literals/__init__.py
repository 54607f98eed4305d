"""Types, values and expressions of a spec, as Python expressions."""
