"""Python text, laid out as a formatter would leave it, without one."""
