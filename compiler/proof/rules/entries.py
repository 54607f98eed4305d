"""Rules 2 and 3: a step has a way to leave in every case, and each of its ways to leave can be taken."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.expressions.conditions import exhaustiveness
from wfc.compiler.model import Emit, Exit
from wfc.compiler.model.exits import Entry
from wfc.compiler.model.flow import exits
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.rules import flow as problems

__all__ = ["entries_can_be_taken", "entries_cover_every_case"]


def entries_cover_every_case(analysis: FlowAnalysis, report: Report) -> None:
    """One entry always matches; for `on_error` the run's own exits are next, so that it may leave a case."""
    workflow = analysis.workflow
    found = [("the run", key, exit_) for key, exit_ in workflow.run.exits]
    found += [(step.name, occasion, exit_) for step in workflow.steps for occasion, exit_ in exits(step)]
    for owner, occasion, exit_ in found:
        if exit_.entries and occasion != "on_error" and not exit_.exhaustive:
            when = exit_.entries[-1].when
            place = when.place if when is not None else Place(exit_.address)
            report(problems.emit_falls_through(place, owner, occasion, exit_.left))


def entries_can_be_taken(analysis: FlowAnalysis, report: Report) -> None:
    """No entry stands below one that takes all that it could take."""
    found = [("the run", key, exit_) for key, exit_ in analysis.workflow.run.exits]
    found += [(step.name, key, exit_) for step in analysis.workflow.steps for key, exit_ in exits(step)]
    for owner, occasion, exit_ in found:
        hidden = _hidden(exit_)
        if hidden is not None:
            entry, earlier = hidden
            place = Place(exit_.entries[entry].address)
            alike = _takes_all_of(exit_.entries[entry], exit_.entries[earlier])
            report(problems.entry_never_taken(place, owner, occasion, earlier, _together(exit_), alike=alike))
            continue
        for entry in _idle(exit_):
            when = exit_.entries[entry].when
            if when is not None:
                report(problems.entry_never_taken(when.place, owner, occasion, None))


def _together(exit_: Exit) -> str:
    """Return how to emit all events of an exit that has only names of different events; empty for any other exit."""
    names = [
        entry.emission.event.name
        for entry in exit_.entries
        if isinstance(entry.emission, Emit) and entry.is_certain
    ]
    return f"{{all: [{', '.join(names)}]}}" if len({*names}) == len(exit_.entries) else ""


def _hidden(exit_: Exit) -> tuple[int, int] | None:
    """Return the first entry that is never taken, and the one that is taken in its place."""
    if len(exit_.entries) < 2:
        return None
    always: dict[
        str, list[int]
    ] = {}  # entries without a condition, by the errors that they are for; "" is any
    for index, entry in enumerate(exit_.entries):
        around = _around(entry.errors) if always else ()
        for earlier in sorted(each for name in around for each in always.get(name, ())):
            if _covers(exit_.entries[earlier].errors, entry.errors):
                return index, earlier
        if entry.when is None and entry.body is None:
            for name in entry.errors or ("",):
                always.setdefault(name, []).append(index)
    return None


def _takes_all_of(entry: Entry, other: Entry) -> bool:
    """Return whether an entry is taken in every case in which another one is."""
    return entry.when is None and entry.body is None and _covers(entry.errors, other.errors)


def _around(errors: tuple[str, ...]) -> list[str]:
    """Return the names of errors that include the first of some errors, from the most general to its own
    name.
    """
    words = errors[0].split(".") if errors else []
    return ["", *(".".join(words[:length]) for length in range(1, len(words) + 1))]


def _idle(exit_: Exit) -> tuple[int, ...]:
    """Return the entries whose conditions hold only where an earlier one holds too."""
    conditions = [entry.when for entry in exit_.entries if entry.when is not None]
    if len(conditions) < 2 or any(entry.errors or entry.body is not None for entry in exit_.entries):
        return ()
    return exhaustiveness.judge(conditions).idle


def _covers(broad: tuple[str, ...], narrow: tuple[str, ...]) -> bool:
    if not broad:
        return True
    return bool(narrow) and all(
        any(name == wide or name.startswith(f"{wide}.") for wide in broad) for name in narrow
    )
