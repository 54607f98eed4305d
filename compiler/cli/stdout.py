"""Redirection that keeps standard output free for the result."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

__all__ = ["output_kept"]

OUT, ERR = 1, 2


@contextmanager
def output_kept() -> Iterator[None]:
    """Redirect to standard error what tools, and the programs that they start, print meanwhile."""
    sys.stdout.flush()
    kept = os.dup(OUT) if is_the_process_own() else None
    try:
        if kept is not None:
            os.dup2(ERR, OUT)
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if kept is not None:
            os.dup2(kept, OUT)
            os.close(kept)


def is_the_process_own() -> bool:
    """Return whether ``sys.stdout`` and ``sys.stderr`` are the process's original streams, and open."""
    try:
        return (sys.stdout.fileno(), sys.stderr.fileno()) == (OUT, ERR)
    except (OSError, ValueError):
        return False
