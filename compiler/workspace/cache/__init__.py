"""A cache of check results on disk, so that an unchanged spec is not checked again.

A result is found by the content of everything that it depends on: the spec's path and bytes, the tool's own code, the
Python that runs it. What a check has looked up in other files is kept with its result, and the result counts only if
each lookup finds the same now. So there is nothing to invalidate, and no time stamp to trust; what cannot be read, or
is not exactly what was written, is as if it were not there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from wfc.compiler.workspace.cache.entries import CheckResult
from wfc.compiler.workspace.cache.store import Cache
from wfc.compiler.workspace.disk import Disk
from wfc.compiler.workspace.lookups import Lookups
from wfc.compiler.workspace.sources import Source

if TYPE_CHECKING:
    from wfc.compiler.workspace.compiled import Compiled
    from wfc.compiler.workspace.project import Project

__all__ = ["Cache", "CheckResult", "check_all"]


def check_all(
    sources: Sequence[Source], check: Callable[[bytes, str, Project], Compiled], cache: Cache | None
) -> list[CheckResult]:
    """Return the findings of each spec; only specs without a valid result in the cache are checked.

    It is for a process that does nothing else meanwhile: what it imports is imported as `late_patterns` says.

    Args:
        check: Checks one spec: its bytes, its path, and the files that it may mention.
        cache: Where results are looked for and kept.
    """
    disk = Disk(sources)
    lookups = Lookups(disk)
    found: dict[str, CheckResult] = {}
    if cache is not None:
        for source in sources:
            known = cache.find(source.path, source.raw, lookups.still_holds)
            if known is not None:
                found[source.path] = known
    left = [source for source in sources if source.path not in found]
    if left:
        from wfc.compiler.late_patterns import import_yaml  # a hit needs no YAML

        import_yaml()
        from wfc.compiler.workspace.project import Project  # loads all passes

        project = Project(disk, lookups)
        for source in left:
            checked = check(source.raw, source.path, project)
            result = CheckResult(
                source.path,
                checked.text,
                checked.diagnostics,
                project.dependencies(source.path),
                checked.suppressed,
                checked.texts,
            )
            found[source.path] = result
            if cache is not None:
                cache.keep(source.raw, result)
    return [found[source.path] for source in sources]
