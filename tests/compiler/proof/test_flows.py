"""Small flows, one for each way to be right or wrong, in a notation of one line a step.

``fork: S > A B | on_error: END`` is a step that accepts S and either emits A and B or, on an error, ends the run.
``-`` is nothing, ``*A`` one A for each item of a list. ``all(A B)``, ``any(…)``, ``2of(…)`` and ``each(…)`` are
joins, with ``~`` behind if they have a time-out; ``!`` behind a name is `max_runs`.
"""

from __future__ import annotations

import re

import pytest

from wfc.compiler.proof.graph.batch_nesting import misplaced_batches
from wfc.compiler.proof.graph.flow_graph import FlowGraph, StepNode, Way
from wfc.compiler.proof.joins.completeness import prove_joins
from wfc.compiler.proof.rules.bounded_cycles import unbounded_cycles
from wfc.compiler.proof.rules.termination import examine_ends

STEP = re.compile(r"(?P<name>\w+)(?P<bounded>!?): (?P<accepts>[^>]+) > (?P<ways>.+)")
JOIN = re.compile(r"(?P<form>all|any|each|(?P<count>\d)of)\((?P<slots>[^)]*)\)(?P<timed>~?)")


def graph(text: str) -> FlowGraph:
    """The graph that a text in this file's notation describes; S starts it."""
    return FlowGraph([unit(line.strip()) for line in text.strip().splitlines()], "S", ("END",))


def unit(line: str) -> StepNode:
    step = STEP.fullmatch(line)
    assert step is not None, line
    ways = tuple(way(text.strip()) for text in step["ways"].split("|"))
    join = JOIN.fullmatch(step["accepts"])
    if join is None:
        return StepNode(
            step["name"], "one", tuple(step["accepts"].split()), ways, bounded=bool(step["bounded"])
        )
    return StepNode(
        step["name"],
        "any" if join["count"] else join["form"],  # type: ignore[arg-type]
        tuple(join["slots"].split()),
        ways,
        count=int(join["count"] or 0),
        timed=bool(join["timed"]),
        bounded=bool(step["bounded"]),
    )


def way(text: str) -> Way:
    occasion, _, events = text.rpartition(": ")
    names = events.split()
    return Way(
        occasion or "emit",
        tuple(name for name in names if name not in ("-", "END") and not name.startswith("*")),
        tuple(name[1:] for name in names if name.startswith("*")),
        ends="END" in names,
    )


def found(text: str) -> set[str]:
    """What rules 4 to 7 have against a flow."""
    flow = graph(text)
    against = {problem.kind for problem in misplaced_batches(flow)}
    if against:
        return against
    failures = prove_joins(flow)
    against = {f"{failure.kind} {flow.nodes[failure.join].name}" for failure in failures}
    covered = {join for failure in failures for join in failure.circle}
    against |= {f"unbounded {flow.nodes[loop.head].name}" for loop in unbounded_cycles(flow, covered)}
    result = examine_ends(flow, {join for failure in failures for join in failure.circle or (failure.join,)})
    against |= {f"never {flow.nodes[join].name}" for join in result.never}
    return against | ({"stall"} if result.stalls else set())


