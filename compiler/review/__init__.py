"""What is told of a workflow to those who review it, and the one form in which specs are written."""

from __future__ import annotations

from wfc.compiler.review.proof_facts import proof_facts
from wfc.compiler.review.proof_text import proof_text

__all__ = ["proof_facts", "proof_text"]
