"""Recovery: reports one mistake once, however many findings it leads to."""

from __future__ import annotations

from wfc.compiler.recovery.analysis import Analyse, Analysis

__all__ = ["Analyse", "Analysis", "recover"]


def recover(analysis: Analysis, analyse: Analyse) -> Analysis:
    """Return the analysis of a spec with errors, with one finding instead of all that come from one mistake.

    This is tested: a spec without the mistake must have none of them, and no others. So
    no error is lost, and a mistake that is not recognized is reported as before.

    Args:
        analysis: The analysis so far.
        analyse: Runs all passes on the document with a change.
    """
    from wfc.compiler.recovery.search import search  # a good spec never needs them
    from wfc.compiler.recovery.wording import reword

    return reword(search(analysis, analyse))
