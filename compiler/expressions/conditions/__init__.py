"""What conditions imply of types, whether they are always true, and which cases they leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wfc.compiler.on_demand import modules_of

if not TYPE_CHECKING:  # few expressions need all of them
    __getattr__ = modules_of(__name__)
