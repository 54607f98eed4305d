"""Output formats for other programs: one module each, registered in ``diagnostics.render.FORMATS``."""
