"""Findings as a JSON list of records, which ``schemas/findings.schema.json`` describes."""

from __future__ import annotations

import json
from typing import Any

from wfc.compiler.diagnostics import Diagnostic, Position, Repair
from wfc.compiler.diagnostics.results import Results

__all__ = ["render"]


def render(results: Results) -> str:
    """Return a JSON list of findings."""
    return json.dumps([finding_record(each) for each in results.findings], indent=2) + "\n"


def finding_record(found: Diagnostic) -> dict[str, Any]:
    return {
        "code": found.code,
        "severity": found.severity.word,
        "message": found.message,
        "hint": found.hint,
        "path": found.path,
        "start": position_record(found.start),
        "end": position_record(found.end),
        "fix": fix_record(found.fix) if found.fix is not None else None,
        "suppressed": found.suppressed,
    }


def fix_record(fix: Repair) -> dict[str, Any]:
    edits = [
        {"start": position_record(edit.start), "end": position_record(edit.end), "text": edit.text}
        for edit in fix.edits
    ]
    return {"title": fix.title, "applicability": fix.applicability, "edits": edits}


def position_record(position: Position) -> dict[str, int]:
    return {"line": position.line, "column": position.column, "offset": position.offset}
