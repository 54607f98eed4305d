"""Spec → Workflow: every name is looked up, every field filled, every join given its frames."""

from __future__ import annotations

from wfc.compiler.resolve.passes import resolve

__all__ = ["resolve"]
