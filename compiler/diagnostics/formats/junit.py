"""Findings as JUnit's XML, for servers that show test results."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.diagnostics.results import Results

__all__ = ["render"]

NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even written as a reference."""
REFERENCES: Final = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\n": "&#10;",
    "\r": "&#13;",
    "\t": "&#9;",
}


def render(results: Results) -> str:
    """Return a test suite with a failed case for each finding, and a passed one for each file without any."""
    cases = [failed_case(each) for each in results.findings]
    wrong = {each.path for each in results.findings}
    cases += [
        f'    <testcase classname="{escape(path)}" name="check"/>\n'
        for path in results.texts
        if path not in wrong
    ]
    counts = f'tests="{len(cases)}" failures="{len(results.findings)}" errors="0" skipped="0"'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="wfc check" {counts}>\n  <testsuite name="wfc check" {counts}>\n'
        f"{''.join(cases)}  </testsuite>\n</testsuites>\n"
    )


def failed_case(found: Diagnostic) -> str:
    place = f"{found.path}:{found.start.line}:{found.start.column}"
    said = f"{place}: {found.severity.word}: {found.message} [{found.code}]"
    if found.hint:
        said += f"\n{found.hint}"
    name = f"{found.code} at {found.start.line}:{found.start.column}"
    return (
        f'    <testcase classname="{escape(found.path)}" name="{escape(name)}">\n'
        f'      <failure type="{found.severity.word}" message="{escape(found.message)}">{escape(said)}</failure>\n'
        "    </testcase>\n"
    )


def escape(text: str) -> str:
    """Escape a text for XML, also for an attribute."""
    visible = NOT_IN_XML.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
    # in ASCII it is what it says in any encoding that the output may have
    return (
        "".join(REFERENCES.get(letter, letter) for letter in visible)
        .encode("ascii", "xmlcharrefreplace")
        .decode()
    )
