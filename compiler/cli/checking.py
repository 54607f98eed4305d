"""What ``wfc check`` does, once its arguments are understood; without click."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from wfc.compiler.cli.cache import Answer, Cache, Question
from wfc.compiler.cli.files import Source, specs
from wfc.compiler.cli.findings import show
from wfc.compiler.render import Format

if TYPE_CHECKING:
    from wfc.compiler.pipeline import Compiled

__all__ = ["Mending", "check"]

Mending = Literal["", "fix", "diff"]
"""Whether fixes are applied, or what they would change is shown."""


def check(
    paths: Sequence[str],
    form: Format = "full",
    mending: Mending = "",
    *,
    unsafe: bool = False,
    cached: bool = True,
) -> int:
    """Find everything that is wrong with specs, show it, and give the exit status.

    Args:
        paths: Files and folders.
        form: How findings are shown.
        mending: What is done with fixes.
        unsafe: Whether fixes count too that may change what is meant.
        cached: Whether what earlier checks have found may be used and kept.

    Raises:
        click.UsageError: A path cannot be read or written, or a folder has no spec.
    """
    sources = specs(paths)
    if not mending:
        cache = Cache.of_user() if cached else None
        return 0 if show([answer(source, cache) for source in sources], form=form) else 1
    from wfc.compiler.cli.fixes import fix_all

    checked = [check_one(source) for source in sources]
    checked = fix_all(sources, checked, check_one, paths, unsafe=unsafe, write=mending == "fix")
    if mending == "diff":
        return 1 if any(each.diagnostics for each in checked) else 0
    return 0 if show(checked, form=form) else 1


def answer(source: Source, cache: Cache | None) -> Answer:
    """What a check finds, from the cache if it is there."""
    found = cache.find(source.path, source.raw, still_holds) if cache is not None else None
    if found is None:
        checked = check_one(source)
        found = Answer(source.path, checked.text, checked.diagnostics)
        if cache is not None:
            cache.keep(source.raw, found)
    return found


def still_holds(question: Question) -> bool:
    """Whether a question about other files has the answer that it had; a spec by itself asks none."""
    return False


def check_one(source: Source) -> Compiled:
    from wfc.compiler.pipeline import check_text

    return check_text(source.raw, source.path)
