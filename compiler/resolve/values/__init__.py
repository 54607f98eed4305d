"""Reading expressions, templates and data, each held against the type that is wanted at its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wfc.compiler.on_demand import modules_of

if not TYPE_CHECKING:  # few specs need all of them
    __getattr__ = modules_of(__name__)
