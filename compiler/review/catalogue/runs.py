"""Rules about runs that are under way: the ids are those by which the runtime lets a run go on, converts or refuses it.

Nothing here finds anything: what a change means for runs is judged from the plans of both versions, by the runtime.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from wfc.compiler.review.changes import Level, SpecChange, rule

__all__ = ["LEVELS", "run_change"]

_ONE_WAY: Final = "the judgement is asked of each direction by itself"

_HELD: Final = {
    "state": "the state",
    "start-event": "the event that runs start with",
    "event": "an event within the workflow",
    "type": "a type that runs have values of",
}

_FIRST: Final = "Such runs stay on their own version, whose code is kept with them, and end there."


def _enter(id: str, level: Level, explanation: str, *also: Level) -> None:
    rule(id, "runs", level, explanation, no_mirror=_ONE_WAY, also=also)


def _refused(ids: Iterable[tuple[str, str, str]]) -> None:
    for id, what, advice in ids:
        told = f"{what}\n\nRuns that stand there cannot go on with the new version.\n{_FIRST}"
        _enter(id, Level.BREAK, f"{told}\n{advice}".rstrip(), Level.WARN, Level.INFO)


_refused(
    [
        ("step-removed", "A step at which runs may stand is gone.", "`moved` says what it is called now."),
        (
            "step-no-longer-accepts",
            "A step does not accept an event any more that runs have there.",
            "Let it accept the event as long as such runs exist.",
        ),
        (
            "step-renamed-with-parts",
            "A step has a new name while it waits for runs known by the old one.",
            "",
        ),
        ("step-exit-removed", "An exit of a step that runs are about to take is gone.", ""),
        ("run-exit-removed", "An exit of the workflow by which runs go on is gone.", ""),
        ("event-no-longer-accepted", "No step waits for an event any more that runs may have been sent.", ""),
        ("wait-removed", "A step in which runs wait does not wait any more, or for something else.", ""),
        ("response-event-changed", "A step does not take an event any more that runs wait for in it.", ""),
        ("response-retyped", "What runs wait for does not fit what the step takes now.", ""),
        (
            "question-changed",
            "An open question was for several people and is for one now, or the opposite.",
            "",
        ),
        (
            "join-changed",
            "Branches of runs that are to meet have parted for a join that joins otherwise now.",
            "",
        ),
        (
            "join-branch-added",
            "A join waits for a branch that runs have never begun: they would wait for ever.",
            "",
        ),
        ("join-added", "Runs come to a join whose branches have not parted as it expects.", ""),
        (
            "limit-computed",
            "How often a step may run is worked out when a run starts, and runs have started without.",
            "Write the limit as a number.",
        ),
        ("result-retyped", "A step has given runs a result already that is of another type now.", ""),
        ("cut-off", "A run was cut off at work, and the code that it was started with is not there.", ""),
        ("plan-unknown", "A run is from a time in which plans were not kept with runs.", ""),
        ("value-does-not-fit", "A value of a run does not fit the new version after all.", ""),
        ("type-retyped", "A choice has lost a value that runs may have.", "Bring it back."),
    ]
)

_enter(
    "form-changed",
    Level.INFO,
    """A form of a question is another one while runs wait for the answer.

The question is asked with the new form. Where the form lacks what the open question has filled in or offers, the run
cannot go on with the new version, and stays on its own.""",
    Level.BREAK,
)

for _sort, _words in _HELD.items():
    if _sort != "state":
        _refused(
            [
                (
                    f"{_sort}-removed",
                    f"What runs have is gone: {_words}.",
                    "`moved` says what it is called now.",
                )
            ]
        )
        _enter(
            f"{_sort}-renamed",
            Level.INFO,
            f"What runs have is called otherwise now: {_words}. `moved` says so.",
        )
    _refused(
        [
            (
                f"{_sort}-field-removed",
                f"A field is gone of which runs have a value: one of {_words}.",
                "`moved`, `removed` or `migrate` say what becomes of the value.",
            ),
            (
                f"{_sort}-field-retyped",
                f"A field has a type that does not take all values that runs may have: one of {_words}.",
                "`migrate` says what is made of the value.",
            ),
        ]
    )
    _enter(
        f"{_sort}-field-added",
        Level.INFO,
        f"""A field is new of which runs have no value: one of {_words}.

Runs get its default. Without a default they cannot go on with the new version: give it one, or make the value of what
runs have, under `migrate`.""",
        Level.BREAK,
        Level.WARN,
    )
    _enter(
        f"{_sort}-field-renamed", Level.INFO, f"A field has another name, as `moved` says: one of {_words}."
    )
    if _sort != "type":  # `migrate` makes fields of the state and of events
        _enter(
            f"{_sort}-field-converted",
            Level.INFO,
            f"A field is made of what runs have, by `migrate`: of {_words}.",
        )

for _id, _told in {
    "step-renamed": "A step at which runs may stand has another name, as `moved` says.",
    "pending-event-dropped": "An event that nobody has taken yet is dropped, as `removed` says.",
    "response-event-added": "Runs that wait in a step take another event too.",
    "wait-time-kept": "The time of a wait has changed; waits that are under way end as they were to.",
    "limit-lowered": "A step may run less often than runs have run it already: the next time is over its limit.",
    "retry-limit-lowered": "A step is tried less often than runs have tried it already: the attempt is their last.",
}.items():
    _enter(_id, Level.INFO, _told)

_enter(
    "new-step-missed",
    Level.INFO,
    """A step is new, and comes before or beside a place where runs wait: runs that are past it never get it.

This goes without an error, so nobody is told later. Where the step changes something outside or asks somebody (then it
is a warning), decide what is to be done for runs that are under way: let them end on their own version, or do it by
hand. `wfc runs list` shows them.""",
    Level.WARN,
)

LEVELS: Final = {"refused": Level.BREAK, "migrated": Level.INFO, "noted": Level.INFO}
"""How grave a verdict is on runs that wait for something outside."""


def run_change(
    workflow: str, rule: str, level: Level, told: str, about: str, before: str, advice: str
) -> SpecChange:
    """Return what a change means for runs, by the runtime's judgement.

    Args:
        rule: The id of the verdict's rule.
        before: The verdict itself, by which the change is known.
    """
    return SpecChange(rule, "runs", level, told, workflow, about, before, "", advice=advice)