FLOWS = {
    # rule 4: what an `all` join gets
    "both branches come": ("a: S > P\nb: S > Q\nj: all(P Q) > END", set()),
    "one may stop": ("a: S > P\nb: S > Q | on_error: -\nj: all(P Q) > END", {"starves j"}),
    "one may end the run": ("a: S > P\nb: S > Q | on_error: END\nj: all(P Q) > END", set()),
    "one or the other": ("a: S > P | Q\nj: all(P Q) > END", {"starves j"}),
    "both or an end": ("a: S > P Q | END\nj: all(P Q) > END", set()),
    "two of one": ("a: S > P P Q\nj: all(P Q) > END", {"overfills j"}),
    "two paths to one slot": ("a: S > P\nb: S > P\nc: S > Q\nj: all(P Q) > END", {"overfills j"}),
    "a time-out does for what is missing": ("a: S > P\nb: S > Q | -\nj: all(P Q)~ > END", set()),
    "a time-out does not do for two": ("a: S > P P\nb: S > Q\nj: all(P Q)~ > END", {"overfills j"}),
    "a fork in a loop opens a frame a round": (
        "f!: S R > A B | on_limit: END\na: A > P\nb: B > Q\nj: all(P Q) > END | R",
        set(),
    ),
    "a branch that goes back leaves its frame": (
        "f!: S R > A B | on_limit: END\na: A > P | R\nb: B > Q\nj: all(P Q) > END",
        {"starves j"},
    ),
    "a join after a join": ("f: S > A B C\nj: all(A B) > D\nk: all(C D) > END", set()),
    "a join in a branch": ("f: S > A B\ng: A > P Q\nj: all(P Q) > D\nk: all(B D) > END", set()),
    "a first-come join always comes": ("f: S > A B C\nj: any(A B) > D\nk: all(C D) > END", set()),
    "a first-come join may not come": ("f: S > A C | C\nj: any(A) > D\nk: all(C D) > END", {"starves k"}),
    "two of three always come": (
        "f: S > A B C X\na: A > P\nb: B > Q\nc: C > R | -\nj: 2of(P Q R) > D\nk: all(D X) > END",
        set(),
    ),
    "two of three may not come": (
        "f: S > A B C X\na: A > P\nb: B > Q | -\nc: C > R | -\nj: 2of(P Q R) > D\nk: all(D X) > END",
        {"starves k"},
    ),
    # rule 5: cycles
    "a bounded loop": ("a!: S R > END | R | on_limit: END", set()),
    "a loop without a bound": ("a: S R > END | R", {"unbounded a"}),
    "a loop whose limit leads back": ("a!: S R > END | R | on_limit: R", {"unbounded a"}),
    "a bound anywhere in the loop": ("a: S R > X\nb!: X > R | END | on_limit: END", set()),
    "a bound beside the loop": ("a: S R > X Y\nb: X > R | END\nc!: Y > END | on_limit: END", {"unbounded a"}),
    "an error that leads back": ("a: S R > END | on_error: R", {"unbounded a"}),
    "a bound per item does not bound the loop around": (
        "a: S R > *A\nb!: A > E | on_limit: E\nc: each(E) > R | END",
        {"unbounded a"},
    ),
    "a bound that a time-out goes past": (
        "f: S R > A\na!: A > P | on_limit: P\nj: all(P)~ > R | END",
        {"unbounded f"},
    ),
    "an empty list goes past a bound that ends the run": (
        "a: S R > *A\nb!: A > E | on_limit: END\nc: each(E) > R | END",
        {"unbounded a"},
    ),
    "a time-out goes past a bound that ends the run": (
        "f: S R > A B\na!: A > P | on_limit: END\nb!: B > Q | on_limit: END\nj: all(P Q)~ > R | END",
        {"unbounded f"},
    ),
    # rule 6: ends
    "a branch may stop if another ends": ("a: S > -\nb: S > END", set()),
    "a choice that stops": ("a: S > END | -", {"stall"}),
    "first come, and it need not": ("a: S > P | -\nb: S > Q | -\nj: any(P Q) > END", {"stall"}),
    "an empty list": ("a: S > *A\nb: A > END", {"stall"}),
    "never enough": ("a: S > P | Q\nj: 2of(P Q) > END", {"never j"}),
    "a time-out ends what may stop": ("a: S > P\nb: P > Q | -\nc: P > R | -\nj: any(Q R)~ > END", set()),
    "a time-out to which nothing leads": ("a: S > P | -\nj: any(P)~ > END", {"stall"}),
    # rule 7: batches
    "a batch": ("a: S > *A\nb: A > E | -\nc: each(E) > END", set()),
    "a batch in a batch": ("a: S > *A\nb: A > *B\nc: B > F\nd: each(F) > E\ne: each(E) > END", set()),
    "a join in an item": ("a: S > *A\nb: A > P\nc: A > Q\nj: all(P Q) > E\nd: each(E) > END", set()),
    "a join in an item that starves": (
        "a: S > *A\nb: A > P | -\nc: A > Q\nj: all(P Q) > E\nd: each(E) > END",
        {"starves j"},
    ),
    "a batch beside a branch": ("a: S > *A X\nb: A > E\nc: each(E) > D\nk: all(D X) > END", set()),
    "an event from outside": ("a: S > *A E\nb: A > E\nc: each(E) > END", {"outside"}),
    "no batch at all": ("a: S > E\nc: each(E) > END", {"outside"}),
    "work that escapes": ("a: S > *A X\nb: A > P\nj: all(P X) > END", {"escapes"}),
    "work that escapes to the first-come": ("a: S > *A X\nb: A > P\nj: any(P X) > END", {"escapes"}),
    "a batch in itself": ("a!: S A > *A | on_limit: E\nc: each(E) > END", {"recursive"}),
    "two batches, one join": ("a: S > *A | X\nb: X > *B\nc: A B > E\nd: each(E) > END", {"mixed"}),
    "a shared step that ends": ("a: S > *A | X\nb: A > E | X\nc: each(E) > END\nd: X > END", set()),
    # one mistake, one finding
    "what follows a starving join": (
        "a: S > P\nb: S > Q | -\nj: all(P Q) > A B\nk: all(A B) > END",
        {"starves j"},
    ),
}


