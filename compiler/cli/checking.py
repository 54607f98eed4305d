"""What ``wfc check`` does, once its arguments are understood; without click."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from wfc.compiler.cli.files import Source, specs
from wfc.compiler.cli.findings import show
from wfc.compiler.pipeline import Compiled, check_text
from wfc.compiler.render import Format

__all__ = ["Mending", "check"]

Mending = Literal["", "fix", "diff"]
"""Whether fixes are applied, or what they would change is shown."""


def check(paths: Sequence[str], form: Format = "full", mending: Mending = "", *, unsafe: bool = False) -> int:
    """Find everything that is wrong with specs, show it, and give the exit status.

    Args:
        paths: Files and folders.
        form: How findings are shown.
        mending: What is done with fixes.
        unsafe: Whether fixes count too that may change what is meant.

    Raises:
        click.UsageError: A path cannot be read or written, or a folder has no spec.
    """
    sources = specs(paths)
    checked = [check_one(source) for source in sources]
    if mending:
        from wfc.compiler.cli.fixes import fix_all

        checked = fix_all(sources, checked, check_one, paths, unsafe=unsafe, write=mending == "fix")
        if mending == "diff":
            return 1 if any(each.diagnostics for each in checked) else 0
    return 0 if show(checked, form=form) else 1


def check_one(source: Source) -> Compiled:
    return check_text(source.raw, source.path)
