"""Findings as other programs read them: one format a file, entered in ``diagnostics.render.FORMATS``."""
