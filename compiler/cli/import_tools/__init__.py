"""Comparison of Python functions' signatures with the bindings that name them: the only check that imports.

It is done only on request. Modules are imported in processes of their own, which have little time,
whose output goes nowhere, and of which nothing is believed but a bounded answer in JSON.
"""

from __future__ import annotations

from wfc.compiler.cli.import_tools.findings import with_imports

__all__ = ["with_imports"]
