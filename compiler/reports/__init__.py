"""Diagnostics → what other programs read: JSON, workflow commands of GitHub, SARIF 2.1.0, and JUnit's XML."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from wfc.compiler.diagnostics import Diagnostic, Position, Repair
from wfc.compiler.diagnostics.printing import printable

__all__ = ["REPORTS"]

Texts = Mapping[str, str]
"""Path → text, for every file that was checked."""


def as_json(found: Sequence[Diagnostic], _: Texts) -> str:
    """A list of records, as ``schemas/findings.schema.json`` has it."""
    return json.dumps([as_finding(each) for each in found], indent=2) + "\n"


def as_finding(found: Diagnostic) -> dict[str, Any]:
    return {
        "code": found.code,
        "severity": found.severity.word,
        "message": found.message,
        "hint": found.hint,
        "path": found.path,
        "start": as_record(found.start),
        "end": as_record(found.end),
        "fix": as_fix(found.fix) if found.fix is not None else None,
        "suppressed": found.suppressed,
    }


def as_fix(fix: Repair) -> dict[str, Any]:
    edits = [
        {"start": as_record(edit.start), "end": as_record(edit.end), "text": edit.text} for edit in fix.edits
    ]
    return {"title": fix.title, "applicability": fix.applicability, "edits": edits}


def as_record(position: Position) -> dict[str, int]:
    return {"line": position.line, "column": position.column, "offset": position.offset}


# --- GitHub


def as_github(found: Sequence[Diagnostic], _: Texts) -> str:
    """A workflow command for each, which GitHub shows beside the line."""
    lines = []
    for each in found:
        properties = {
            "file": each.path,
            "line": str(each.start.line),
            "col": str(each.start.column),
            "endLine": str(each.end.line),
            "endColumn": str(each.end.column),
            "title": each.code,
        }
        shown = ",".join(f"{name}={command_property(value)}" for name, value in properties.items())
        said = f"{each.message}\n{each.hint}" if each.hint else each.message
        lines.append(f"::{each.severity.word} {shown}::{command_text(said)}\n")
    return "".join(lines)


def command_text(text: str) -> str:
    shown = "\n".join(map(printable, text.split("\n")))  # a log is looked at in a terminal too
    return shown.replace("%", "%25").replace("\n", "%0A")


def command_property(text: str) -> str:
    return command_text(text).replace(":", "%3A").replace(",", "%2C")


# --- SARIF


def as_sarif(found: Sequence[Diagnostic], _: Texts) -> str:
    """One run, with a rule for each code that was found; what is suppressed is among the results."""
    codes = sorted({each.code for each in found})
    run = {
        "tool": {"driver": {"name": "wfc", "rules": [as_rule(code) for code in codes]}},
        "columnKind": "unicodeCodePoints",
        "results": [as_result(each, codes.index(each.code)) for each in found],
    }
    log = {
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return json.dumps(log, indent=2) + "\n"


def as_rule(code: str) -> dict[str, Any]:
    import inspect

    from wfc.compiler.rules import PROBLEMS, WARNINGS
    from wfc.compiler.rules.catalogue import load

    load()
    explanation = inspect.getdoc(PROBLEMS[code]) if code in PROBLEMS else None
    first, _, rest = (explanation or code).partition("\n\n")
    return {
        "id": code,
        "shortDescription": {"text": first},
        "fullDescription": {"text": " ".join((rest or first).split())},
        "help": {"text": explanation or code, "markdown": explanation or code},
        "defaultConfiguration": {"level": "warning" if code in WARNINGS else "error"},
    }


def as_result(found: Diagnostic, rule: int) -> dict[str, Any]:
    artifact = {"uri": uri(found.path)}
    result: dict[str, Any] = {
        "ruleId": found.code,
        "ruleIndex": rule,
        "level": found.severity.word,
        "message": {"text": f"{found.message}; {found.hint}" if found.hint else found.message},
        "locations": [
            {"physicalLocation": {"artifactLocation": artifact, "region": region(found.start, found.end)}}
        ],
    }
    if found.related:
        result["relatedLocations"] = [
            {
                "id": number,
                "message": {"text": each.words},
                "physicalLocation": {
                    "artifactLocation": {"uri": uri(each.path)},
                    "region": region(each.position, each.position),
                },
            }
            for number, each in enumerate(found.related, 1)
        ]
    if found.fix is not None and found.fix.applicability != "display" and found.fix.edits:
        replacements = [
            {"deletedRegion": region(edit.start, edit.end), "insertedContent": {"text": edit.text}}
            for edit in found.fix.edits
        ]
        changes = [{"artifactLocation": artifact, "replacements": replacements}]
        result["fixes"] = [{"description": {"text": found.fix.title}, "artifactChanges": changes}]
    if found.suppressed is not None:
        result["suppressions"] = [{"kind": "inSource", "justification": found.suppressed}]
    return result


def region(start: Position, end: Position) -> dict[str, int]:
    return {
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
        "charOffset": start.offset,
        "charLength": end.offset - start.offset,
    }


NO_BYTE: Final = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Halves of characters that stand for no byte of a file's name, as others do."""


def uri(path: str) -> str:
    """A path as a reference relative to where ``wfc`` was started, or as a ``file:`` address if it is absolute."""
    from urllib.parse import quote

    shown = quote(NO_BYTE.sub("\ufffd", path.replace("\\", "/")), errors="surrogateescape")
    return f"file://{shown}" if shown.startswith("/") else shown


# --- JUnit

NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even written as a reference."""
XML: Final = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\n": "&#10;",
    "\r": "&#13;",
    "\t": "&#9;",
}


def as_junit(found: Sequence[Diagnostic], texts: Texts) -> str:
    """A case that fails for each finding, and one that passes for each file without any."""
    cases = [failing(each) for each in found]
    wrong = {each.path for each in found}
    cases += [
        f'    <testcase classname="{xml(path)}" name="check"/>\n' for path in texts if path not in wrong
    ]
    counts = f'tests="{len(cases)}" failures="{len(found)}" errors="0" skipped="0"'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="wfc check" {counts}>\n  <testsuite name="wfc check" {counts}>\n'
        f"{''.join(cases)}  </testsuite>\n</testsuites>\n"
    )


def failing(found: Diagnostic) -> str:
    place = f"{found.path}:{found.start.line}:{found.start.column}"
    said = f"{place}: {found.severity.word}: {found.message} [{found.code}]"
    if found.hint:
        said += f"\n{found.hint}"
    name = f"{found.code} at {found.start.line}:{found.start.column}"
    return (
        f'    <testcase classname="{xml(found.path)}" name="{xml(name)}">\n'
        f'      <failure type="{found.severity.word}" message="{xml(found.message)}">{xml(said)}</failure>\n'
        "    </testcase>\n"
    )


def xml(text: str) -> str:
    """A text as it may stand in XML, in an attribute too."""
    visible = NO_XML.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
    # in ASCII it is what it says in any encoding that the output may have
    return (
        "".join(XML.get(letter, letter) for letter in visible).encode("ascii", "xmlcharrefreplace").decode()
    )


REPORTS: Final[Mapping[str, Callable[[Sequence[Diagnostic], Texts], str]]] = {
    "json": as_json,
    "github": as_github,
    "sarif": as_sarif,
    "junit": as_junit,
}
"""The formats that are for programs: all findings are in them, however many there are."""
