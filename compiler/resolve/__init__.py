"""Spec → Workflow: every name is looked up, every field filled, every join given its frames."""

from __future__ import annotations

from wfc.compiler.resolve.passes import declarations, resolve, shared_modules
from wfc.compiler.resolve.surroundings import ALONE, Around, Refused, Surroundings

__all__ = ["ALONE", "Around", "Refused", "Surroundings", "declarations", "resolve", "shared_modules"]
