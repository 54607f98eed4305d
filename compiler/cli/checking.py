"""What ``wfc check`` does, once its arguments are understood; without click."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from wfc.compiler.cli.around import OnDisk, project_of
from wfc.compiler.cli.cache import Answer, Cache, Question
from wfc.compiler.cli.files import Source, specs
from wfc.compiler.cli.findings import show
from wfc.compiler.cli.levels import settings_of, settled
from wfc.compiler.glance import workflow_name
from wfc.compiler.render import Format

if TYPE_CHECKING:
    from wfc.compiler.pipeline import Compiled
    from wfc.compiler.project import Project

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
    together = OnDisk(sources)
    if not mending:
        cache = Cache.of_user() if cached else None
        answers = Answers(together, cache)
        found = [settled(answers.of(source)) for source in sources]
        return 0 if show(found, form=form, settings=settings_of(each.path for each in sources)) else 1
    from wfc.compiler.cli.fixes import fix_all

    def check_one(changed: Source) -> Compiled:
        from wfc.compiler.pipeline import check_text

        same = [changed if each.path == changed.path else each for each in sources]
        return settled(check_text(changed.raw, changed.path, project_of(same)))

    checked = [check_one(source) for source in sources]
    checked = fix_all(sources, checked, check_one, paths, unsafe=unsafe, write=mending == "fix")
    if mending == "diff":
        return 1 if any(each.diagnostics for each in checked) else 0
    return 0 if show(checked, form=form, settings=settings_of(each.path for each in sources)) else 1


class Answers:
    """What checks find, from the cache where it is there.

    Args:
        together: The files that are checked together.
    """

    def __init__(self, together: OnDisk, cache: Cache | None) -> None:
        self.together = together
        self.cache = cache
        self.project: Project | None = None
        names = Counter(workflow_name(raw) for _, raw in together.given())
        self.twins = {name for name, count in names.items() if count > 1}

    def of(self, source: Source) -> Answer | Compiled:
        """What a check finds in one spec."""
        if self.cache is None or workflow_name(source.raw) in self.twins:
            return self.fresh(source)
        return self.cache.find(source.path, source.raw, still_holds) or self.fresh(source)

    def fresh(self, source: Source) -> Compiled:
        from wfc.compiler.pipeline import check_text

        if self.project is None:
            self.project = project_of([*self.together.sources.values()])
        checked = check_text(source.raw, source.path, self.project)
        if self.cache is not None and not self.project.looked_around(source.path):
            self.cache.keep(
                source.raw,
                Answer(source.path, checked.text, checked.diagnostics, suppressed=checked.suppressed),
            )
        return checked


def still_holds(question: Question) -> bool:
    """Whether a question about other files has the answer that it had; a spec by itself asks none."""
    return False
