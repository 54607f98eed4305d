"""The severities of findings in a project: ``[tool.wfc.severity]`` of its settings.

Which file holds is decided as for all settings: the nearest ``wfc.toml``, or ``pyproject.toml`` with a table
``[tool.wfc]``, in the spec's folder or above it. The other settings are the runtime's business.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar

from wfc.compiler.diagnostics import Diagnostic, Finding, Place, Severity
from wfc.compiler.slotted import dataclass, field, replace
from wfc.schemas.settings import SettingsFile, settings_file

if TYPE_CHECKING:
    from wfc.compiler.workspace.cache import CheckResult
    from wfc.compiler.workspace.compiled import Compiled

    Checked = TypeVar("Checked", bound=CheckResult | Compiled)

__all__ = ["Levels", "levels_in", "levels_near", "with_severities", "wrong_settings"]

LEVELS: Final = {"error": Severity.ERROR, "warning": Severity.WARNING, "off": None}


@dataclass(frozen=True, slots=True)
class Levels:
    """The severities that a settings file assigns.

    Args:
        path: The file they are in; empty if there is none.
        text: Its text.
        levels: Code → severity, ``None`` for off.
        diagnostics: The findings in the settings.
    """

    path: str = ""
    text: str = ""
    levels: Mapping[str, Severity | None] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def suppressed(self) -> tuple[Diagnostic, ...]:
        """The suppressed findings: none in settings."""
        return ()

    @property
    def texts(self) -> Mapping[str, str]:
        """The texts of other files with findings: none."""
        return {}


def with_severities(checked: Checked) -> Checked:
    """Assign findings the severities of the settings near the spec, and omit those that are off."""
    levels = levels_near(os.path.dirname(checked.path)).levels if checked.diagnostics else {}
    if not levels:
        return checked
    diagnostics = tuple(
        replace(each, severity=level)
        for each in checked.diagnostics
        if (level := levels.get(each.code, each.severity)) is not None
    )
    return replace(checked, diagnostics=diagnostics)


def wrong_settings(paths: Iterable[str]) -> list[Levels]:
    """Return the settings that apply to specs and contain errors, each once."""
    found = (levels_near(folder) for folder in dict.fromkeys(os.path.dirname(path) for path in paths))
    return list({each.path: each for each in found if each.diagnostics}.values())


def levels_near(folder: str) -> Levels:
    """Return the severities of the settings that apply in a folder."""
    file = settings_file(folder)
    return Levels() if file is None else levels_in(file)


@lru_cache(maxsize=64)
def levels_in(file: SettingsFile) -> Levels:
    """Return the severities of a settings file."""
    if not re.search(rb"severity|tell|hosts", file.raw) and file.is_announced:
        return Levels(file.path)
    path, text = os.path.relpath(file.path), file.text("replace")
    try:
        data = file.table("replace")
    except (ValueError, RecursionError) as error:
        return with_problems(path, text, [unreadable(text, str(error))])
    table = data.get("severity", {}) if isinstance(data, dict) else {}
    if not isinstance(table, dict):
        return with_problems(path, text, [unreadable(text, "`severity` must be a table")])
    levels = of_table(path, text, table) if table else Levels(path, text)
    if not isinstance(data, dict):
        return levels
    found = tell_problems(text, data) if "tell" in data else []
    return with_more_problems(levels, [*found, *(host_problems(text, data) if "hosts" in data else ())])


def of_table(path: str, text: str, table: Mapping[str, object]) -> Levels:
    from wfc.compiler.rules import PROBLEMS, WARNINGS, suppressions
    from wfc.compiler.rules.catalogue import load

    load()
    findings: list[Finding] = []
    levels: dict[str, Severity | None] = {}
    for code, level in table.items():
        key, value = places(text, code)
        if code not in PROBLEMS:
            findings.append(suppressions.unknown_code(key, code, sorted(PROBLEMS)))
        elif not isinstance(level, str) or level not in LEVELS:
            said = f'"{level}"' if isinstance(level, str) else f"`{level}`"
            findings.append(suppressions.unknown_severity(value, said, list(LEVELS)))
        elif code not in WARNINGS and level != "error":
            findings.append(suppressions.error_made_milder(value, code, level))
        else:
            levels[code] = LEVELS[level]
    return replace(with_problems(path, text, findings), levels=levels)


def tell_problems(text: str, data: Mapping[str, object]) -> list[Finding]:
    """Return what is wrong with the settings of who is told."""
    from wfc.compiler.rules.suppressions import wrong_tell
    from wfc.schemas.tell import BadTellError, read_tell

    commands = data.get("commands")
    try:
        read_tell(data["tell"], commands if isinstance(commands, list) else [])
    except BadTellError as error:
        return [wrong_tell(place_in(text, "tell", error.key), str(error))]
    return []


def host_problems(text: str, data: Mapping[str, object]) -> list[Finding]:
    """Return what is wrong with the settings of how often hosts may be asked."""
    from wfc.compiler.rules.suppressions import wrong_hosts
    from wfc.schemas.rates import BadRateError, read_hosts

    try:
        read_hosts(data["hosts"])
    except BadRateError as error:
        return [wrong_hosts(place_in(text, "hosts", error.key), str(error))]
    return []


def place_in(text: str, name: str, key: str) -> Place:
    """Return the place of a key of a table in settings, or else that of the table."""
    table = re.search(rf"(?m)^[ \t]*(?:\[(?:tool\.wfc\.)?({name})\b|({name})[ \t]*=)", text)
    start, end = table.span(table.lastindex or 0) if table else (0, 0)
    at = re.compile(rf"""(?<![\w-])["']?({re.escape(key)})["']?[ \t]*[=\]]""").search(text, end)
    return Place((), "text", *(at.span(1) if key and at else (start, end)))


def places(text: str, code: str) -> tuple[Place, Place]:
    """Return the places of a code and its severity; the beginning of the text if they are unknown."""
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
    from wfc.compiler.rules.suppressions import unreadable_settings

    at = re.search(r"\(at line (\d+), column (\d+)\)", why)
    start = 0
    if at is not None:
        before = text.split("\n")[: int(at[1]) - 1]
        start = sum(len(line) + 1 for line in before) + int(at[2]) - 1
    return unreadable_settings(Place((), "text", start, start + 1), why.partition(" (at ")[0])


def with_more_problems(levels: Levels, findings: Iterable[Finding]) -> Levels:
    diagnostics = with_problems(levels.path, levels.text, findings).diagnostics
    return replace(levels, diagnostics=(*levels.diagnostics, *diagnostics)) if diagnostics else levels


def with_problems(path: str, text: str, findings: Iterable[Finding]) -> Levels:
    from wfc.compiler.yaml import Document

    document = Document(path, text, None)
    return Levels(path, text, {}, tuple(document.diagnostic(each) for each in findings))
