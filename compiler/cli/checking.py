"""The implementation of ``wfc check`` for parsed arguments; without click, whose import is slow."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from wfc.compiler.cli.findings import note, show
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.workspace.cache import Cache, CheckResult, check_all
from wfc.compiler.workspace.severity import with_severities, wrong_settings
from wfc.compiler.workspace.sources import MANIFEST, Source, find_specs

if TYPE_CHECKING:
    from wfc.compiler.workspace.compiled import Compiled
    from wfc.compiler.workspace.project import Project

__all__ = ["FixMode", "check"]

FixMode = Literal["", "fix", "diff"]
"""Whether fixes are applied, or what they would change is shown."""


def check(
    paths: Sequence[str],
    form: str = "full",
    fixing: FixMode = "",
    *,
    unsafe: bool = False,
    cached: bool = True,
    suppressed: bool = False,
    import_tools: bool = False,
) -> int:
    """Find everything that is wrong with specs, show it, and return the exit status.

    Args:
        paths: Files and folders.
        form: How findings are shown.
        fixing: How fixes are handled.
        unsafe: Whether fixes count too that may change what is meant.
        cached: Whether results are read from the cache and stored in it.
        suppressed: Whether findings are shown too that a comment suppresses.
        import_tools: Whether the Python functions that specs name are imported and looked at; never with fixes.

    Raises:
        PathError: A path cannot be read or written, or a folder has no spec.
        click.UsageError: The settings do not let checks import anything.
    """
    sources = find_specs(paths, note)
    found: Sequence[CheckResult | Compiled]
    if fixing:
        found = fix(sources, paths, fixing, unsafe=unsafe)
        if fixing == "diff":
            return 1 if any(each.diagnostics for each in found) else 0
    elif import_tools:
        found = check_with_tools(sources)
    else:
        found = check_all(sources, check_now, Cache.of_user() if cached else None)
    settings = wrong_settings(each.path for each in sources)
    shown = [with_severities(each) for each in found]
    clean = show(shown, form=form, settings=settings, suppressed=suppressed)
    note_stale_modules(sources)
    return 0 if clean else 1


def note_stale_modules(sources: Sequence[Source]) -> None:
    """Say which modules and pictures beside specs were made from earlier texts of them."""
    folders = {os.path.dirname(source.path) for source in sources}
    if any(os.path.exists(os.path.join(folder, MANIFEST)) for folder in folders):
        from wfc.compiler.cli.building.manifest import stale_beside  # loads more

        for module, spec in stale_beside(sources):
            anew = f"wfc compile {spec}" if module.endswith(".py") else f"wfc verify {spec} --write"
            told = f"{module} was made from an earlier text of {spec}: `{anew}` makes it anew"
            note(printable(told))


def check_now(raw: bytes, path: str, project: Project) -> Compiled:
    from wfc.compiler.passes import check_text  # slow: for what the cache does not know

    return check_text(raw, path, project)


def check_with_tools(sources: Sequence[Source]) -> list[Compiled]:
    """Return the findings of each spec, with those from importing Python functions; nothing is cached."""
    from wfc.compiler.cli.import_tools import with_imports
    from wfc.compiler.workspace.project import project_of

    project = project_of(sources)
    return with_imports([check_now(each.raw, each.path, project) for each in sources], project)


def fix(sources: Sequence[Source], paths: Sequence[str], fixing: FixMode, *, unsafe: bool) -> list[Compiled]:
    """Apply fixes, or show what they would change, and return the findings that remain."""
    from wfc.compiler.cli.fixes import fix_all
    from wfc.compiler.workspace.project import project_of

    def check_one(changed: Source) -> Compiled:
        together = [changed if each.path == changed.path else each for each in sources]
        return with_severities(check_now(changed.raw, changed.path, project_of(together)))

    checked = [check_one(source) for source in sources]
    return fix_all(sources, checked, check_one, paths, unsafe=unsafe, write=fixing == "fix")