@pytest.mark.parametrize("name", FLOWS)
def test_a_flow_is_accepted_or_refused(name: str) -> None:
    text, expected = FLOWS[name]
    assert found(text) == expected


# Three proofs that look right and are not: earlier versions of this one made these mistakes.


def test_an_end_does_not_hide_an_overfilled_slot() -> None:
    # the second P comes on the very course that also ends the run: in some order it is there first
    assert found("a: S > P Q\nb: S > P END\nj: all(P Q) > END") == {"overfills j"}


def test_joins_do_not_vouch_for_each_other_in_a_circle() -> None:
    # j gets Y if k fires, and k gets X if j fires: each would be right if the other were
    flow = "f: S > A B | A B Y\nj: all(A Y) > X\nk: all(B X) > Y END"
    assert found(flow) == {"circle j"}


def test_joins_do_not_excuse_each_other_by_ends_that_never_come() -> None:
    # j may lack Q, but then k ends the run; k may lack D, but then j ends it
    flow = "f: S > P X\na: X > Q | C\nj: all(P Q) > D END\nk: all(C D) > END"
    assert "starves j" in found(flow)


def test_a_join_does_not_feed_itself_within_a_frame() -> None:
    assert found("a: S > P Q\nj!: all(P Q) > END | P Q | on_limit: END") == {"itself j"}


def test_the_fork_is_the_nearest_step_that_every_path_passes() -> None:
    flow = graph("a: S > X\nb: X > P Q\nc: P > R\nj: all(Q R) > END")
    names = {flow.nodes[join].name: flow.nodes[fork].name for join, fork in flow.forks.items()}
    assert names == {"j": "b"}


def test_an_empty_batch_goes_past_the_steps_of_its_items() -> None:
    # all items pass b, but an empty list does not: k's frames are those of a
    flow = graph("a: S > *A\nb: A > E F\nc: each(E) > P\nd: each(F) > Q\nk: all(P Q) > END")
    names = {flow.nodes[join].name: flow.nodes[fork].name for join, fork in flow.forks.items()}
    assert names == {"c": "a", "d": "a", "k": "a"}
    assert found("a: S > *A\nb: A > E F\nc: each(E) > P\nd: each(F) > Q\nk: all(P Q) > END") == set()


@pytest.mark.parametrize("branches", [20, 100])
def test_many_branches_that_end_or_come_are_no_trouble(branches: int) -> None:
    lines = [f"s{n}: S > P{n} | on_error: END" for n in range(branches)]
    slots = " ".join(f"P{n}" for n in range(branches))
    assert found("\n".join([*lines, f"j: all({slots}) > END"])) == set()


def test_thousands_of_combinations_are_refused_in_time() -> None:
    lines = [f"s{n}: S > P{n} | -" for n in range(30)]
    slots = " ".join(f"P{n}" for n in range(30))
    assert found("\n".join([*lines, f"j: all({slots}) > END"])) == {"complex j", "stall"}
