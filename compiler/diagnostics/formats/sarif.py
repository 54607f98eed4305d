"""Findings as a SARIF 2.1.0 log; what is suppressed is among the results."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from wfc.compiler.diagnostics import Diagnostic, Position
from wfc.compiler.diagnostics.results import Results, Rule

__all__ = ["render"]

LONE_SURROGATE: Final = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Surrogates that do not stand for an undecodable byte of a file's name (PEP 383)."""


def render(results: Results) -> str:
    """Return a log with one run, and in it a rule for each code that was found and a result for each finding."""
    codes = sorted({each.code for each in results.findings})
    run = {
        "tool": {"driver": {"name": "wfc", "rules": [rule_record(results.describe(code)) for code in codes]}},
        "columnKind": "unicodeCodePoints",
        "results": [result_record(each, codes.index(each.code)) for each in results.findings],
    }
    log = {
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return json.dumps(log, indent=2) + "\n"


def rule_record(rule: Rule) -> dict[str, Any]:
    first, _, rest = (rule.explanation or rule.code).partition("\n\n")
    return {
        "id": rule.code,
        "shortDescription": {"text": first},
        "fullDescription": {"text": " ".join((rest or first).split())},
        "help": {"text": rule.explanation or rule.code, "markdown": rule.explanation or rule.code},
        "defaultConfiguration": {"level": rule.severity.word},
    }


def result_record(found: Diagnostic, rule: int) -> dict[str, Any]:
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


def uri(path: str) -> str:
    """Return a path as a URI reference relative to the working directory, or as a ``file:`` URI if it is absolute."""
    from urllib.parse import quote

    shown = quote(LONE_SURROGATE.sub("\ufffd", path.replace("\\", "/")), errors="surrogateescape")
    return f"file://{shown}" if shown.startswith("/") else shown
