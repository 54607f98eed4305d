"""Recovery: reports one mistake once, however many findings it leads to."""

from __future__ import annotations

from collections.abc import Callable

from wfc.compiler.recovery.analysis import Analysis
from wfc.compiler.yaml import Document

__all__ = ["Analysis", "recover"]


def recover(analysis: Analysis, analyse: Callable[[Document], Analysis]) -> Analysis:
    """Return the analysis of a spec with errors, with one finding instead of all that come from one mistake.

    Whether they do is found out by trying: a spec without the mistake must have none of them, and no others. So
    nothing that is wrong goes unsaid, and a mistake that is not understood is reported as it always was.

    Args:
        analysis: What is known of the spec.
        analyse: Puts a document through all passes.
    """
    from wfc.compiler.recovery.search import search  # a good spec never needs them
    from wfc.compiler.recovery.wording import reword

    return reword(search(analysis, analyse))
