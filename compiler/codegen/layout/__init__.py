"""Python text, laid out as a formatter would format it, without calling one."""
