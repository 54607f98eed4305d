"""One mistake is one finding: what depends on it is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from wfc.compiler.diagnostics.render import render
from wfc.compiler.passes import check_text

SPECS = Path(__file__).parents[3] / "specs"


@pytest.mark.parametrize(
    ("spec", "right", "wrong", "code"),
    [
        ("feedback_monitor", "when: result is none", "when: rsult is none", "unknown-name"),
        ("feedback_monitor", "when: result is none", "when: result iz none", "unexpected-token"),
        ("feedback_monitor", "when: result is none", "when: result is nune", "unknown-test"),
        ("feedback_monitor", "${{ inputs.at_most }}", "${{ inputs.at_least }}", "unknown-field"),
        ("feedback_monitor", "accepts: BadFeedback", "accepts: BadFedback", "unknown-event"),
        ("feedback_monitor", "kind: tool", "kind: tol", "unknown-kind"),
        ("feedback_trader", "end: [Traded, ", "end: [Trade, ", "unknown-event"),
        ("ticket_triage", "model: ", "model: not_", "unknown-model"),
        ("ticket_triage", "kind: llm", "kind: llmm", "unknown-kind"),
        ("release_notes", "output: list of Commit", "output: list of Comit", "unknown-type"),
        ("release_notes", "event: CommitUnclear", "event: CommitUncler", "unknown-event"),
    ],
)
def test_a_slip_is_found_once_and_starts_nothing_else(spec: str, right: str, wrong: str, code: str) -> None:
    text = (SPECS / f"{spec}.yaml").read_text(encoding="utf-8")
    assert right in text
    bad = text.replace(right, wrong, 1)
    found = check_text(bad.encode(), f"{spec}.yaml").diagnostics
    assert [each.code for each in found] == [code], render(found, {f"{spec}.yaml": bad})
