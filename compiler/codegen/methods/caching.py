"""`cache` → the argument for it: how long a result is valid, and a digest of the step's declaration."""

from __future__ import annotations

import json
from hashlib import sha256

from wfc.compiler.codegen.literals.constants import call
from wfc.compiler.model import Cached
from wfc.compiler.python.literals import Code, literal

__all__ = ["cache_argument"]

DIGITS = 16


def cache_argument(cached: Cached) -> Code:
    """Return ``Cache(…)``; the order in which a spec declares things makes no difference."""
    text = json.dumps(cached.definition, sort_keys=True, default=repr)
    named = {"definition": literal(sha256(text.encode()).hexdigest()[:DIGITS])}
    if cached.seconds is not None:
        named = {"seconds": literal(cached.seconds), **named}
    return call(Code("Cache"), **named)
