"""How grave findings are in a project: ``[tool.wfc.severity]`` of its settings.

Which file holds is decided as for all settings: the nearest ``wfc.toml``, or ``pyproject.toml`` with a table
``[tool.wfc]``, in the spec's folder or above it. The other settings are the runtime's business.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from wfc.compiler.diagnostics import Diagnostic, Finding, Place, Severity
from wfc.compiler.slotted import dataclass, field, replace
from wfc.compiler.workspace.contents import contents

__all__ = ["Levels", "judged", "levels_in", "levels_near"]

LEVELS: Final = {"error": Severity.ERROR, "warning": Severity.WARNING, "off": None}
FILES: Final = ("wfc.toml", "pyproject.toml")
LARGEST: Final = 4_000_000
MENTIONED: Final = re.compile(rb"\bwfc\b")
TABLE: Final = re.compile(rb"^\[tool\.wfc[].]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Levels:
    """What the settings say.

    Args:
        path: The file they are in; empty if there is none.
        text: Its text.
        levels: Code → severity, ``None`` for off.
        diagnostics: What is wrong with them.
    """

    path: str = ""
    text: str = ""
    levels: Mapping[str, Severity | None] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def suppressed(self) -> tuple[Diagnostic, ...]:
        """Nothing can be suppressed here."""
        return ()

    @property
    def texts(self) -> Mapping[str, str]:
        """Those of other files that findings are in: none."""
        return {}


def judged(found: Iterable[Diagnostic], levels: Mapping[str, Severity | None]) -> tuple[Diagnostic, ...]:
    """The diagnostics with the severities that a project gives them, without those that are off."""
    if not levels:
        return tuple(found)
    return tuple(
        replace(each, severity=level)
        for each in found
        if (level := levels.get(each.code, each.severity)) is not None
    )


def levels_near(folder: str) -> Levels:
    """What holds for specs in a folder."""
    place = os.path.realpath(folder or ".")
    while True:
        for name in FILES:
            path = os.path.join(place, name)
            try:
                changed = os.stat(path).st_mtime_ns
            except (OSError, ValueError):
                continue
            found = of_file(path, changed)
            if found is not None:
                return found
        above = os.path.dirname(place)
        if above == place:
            return Levels()
        place = above


@lru_cache(maxsize=64)
def of_file(path: str, changed: int) -> Levels | None:
    """What a file says as it was at that moment; ``None`` if it is a ``pyproject.toml`` of somebody else's."""
    try:
        raw = contents(path, LARGEST + 1)
    except OSError:
        return None
    is_own = os.path.basename(path) == "wfc.toml"
    if not is_own and not MENTIONED.search(raw):
        return None
    if b"severity" not in raw and (is_own or TABLE.search(raw)):
        return Levels(path)
    return levels_in(raw[:LARGEST], os.path.relpath(path), is_own=is_own)


def levels_in(raw: bytes, path: str, *, is_own: bool) -> Levels | None:
    """What the text of a settings file says.

    Args:
        raw: The file's bytes.
        path: As findings show it.
        is_own: Whether the whole file is wfc's (``wfc.toml``), and not the table ``[tool.wfc]`` alone.
    """
    import tomllib  # only where there is something to be read

    text = raw.decode("utf-8", "replace").removeprefix("\ufeff")
    try:
        data: Any = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return wrong(path, text, [unreadable(text, str(error))])
    if not is_own:
        tools = data.get("tool")
        data = tools.get("wfc") if isinstance(tools, dict) else None
        if data is None:
            return None
    table = data.get("severity", {}) if isinstance(data, dict) else {}
    if not isinstance(table, dict):
        return wrong(path, text, [unreadable(text, "`severity` must be a table")])
    return of_table(path, text, table) if table else Levels(path, text)


def of_table(path: str, text: str, table: Mapping[str, object]) -> Levels:
    from wfc.compiler.rules import PROBLEMS, WARNINGS, judging
    from wfc.compiler.rules.catalogue import load

    load()
    findings: list[Finding] = []
    levels: dict[str, Severity | None] = {}
    for code, level in table.items():
        key, value = places(text, code)
        if code not in PROBLEMS:
            findings.append(judging.unknown_code(key, code, sorted(PROBLEMS)))
        elif not isinstance(level, str) or level not in LEVELS:
            said = f'"{level}"' if isinstance(level, str) else f"`{level}`"
            findings.append(judging.unknown_severity(value, said, list(LEVELS)))
        elif code not in WARNINGS and level != "error":
            findings.append(judging.error_made_milder(value, code, level))
        else:
            levels[code] = LEVELS[level]
    return replace(wrong(path, text, findings), levels=levels)


def places(text: str, code: str) -> tuple[Place, Place]:
    """Where a code and its severity stand; the beginning of the text where that cannot be told."""
    table = text.find("severity")
    entry = re.compile(
        rf"""(?<![\w-])["']?({re.escape(code)})["']?[ \t]*=[ \t]*("[^"\n]*"|'[^'\n]*'|[^\s,}}#]+)"""
    )
    match = entry.search(text, max(0, table))
    if match is None:
        nowhere = Place((), "text", 0, 0)
        return nowhere, nowhere
    return Place((), "text", *match.span(1)), Place((), "text", *match.span(2))


def unreadable(text: str, why: str) -> Finding:
    from wfc.compiler.rules.judging import unreadable_settings

    at = re.search(r"\(at line (\d+), column (\d+)\)", why)
    start = 0
    if at is not None:
        before = text.split("\n")[: int(at[1]) - 1]
        start = sum(len(line) + 1 for line in before) + int(at[2]) - 1
    return unreadable_settings(Place((), "text", start, start + 1), why.partition(" (at ")[0])


def wrong(path: str, text: str, findings: Iterable[Finding]) -> Levels:
    from wfc.compiler.yaml import Document

    document = Document(path, text, None)
    return Levels(path, text, {}, tuple(document.diagnostic(each) for each in findings))
