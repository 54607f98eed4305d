"""What ``wfc check`` does, once its arguments are understood; without click."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from wfc.compiler.cli.cache import Answer, Cache, Questions
from wfc.compiler.cli.disk import Disk
from wfc.compiler.cli.files import Source, specs
from wfc.compiler.cli.findings import show
from wfc.compiler.cli.levels import settings_of, settled

if TYPE_CHECKING:
    from wfc.compiler.passes import Compiled

__all__ = ["Mending", "check"]

Mending = Literal["", "fix", "diff"]
"""Whether fixes are applied, or what they would change is shown."""


def check(
    paths: Sequence[str],
    form: str = "full",
    mending: Mending = "",
    *,
    unsafe: bool = False,
    cached: bool = True,
    suppressed: bool = False,
    importing: bool = False,
) -> int:
    """Find everything that is wrong with specs, show it, and give the exit status.

    Args:
        paths: Files and folders.
        form: How findings are shown.
        mending: What is done with fixes.
        unsafe: Whether fixes count too that may change what is meant.
        cached: Whether what earlier checks have found may be used and kept.
        suppressed: Whether findings are shown too that a comment asks not to mind.
        importing: Whether the Python functions that specs name are imported and looked at; never with fixes.

    Raises:
        click.UsageError: A path cannot be read or written, or a folder has no spec.
    """
    sources = specs(paths)
    if not mending:
        found: Sequence[Answer | Compiled] = (
            with_tools(sources) if importing else from_cache(sources, Cache.of_user() if cached else None)
        )
        settings = settings_of(each.path for each in sources)
        shown = [settled(each) for each in found]
        return 0 if show(shown, form=form, settings=settings, suppressed=suppressed) else 1
    from wfc.compiler.cli.around import project_of
    from wfc.compiler.cli.fixes import fix_all
    from wfc.compiler.passes import check_text

    def check_one(changed: Source) -> Compiled:
        together = [changed if each.path == changed.path else each for each in sources]
        return settled(check_text(changed.raw, changed.path, project_of(together)))

    checked = [check_one(source) for source in sources]
    checked = fix_all(sources, checked, check_one, paths, unsafe=unsafe, write=mending == "fix")
    if mending == "diff":
        return 1 if any(each.diagnostics for each in checked) else 0
    settings = settings_of(each.path for each in sources)
    return 0 if show(checked, form=form, settings=settings, suppressed=suppressed) else 1


def with_tools(sources: Sequence[Source]) -> list[Compiled]:
    """What a check of each spec finds, with what imports of Python functions tell; nothing of it is kept."""
    from wfc.compiler.cli.around import project_of
    from wfc.compiler.cli.imported import with_imports
    from wfc.compiler.passes import check_text

    project = project_of(sources)
    return with_imports([check_text(each.raw, each.path, project) for each in sources], project)


def from_cache(sources: Sequence[Source], cache: Cache | None) -> list[Answer]:
    """What a check of each spec finds; only those are checked of which the cache does not know it."""
    questions = Questions(Disk(sources))
    found: dict[str, Answer] = {}
    if cache is not None:
        for source in sources:
            answer = cache.find(source.path, source.raw, questions.holds)
            if answer is not None:
                found[source.path] = answer
    left = [source for source in sources if source.path not in found]
    if left:
        from wfc.compiler.cli.cache.watching import Watched
        from wfc.compiler.passes import check_text

        project = Watched(questions)
        for source in left:
            checked = check_text(source.raw, source.path, project)
            asked = project.asked_for(source.path)
            answer = Answer(
                source.path, checked.text, checked.diagnostics, asked, checked.suppressed, checked.texts
            )
            found[source.path] = answer
            if cache is not None:
                cache.keep(source.raw, answer)
    return [found[source.path] for source in sources]
