"""What ``wfc check`` does, once its arguments are understood; without click."""

from __future__ import annotations

from collections.abc import Sequence

from wfc.compiler.cli.files import specs
from wfc.compiler.cli.findings import show
from wfc.compiler.pipeline import check_text
from wfc.compiler.render import Format

__all__ = ["check"]


def check(paths: Sequence[str], form: Format = "full") -> int:
    """Find everything that is wrong with specs, show it, and give the exit status.

    Raises:
        click.UsageError: A path cannot be read, or a folder has no spec.
    """
    checked = [check_text(source.raw, source.path) for source in specs(paths)]
    return 0 if show(checked, form=form) else 1
