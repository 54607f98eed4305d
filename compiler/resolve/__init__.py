"""Resolve a spec into a workflow: look every name up, type every value, fill every event's fields.

Rooms, each of which imports only those before it:

- ``symbols``: what a spec declares, by name, and what it knows of the other files of its project.
- ``values``: reading expressions and data, each held against the type that is wanted.
- ``declarations``: one file a section of the spec; each enters what it finds into the symbols.
- ``steps``: what each step accepts, does, saves and emits.
- ``whole``: what can be said only once all steps are known.

``passes`` calls them in their order.
"""

from __future__ import annotations

from wfc.compiler.resolve.passes import ABOUT_SPECS, check_about, declare, declare_after_types, resolve
from wfc.compiler.resolve.symbols.declarations import NO_PROJECT, OtherFile, ProjectView, Refused
from wfc.compiler.resolve.whole.workflow import shared_modules

__all__ = [
    "ABOUT_SPECS",
    "NO_PROJECT",
    "OtherFile",
    "ProjectView",
    "Refused",
    "check_about",
    "declare",
    "declare_after_types",
    "resolve",
    "shared_modules",
]
