"""Findings as workflow commands of GitHub Actions, which are shown beside the lines of a pull request."""

from __future__ import annotations

from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.diagnostics.results import Results

__all__ = ["render"]


def render(results: Results) -> str:
    """Return one workflow command for each finding."""
    lines = []
    for each in results.findings:
        properties = {
            "file": each.path,
            "line": str(each.start.line),
            "col": str(each.start.column),
            "endLine": str(each.end.line),
            "endColumn": str(each.end.column),
            "title": each.code,
        }
        shown = ",".join(f"{name}={escape_property(value)}" for name, value in properties.items())
        said = f"{each.message}\n{each.hint}" if each.hint else each.message
        lines.append(f"::{each.severity.word} {shown}::{escape_message(said)}\n")
    return "".join(lines)


def escape_message(text: str) -> str:
    """Escape the message of a workflow command."""
    shown = "\n".join(map(printable, text.split("\n")))  # a log is looked at in a terminal too
    return shown.replace("%", "%25").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """Escape a property of a workflow command, where colons and commas separate."""
    return escape_message(text).replace(":", "%3A").replace(",", "%2C")
