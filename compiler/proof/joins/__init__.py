"""The proof that joins are filled: what each completion of a fork can lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wfc.compiler.on_demand import modules_of

if not TYPE_CHECKING:  # few workflows need all of them
    __getattr__ = modules_of(__name__)
