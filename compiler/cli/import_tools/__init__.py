"""What Python functions take and return, held against the bindings that name them: the one check that imports.

It is done only where somebody asks for it. Modules are imported in processes of their own, which have little time,
whose output goes nowhere, and of which nothing is believed but a bounded answer in JSON.
"""

from __future__ import annotations

from wfc.compiler.cli.import_tools.findings import with_imports

__all__ = ["with_imports"]
