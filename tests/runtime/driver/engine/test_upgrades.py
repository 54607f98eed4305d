"""Runs that are put to rest under one version of a workflow, and go on under another one, or are refused and wait."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from version_cases import PAUSED, Case, Then, answer, post
from version_flows import ACTING, ASKING, BROKEN, ITEMS, LOG, PARTS, WAITING, load, within
from waiting import until

from wfc.runtime import Engine, Workflow
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.authoring.migrations import migrations_in
from wfc.runtime.driver.engine.kept_values import values_of
from wfc.runtime.errors import RunParkedError, StepFailedError, StoreError, WorkflowCancelledByUser
from wfc.runtime.store.judgement.foretelling import Foretold, foretell
from wfc.runtime.store.judgement.verdicts import Verdict
from wfc.runtime.store.snapshots import shape_of
from wfc.runtime.store.versions.conversions import Converter
from wfc.runtime.store.versions.describing import describe


@pytest.fixture(autouse=True)
def _fresh() -> None:
    LOG.clear()
    BROKEN.clear()


def with_moved(text: str, **moved: str) -> str:
    """Returns the text of a workflow that says what has moved."""
    return text.replace('name="flow"', f'name="flow", moved={moved}')


def rest(store: str | Path, flows: tuple[type[Workflow], ...], before: Then | None = None) -> None:
    """Lets a run of a version come to where it rests."""

    async def main(engine: Engine) -> None:
        handler = flows[0](engine=engine).run(run_id="one")
        if before is not None:
            await until(engine.tasks)
            await before(engine)
        await engine.park("one")
        with pytest.raises(RunParkedError):
            await handler

    within(store, main, *flows)


def changed(case: Case) -> str:
    text = case.old
    for old, new in case.change:
        assert old in text, old
        text = text.replace(old, new)
    return text


def foretold_of(old: type[Workflow], new: type[Workflow]) -> list[Foretold]:
    """Returns what is told of a change without any run."""
    definition, plan = definition_of(new), describe(old()._wfc.plan).data
    rules = migrations_in(definition.run_rules.functions)
    asked = {
        key: tuple(plan["classes"][form[1]]["fields"])
        for key, step in plan["steps"].items()
        for form in step["forms"]
    }
    return [
        one
        for filled in ({}, asked)
        for one in foretell(
            plan,
            describe(new()._wfc.plan).data,
            moved=definition.moved,
            removed=definition.removed,
            conversions=Converter(new(), rules, values_of(new())).conversions(),
            filled=filled,
        )
    ]


def said(verdict: Verdict) -> tuple[str, ...]:
    """Returns a verdict but for how often a run has done something, which no plan says."""
    return verdict.rule, verdict.means, re.sub(r"run \d+ times", "run so often", verdict.told), verdict.advice


def refused_by(case: Case) -> str:
    return next(rule for rule, means in case.rules.items() if means == "refused")


async def finished(engine: Engine, then: Then) -> Any:
    handler = await engine.resume("one")
    await then(engine)
    return await handler


ONE_OF = 4
"""Of how many cases one is tried in the ordinary suite: the others are of the search."""


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case,
            id=name.replace(" ", "-"),
            marks=[] if at % ONE_OF == 0 else [pytest.mark.full],
        )
        for at, (name, case) in enumerate(PAUSED.items())
    ],
)
def test_a_run_at_rest_meets_a_changed_workflow(case: Case, store: str | Path) -> None:
    old, new = load(case.old), load(changed(case))
    rest(store, old, case.before)

    async def main(engine: Engine) -> None:
        before = engine.store.history("one"), engine.show("one"), engine.tasks()
        told = await engine.upgrade("one", dry_run=True)
        verdicts = [*told.verdicts, *(one for part in told.parts for one in part.verdicts)]
        assert {one.rule: one.means for one in verdicts} == case.rules
        foretold = {said(one.verdict) for kinds in zip(old, new, strict=False) for one in foretold_of(*kinds)}
        of_plans = {said(one) for one in verdicts if one.rule != "value-does-not-fit"}
        assert of_plans <= foretold, "all but what hangs on values is told of the plans, without any run"
        assert (engine.store.history("one"), engine.show("one"), engine.tasks()) == before
        if case.said is None:
            for way in (engine.upgrade("one"), engine.resume("one")):
                with pytest.raises(StoreError, match=rf"stays as it is: .*\[{refused_by(case)}\]"):
                    await way
            assert (engine.store.history("one"), engine.show("one"), engine.tasks()) == before
            return
        assert (await finished(engine, case.then)).said == case.said
        assert engine.store.problems() == []

    within(store, main, *new)
    if case.said is None:  # with its own version it goes on, and nothing is lost

        async def again(engine: Engine) -> None:
            then = post("Paid", n=3) if case.old == WAITING else answer
            assert (await finished(engine, then)).said == "1 3" if case.old == WAITING else True

        within(store, again, *old)


def test_a_run_with_a_retry_ahead_is_told_of_fewer_attempts(store: str | Path) -> None:
    old, new = load(ACTING), load(ACTING.replace("max_attempts=3", "max_attempts=1"))
    BROKEN.add("work")
    rest(store, old)

    async def main(engine: Engine) -> None:
        told = await engine.upgrade("one")
        assert [(one.rule, one.means) for one in told.verdicts] == [("retry-limit-lowered", "noted")]
        await engine.resume("one")
        run = engine.run("one")
        assert run is not None
        ((timer, due),) = run.execution.due_at.items()
        assert run.execution.timers[timer].attempt == 2
        assert due - run.now() > 3000e9, "it is tried again when it was to be"
        await engine.park("one")

    within(store, main, *new)


ITEM_CHANGES = {
    "what is done with the items": ([("sum(result)", "max(result)")], []),
    "the result of an item": (
        [
            ("item: Item[int]) -> int", "item: Item[int]) -> str"),
            ("return item", "return str(item)"),
            ("list[int]", "list[str]"),
        ],
        ["response-retyped"],
    ),
    "no items any more": (
        [
            (ITEMS[ITEMS.index("    @pause") : ITEMS.index("    @each.then")], ""),
            ("    @each.then", "    @transform"),
            (", result: list[int]", ""),
            ("{sum(result)}", ""),
        ],
        ["step-removed"],
    ),
    "another kind of wait": (
        [
            (ITEMS[ITEMS.index("    @each.item") : ITEMS.index("    @each.then")], ""),
            ("Items[int]", "Delay"),
            ("Items([1, 2])", "Delay(1)"),
            ("result: list[int]", "result: None"),
            ("{sum(result)}", ""),
        ],
        ["step-removed", "wait-removed"],
    ),
}


@pytest.mark.parametrize("change", ITEM_CHANGES)
def test_a_run_with_items_under_way_meets_a_changed_workflow(store: str | Path, change: str) -> None:
    BROKEN.add("two")
    pairs, rules = ITEM_CHANGES[change]
    text = ITEMS
    for first, second in pairs:
        assert first in text
        text = text.replace(first, second)
    rest(store, load(ITEMS))

    async def main(engine: Engine) -> None:
        told = await engine.upgrade("one", dry_run=True)
        assert sorted({one.rule for one in told.verdicts}) == rules
        if not rules:
            await engine.upgrade("one")
            past, _ = engine.past_of("one")
            (pause,) = past.replay.execution.paused.values()
            assert pause.items is not None
            assert pause.items.given[0] == 1, "what is done is kept"
            assert [run.attempt for run in pause.items.live.values()] == [2]

    within(store, main, *load(text))


def test_a_failed_run_goes_on_with_a_mended_version(store: str | Path) -> None:
    """The action has been done; what follows from it fails until it is mended."""
    failing = ACTING.replace('return End(said=f"{ev.n} {result}")', 'raise OSError("it is broken")')
    mended = with_moved(ACTING.replace("Left", "Begun"), Left="Begun")

    retyped = mended.replace("-> int", "-> str").replace("result: int", "result: str")

    async def fail(engine: Engine) -> None:
        with pytest.raises(StepFailedError, match="it is broken"):
            await engine.workflow("flow").run(run_id="one")

    within(store, fail, *load(failing))
    assert LOG == ["work"]

    async def mend(engine: Engine) -> None:
        old, good, bad = (
            load(failing)[0],
            load(mended)[0],
            load(retyped)[0],
        )
        engine.add(old)
        engine.add(good, version="good")
        engine.add(bad, version="bad")
        with pytest.raises(StoreError, match=r"`work` has given integer already, .*result-retyped"):
            await engine.retry("one", version="bad", dry_run=True)
        told = await engine.retry("one", version="good")
        assert [one.rule for one in told.verdicts] == ["event-renamed"]
        assert (await (await engine.resume("one"))).said == "1 1"

    within(store, mend)
    assert LOG == ["work"], "what was done is not done again"


def test_what_was_kept_without_plans_goes_on_with_its_code(store: str | Path) -> None:
    old = load(ASKING)
    rest(store, old)

    async def forget_plans(engine: Engine) -> None:
        plan = engine.workflow("flow")._wfc.plan
        before = shape_of(plan, 2)
        await engine.store.write(
            lambda connection: connection.execute("UPDATE runs SET shape = ?", (before,))
        )

    within(store, forget_plans, *old)
    other = load(ASKING.replace("def ask(", "def want(").replace("@ask.", "@want."))

    async def refused(engine: Engine) -> None:
        with pytest.raises(StoreError, match=r"what its steps were is not kept.*\[plan-unknown\]"):
            await engine.resume("one")

    within(store, refused, *other)

    async def main(engine: Engine) -> None:
        assert (await finished(engine, answer)).said == "1 7 True"

    within(store, main, *old)


def test_what_came_before_a_move_is_not_told_with_the_new_steps(store: str | Path) -> None:
    moved = load(with_moved(ASKING.replace("def ask(", "def want(").replace("@ask.", "@want."), ask="want"))
    old = load(ASKING)
    rest(store, old)

    async def follow(engine: Engine) -> None:
        seen = []

        async def look() -> None:
            async for told in engine.follow("one"):
                seen.append(told.seq)
                if told.seq == 3:
                    engine.add(moved[0], version="new")
                    await engine.upgrade("one", version="new")

        with pytest.raises(StoreError, match="with its tick 4 the run one moved to another version"):
            await look()
        assert seen == [1, 2, 3]

    within(store, follow, *old)

    async def main(engine: Engine) -> None:
        assert [line.step for line in engine.told("one").lines()] == ["want"]
        assert [one.kind for one in engine.history("one")][-1] == "upgraded"
        with pytest.raises(StoreError, match="of another version of its workflow"):
            await engine.rewind("one", 2)
        await engine.resume("one")
        with pytest.raises(StoreError, match="a process works on the run one"):
            await engine.upgrade("one")

    within(store, main, *moved)


def test_a_run_that_has_not_begun_moves_too(store: str | Path) -> None:
    old, new = load(ASKING), load(with_moved(ASKING.replace("sum", "total"), **{"state.sum": "total"}))

    async def enqueue(engine: Engine) -> None:
        flow = engine.workflow("flow")
        await engine.enqueue(flow, flow._wfc.plan.start_class(n=4), "one")

    within(store, enqueue, *old)

    async def main(engine: Engine) -> None:
        handler = await engine.resume("one")
        await until(engine.tasks)
        await answer(engine)
        assert (await handler).said == "4 7 True"

    within(store, main, *new)


PARTS_MOVED = with_moved(PARTS.replace("def first(", "def begin(").replace("Asked", "Wanted"), Asked="Wanted")

SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from version_flows import load, within
within(sys.argv[2], lambda engine: engine.upgrade("one"), *load(sys.argv[3]))
"""


