"""The specs with models over real HTTP: their own scripts come from an endpoint, in the protocols of three providers.

All else is as in their tests: what stands in for tools and people, the clock, and what is expected.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from model_wire import SHAPES, Asked, Call, Reply, Shape, answering_at, serving

from wfc.compiler.cli.programs import Program, compiled_here, load_compiled
from wfc.compiler.cli.spec_tests import spec_test
from wfc.compiler.model.kinds import LlmCall, MapItems
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.sources import load
from wfc.runtime.agents.events import AgentInput, AgentOutput, JudgedReply
from wfc.runtime.agents.workflow_loop import WorkflowLoop
from wfc.runtime.calls import budget
from wfc.runtime.calls.settings import Price
from wfc.runtime.driver.run.doubles import Double
from wfc.runtime.testing import SpecTest
from wfc.runtime.testing.agents import AgentDoubles, _as_said
from wfc.runtime.testing.answers import MockAnswer, Script
from wfc.runtime.testing.cases import outcome_of, play
from wfc.runtime.testing.clock import run_virtually
from wfc.runtime.testing.expectations import Seen
from wfc.runtime.testing.preparing import clock_of, ready
from wfc.runtime.values.outputs import Wanted, plain_type

ROOT = Path(__file__).parents[2]
DESIGNED = sorted((ROOT / "tests/specs/agents").glob("s*.yaml"))
OTHERS = [
    path for path in sorted((ROOT / "specs").glob("*.yaml")) if "\nmodels:\n" in path.read_text("utf-8")
]
CANCELS = {"two_proposals"}
"""Those in which a question is called off before it is sent, as another one has been answered."""


def cases() -> Iterator[Any]:
    """Yield each spec with each protocol; the ordinary suite has one of them for each spec."""
    for number, path in enumerate([*DESIGNED, *OTHERS]):
        for at, shape in enumerate(SHAPES.values()):
            marks = [] if at == number % len(SHAPES) else [pytest.mark.full]
            yield pytest.param(path, shape, id=f"{path.stem}-{shape.name}", marks=marks)


class Endpoint:
    """The replies that are ready to be given, each for one request, which is known by a header."""

    def __init__(self) -> None:
        self.ready: dict[str, Reply] = {}
        self.given: set[str] = set()
        self._numbers = itertools.count(1)
        self._next: ContextVar[Any] = ContextVar("next")

    def answer(self, asked: Asked) -> Reply:
        self.given.add(asked.headers["x-reply"])
        return self.ready[asked.headers["x-reply"]]

    def set_next(self, reply: Reply | MockAnswer) -> None:
        """Say what the model gives that this step asks next."""
        self._next.set(reply)

    def prepare(self, output: Any) -> str:
        """Put the next reply where the endpoint finds it, as what answers a question of this type."""
        reply, number = self._next.get(), str(next(self._numbers))
        if isinstance(reply, MockAnswer):
            is_text = output is None or output is str
            record = None if is_text else Wanted(plain_type(output)).wrap(reply.value)
            reply = Reply(text=str(reply.value)) if is_text else Reply(record=record)
        self.ready[number] = reply
        return number


class OverHttp(AgentDoubles):
    """Doubles of agents whose models are asked for real, and give what the script has."""

    endpoint: Endpoint

    async def _think(self, context: Any) -> JudgedReply | AgentOutput:
        run = context._run
        if isinstance(run.workflow, WorkflowLoop):
            return await super()._think(context)
        inputs, state = run.execution.inputs, run.execution.state
        assert isinstance(inputs, AgentInput)
        offer = run.workflow.offer(context, inputs, state, run.config)
        request = run.workflow.request(context, inputs, state, offer)
        reply = self._next(run, request, offer)
        status = (reply.error or "").removeprefix("http.")
        if reply.error == "model.refused":
            self.endpoint.set_next(Reply(text="I will not.", reason="refused"))
        elif status.isdecimal():
            self.endpoint.set_next(Reply(status=int(status), text="not now"))
        else:
            assert reply.error is None, reply
            said = _as_said(reply, request, run.workflow.at_work(state), len(state.before) + state.turns)
            calls = [Call(each.tool, each.args, each.id) for each in said.calls]
            self.endpoint.set_next(Reply(text=said.text, calls=calls))
            self.turns += 1
        result: JudgedReply = await run.workflow.next_reply(context, inputs, state, run.config)
        return result


def asking(script: Script, endpoint: Endpoint) -> Double:
    """Stands in for a step that asks a model: it is asked, and gives what the test has for the step."""

    async def ask(context: Any) -> Any:
        run, step_run = context._run, context._step_run
        answers = script.of(step_run.number).each
        answer = answers[min(step_run.attempt, len(answers)) - 1]
        status = (answer.error or "").removeprefix("http.")
        if answer.error is not None and not status.isdecimal():
            return await script.double(context)
        endpoint.set_next(Reply(status=int(status), text="not now") if status else answer)
        return await step_run.step.action(run, step_run, None)

    return ask


def play_over(program: Program, case: SpecTest, endpoint: Endpoint) -> tuple[str, ...]:
    """What is wrong with a test of a spec whose models answer at an endpoint."""
    given, seen = ready(program.workflow, case), Seen()
    assert program.resolved is not None
    asks = {step.name for step in program.resolved.steps if step.name in given.scripts and asks_a_model(step)}
    doubles = {
        name: asking(given.scripts[name], endpoint) if name in asks else double
        for name, double in given.doubles.items()
    }
    if given.agents is not None:
        agents = OverHttp(case.script, case.tools, case.people, case.real, is_virtual=True)
        agents.endpoint = endpoint
        given = replace(given, agents=agents)
    given = replace(given, doubles=doubles)
    run_virtually(lambda: play(given, seen, program.others), start=clock_of(case.clock))
    return outcome_of(case, given, seen).problems


def asks_a_model(step: Any) -> bool:
    return isinstance(step.action.do if isinstance(step.action, MapItems) else step.action, LlmCall)


@cache
def program_of(path: Path) -> Program:
    source = load(str(path))
    project = project_of([source])
    found = load_compiled(compiled_here(source.raw, source.path, project), project)
    assert found is not None
    return found


@pytest.mark.parametrize(("path", "shape"), list(cases()))
def test_a_spec_passes_its_tests_over_http(path: Path, shape: Shape, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = program_of(path)
    assert loaded.resolved is not None
    for secret in loaded.resolved.secrets:
        monkeypatch.setenv(secret, "a-key-for-nobody")
    monkeypatch.setattr(budget, "_price", lambda model, folder: Price(input=0.1, output=0.1))
    asked = 0
    for case in map(spec_test, loaded.resolved.tests):
        endpoint = Endpoint()
        with serving(endpoint.answer) as service, answering_at(service.url, shape, endpoint.prepare):
            problems = play_over(loaded, case, endpoint)
        assert not problems, f"{case.name}: {problems}"
        assert endpoint.given == set(endpoint.ready) or path.stem in CANCELS
        assert {each.shape for each in service.asked} <= {shape}
        asked += len(service.asked)
    assert asked
