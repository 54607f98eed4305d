"""What is told of a comparison, as plain data: the JSON output, from which the others are made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from wfc.compiler.cli.reviewing.approvals import Approvals
from wfc.compiler.cli.reviewing.comparison import Comparison, Located, Version
from wfc.compiler.cli.reviewing.sides import Side
from wfc.compiler.diagnostics import Position
from wfc.compiler.review.changes import AUDIENCES, Level, SpecChange

__all__ = ["Report", "report_of"]

Report = dict[str, Any]

FORMAT: Final = 1


def report_of(
    comparison: Comparison,
    old: Side,
    new: Side,
    *,
    audiences: Collection[str] = tuple(AUDIENCES),
    fail_on: Level | None = Level.ACT,
    approvals: Approvals,
    runs: dict[str, Any] | None = None,
    notes: Sequence[str] = (),
) -> Report:
    """Return what is told of a comparison.

    Args:
        audiences: Whose changes are told.
        fail_on: From which level on a change fails that nobody has approved; ``None``: none does.
        approvals: Who has approved what.
        runs: What it means for runs in a store, if that was asked.
        notes: What is told besides.
    """
    told = [
        _change(comparison, each, fail_on, approvals)
        for each in comparison.changes
        if each.audience in audiences
    ]
    broken = [_broken(is_old, version) for is_old, version in comparison.broken]
    fails = any(each["fails"] for each in told) or any(each["side"] == "new" for each in broken)
    if runs is not None:
        is_asked = fail_on is not None and "runs" in audiences
        fails = _fail_runs(runs, _approved_rules(comparison, approvals), is_asked=is_asked) or fails
    return {
        "format": FORMAT,
        "old": old.title,
        "new": new.title,
        "fails": fails,
        "specs": [_spec(*pair) for pair in comparison.versions if any(pair)],
        "broken": broken,
        "changes": told,
        "paused_runs": runs,
        "notes": [
            *notes,
            *_notes(old, new),
            *approvals.notes([each.fingerprint for each in comparison.changes]),
        ],
    }


def _approved_rules(comparison: Comparison, approvals: Approvals) -> Mapping[str, set[str]]:
    """Return the rules of each workflow's changes that are approved without exception."""
    said: dict[tuple[str, str], bool] = {}
    for each in comparison.changes:
        is_approved = approvals.reason(each.fingerprint) is not None
        key = each.workflow, each.rule
        said[key] = said.get(key, True) and is_approved
    found: defaultdict[str, set[str]] = defaultdict(set)
    for (workflow, rule), is_approved in said.items():
        if is_approved:
            found[workflow].add(rule)
    return found


def _fail_runs(runs: dict[str, Any], approved: Mapping[str, set[str]], *, is_asked: bool) -> bool:
    """Say of each run whether it fails, and which verdicts make it so; return whether any does.

    One fails that could go on before and cannot now, for a reason nobody has approved. Each reason is held against what
    is approved of its own workflow: that of a part is not the one of the run above it.
    """
    names = {each["workflow"]: each["now"] or each["workflow"] for each in runs["workflows"]}
    every = [run for workflow in runs["workflows"] for run in workflow["each"]]
    for run in every:
        can_fail = is_asked and run["means"] == "refused" and not run["refused_before"]
        for one in run["verdicts"]:
            workflow = names.get(one["workflow"], one["workflow"])
            is_approved = one["rule"] in approved.get(workflow, ())
            one["fails"] = can_fail and one["means"] == "refused" and not is_approved
        run["fails"] = any(one["fails"] for one in run["verdicts"])
    return any(run["fails"] for run in every)


def _change(
    comparison: Comparison, change: SpecChange, fail_on: Level | None, approvals: Approvals
) -> dict[str, Any]:
    because = approvals.reason(change.fingerprint)
    return {
        "rule": change.rule,
        "audience": change.audience,
        "level": change.level.word,
        "message": change.told,
        "advice": change.advice,
        "workflow": change.workflow,
        "about": change.about,
        "before": change.before,
        "after": change.after,
        "old": _place(comparison.located(change.old, is_old=True)),
        "new": _place(comparison.located(change.new, is_old=False)),
        "fingerprint": change.fingerprint,
        "approved": because,
        "fails": because is None and fail_on is not None and change.level >= fail_on,
    }


def _place(located: Located | None) -> dict[str, Any] | None:
    if located is None:
        return None
    return {"path": located.path, "start": _position(located.start), "end": _position(located.end)}


def _position(position: Position) -> dict[str, int]:
    return {"line": position.line, "column": position.column, "offset": position.offset}


def _spec(old: Version | None, new: Version | None) -> dict[str, Any]:
    facts = next((each.facts for each in (new, old) if each is not None and each.facts is not None), None)
    return {
        "workflow": None if facts is None else facts["workflow"],
        "old": None if old is None else old.path,
        "new": None if new is None else new.path,
    }


def _broken(is_old: bool, version: Version) -> dict[str, Any]:
    first = version.diagnostics[0] if version.diagnostics else None
    return {
        "side": "old" if is_old else "new",
        "path": version.path,
        "errors": len(version.diagnostics),
        "message": "it is no workflow" if first is None else first.message,
        "code": "" if first is None else first.code,
        "start": None if first is None else _position(first.start),
    }


def _notes(old: Side, new: Side) -> list[str]:
    modules: Sequence[str] = [*old.modules, *new.modules]
    return [f"{path} is a submodule, which is not looked into" for path in sorted(set(modules))]