@pytest.mark.full  # processes that die
def test_a_process_dies_within_an_upgrade(store: str | Path) -> None:
    rest(store, load(PARTS))
    new = load(PARTS_MOVED)
    died = 0
    for point in ("commit:1", "commit:2", "committed:1", "committed:2", "altered:1"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(Path(__file__).parent), str(store), PARTS_MOVED],
            env={**os.environ, "WFC_CRASH_AT": point},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in {0, -signal.SIGKILL}, done.stderr
        died += done.returncode != 0
        kinds = within(store, histories)
        if "upgraded" in kinds["one"]:
            break
        assert kinds == {"one": ["started", "completed", "paused"], "one/part/2": ["started", "paused"]}
    assert died
    assert kinds["one"] == ["started", "completed", "paused", "upgraded"]

    async def main(engine: Engine) -> None:
        assert (await finished(engine, answer)).said == "1 2 True"
        assert engine.store.problems() == []

    within(store, main, *new)


async def histories(engine: Engine) -> dict[str, list[str]]:
    return {row.run_id: [one.kind for one in engine.history(row.run_id)] for row in engine.list_runs()}


def test_the_description_of_a_plan_goes_with_the_last_run_that_has_it(store: str | Path) -> None:
    moved = load(with_moved(ASKING.replace("def ask(", "def want(").replace("@ask.", "@want."), ask="want"))
    old = load(ASKING)
    rest(store, old)

    def plans(engine: Engine) -> set[str]:
        found = engine.store.select(
            lambda connection: connection.execute("SELECT digest FROM plans").fetchall()
        )
        return {digest for (digest,) in found}

    async def main(engine: Engine) -> None:
        first = plans(engine)
        handler = old[0](engine=engine).run(run_id="two")
        await until(lambda: len(engine.tasks()) == 2)
        await engine.cancel("two")
        with pytest.raises(WorkflowCancelledByUser):
            await handler
        engine.add(moved[0], version="new")
        await engine.upgrade("one", version="new")
        assert len(plans(engine)) == len(first) + 1, "another run has the first one"
        await engine.forget("two")
        assert len(plans(engine)) == len(first) and plans(engine).isdisjoint(first)
        handler = await engine.resume("one")
        await answer(engine)
        await handler
        await engine.forget("one")
        assert plans(engine) == set()

    within(store, main, *old)
