"""Generate Python from a workflow: a module that a good engineer would have written.

- ``module``: the whole module, put together and printed; ``shared``: one of types and events alone.
- ``templates``: the shape of modules, classes and functions; ``shapes``: what the templates print.
- ``methods``: steps and runs as methods; ``classes``: events and records; ``bindings``: models, tools and prompts.
- ``literals``: types, values and expressions as Python expressions; ``names``: which name everything goes by.
- ``layout``: long lines broken as a formatter would; ``imports``: what the module mentions.

This file loads none of them, so that asking for the number of the format does not load jinja2.
"""

from __future__ import annotations

__all__ = ["OUTPUT_FORMAT"]

OUTPUT_FORMAT = 2
"""Raised whenever generated code needs a newer runtime than before."""
