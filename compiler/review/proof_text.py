"""What the proof knows of a workflow, as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["proof_text"]


def proof_text(path: str, workflow: str, facts: Mapping[str, Any]) -> str:
    """Return what the proof knows of a workflow as lines under headings; what there is nothing of is left out."""
    lines = [f"{path}: workflow {workflow}"]
    for title, section in (
        ("A run ends", _ends(facts)),
        ("A run fails", _failures(facts)),
        ("Joins", _joins(facts)),
        ("Waits", _waits(facts)),
        ("Loops", _loops(facts)),
        ("Races", _races(facts)),
    ):
        found = list(section)
        if found:
            lines += ["", f"  {title}", *(f"    {line}" for line in found)]
    return "\n".join(lines) + "\n"


def _ends(facts: Mapping[str, Any]) -> Iterator[str]:
    for end in facts["ends"]:
        yield f"with {end['event']}: {', '.join(end['by'])}"
    if facts["deadline"] is not None:
        yield f"at its deadline: {facts['deadline']}"


def _failures(facts: Mapping[str, Any]) -> Iterator[str]:
    for each in facts["failures"]:
        caught = "; the run's on_error is next" if each["caught_by"] else ""
        if each["by"] == "error":
            yield f"when {each['step']} fails, where its own on_error does not take the error{caught}"
        elif each["by"] == "max_runs":
            yield f"when {each['step']} would run once more than its max_runs{caught}"
        else:
            yield f"when {each['step']} says so: {each['by']}"


def _joins(facts: Mapping[str, Any]) -> Iterator[str]:
    for join in facts["joins"]:
        events = ", ".join(" or ".join(slot) for slot in join["events"])
        count = f", {join['count']} of them" if join["count"] is not None else ""
        yield f"{join['step']} joins {join['form']} of {events}{count}: {_time_out(join)}"


def _time_out(join: Mapping[str, Any]) -> str:
    found = []
    if join["within"] is not None:
        found.append(f"within {join['within']} from {join['counts_from']}")
    if join["until"] is not None:
        found.append(f"until {join['until']}")
    if not found:
        return "no time-out; proven not to wait for ever"
    then = {
        "proceed": "goes on with what is there",
        "on_timeout": "leaves by on_timeout",
        "fail": "the run fails",
    }
    return f"{' and '.join(found)}, then {then[join['then']]}"


def _waits(facts: Mapping[str, Any]) -> Iterator[str]:
    for wait in facts["waits"]:
        bounds = ", ".join(wait["bounds"]) or "without a bound"
        yield f"{wait['step']} waits for {wait['for']}: {bounds}"
    if facts["without_timeout"]:
        yield f"no time-out for one attempt: {', '.join(facts['without_timeout'])}"


def _loops(facts: Mapping[str, Any]) -> Iterator[str]:
    for loop in facts["loops"]:
        bounds = ", ".join(
            f"{each['step']} runs at most {each['max_runs']} times" for each in loop["bounded_by"]
        )
        yield f"{loop['way']}: {bounds or 'without a bound'}"
    for each in facts["restarts"]:
        by = each["step"] or "the run"
        yield f"{by} ({each['exit']}) begins the run anew, as often as it comes there"


def _races(facts: Mapping[str, Any]) -> Iterator[str]:
    for race in facts["races"]:
        yield f"{race['message']} [{race['code']}]"
    for each in facts["failure_beside_end"]:
        ends = " or ".join(each["ends_by"])
        outcome = "takes its on_error" if each["caught_by"] else "fails"
        yield f"the run {outcome} if {each['step']} fails before {ends} ends it ({each['courses']})"
    for each in facts["declared"]:
        if "rest" in each:
            yield f"declared: the join of {each['step']} says `rest: {each['rest']}`"
        else:
            yield f"declared: `merge` says how the saves of {each['field']} are put together"
