"""Tests of a spec's own: mocks, real steps, the virtual clock, and what is said where something is wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from wfc.runtime import (
    AllOf,
    Context,
    Event,
    Fail,
    Format,
    Model,
    PythonTool,
    RetryPolicy,
    RunConfig,
    RunInfo,
    RunState,
    SettingsError,
    StartEvent,
    StepError,
    StopEvent,
    Workflow,
    step,
    transform,
)
from wfc.runtime.testing import MockAnswer, ScriptedModel, SpecTest, run_test, start_mocked
from wfc.runtime.testing.config import config_for_tests


class Begun(StartEvent, closed=True):
    text: str
    urgent: bool = False


class Again(Event, closed=True):
    pass


class Heard(Event, closed=True):
    mood: Literal["good", "bad"]


class Noted(Event, closed=True):
    at: str


class Done(StopEvent, closed=True):
    moods: list[str]
    at: str = ""


class GaveUp(StopEvent, closed=True):
    reason: str


class Config(RunConfig):
    desk_url: str


class State(RunState):
    moods: list[str] = Field(default_factory=list)


MODEL = Model("openai:gpt-4o-mini")
POLICY = RetryPolicy(max_attempts=3, delay=3600, retry_on=("http.5xx",))


class Listen(Workflow, name="listen", config=Config, deadline=86400.0, source="listen.yaml"):
    @step(retry_policy=POLICY, max_runs=3, timeout=30.0)
    async def listen(self, ctx: Context[State], event: Begun | Again) -> str:
        return await ctx.llm(MODEL, "How is it?")

    @listen.stream_before
    def before_listen(self, event: Begun | Again, config: Config) -> str:
        return f"listening at {config.desk_url}"

    @listen.then
    def after_listen(self, state: State, result: str) -> Heard | Fail | Done:
        if result == "broken":
            return Fail("it is broken")
        if result == "":
            return Done(moods=state.moods)
        state.moods = [*state.moods, result]
        return Heard(mood="good" if result == "fine" else "bad")

    @listen.on_error
    def listen_failed(self, error: StepError) -> GaveUp:
        return GaveUp(reason=f"{error.name} {error.status}")

    @listen.on_limit
    def listen_over_limit(self, state: State) -> Done:
        return Done(moods=state.moods, at="limit")

    @transform
    def loop(self, event: Heard, run: RunInfo) -> Again:
        return Again()


def mocks(*answers: object) -> dict[str, Sequence[MockAnswer]]:
    return {"listen": [one if isinstance(one, MockAnswer) else MockAnswer(one) for one in answers]}


def error(name: str) -> MockAnswer:
    return MockAnswer(error=name)


def problems_of(case: SpecTest, workflow: type[Workflow] = Listen) -> tuple[str, ...]:
    outcomes = [run_test(workflow, case) for _ in range(3)]
    assert len(set(outcomes)) == 1  # the same every time
    assert outcomes[0].passed is not bool(outcomes[0].problems)
    return outcomes[0].problems


START = {"text": "hello"}


@pytest.mark.parametrize(
    ("answers", "expect"),
    [
        (
            ["fine", "bad", ""],
            {"end": "Done", "with": {"moods": ["fine", "bad"]}, "ran": {"listen": 3, "loop": 2}},
        ),
        ([""], {"end": "Done", "emitted": ["Begun", "Done"], "never_ran": ["loop"]}),
        (
            ["fine"],
            {"end": "Done", "with": {"at": "limit"}, "ran": {"listen": 3}, "state": {"moods": ["fine"] * 3}},
        ),
        ([error("http.503")], {"end": "GaveUp", "with": {"reason": "http.503 503"}, "ran": {"listen": 1}}),
        ([error("timeout")], {"end": "GaveUp", "with": {"reason": "timeout None"}}),
        (["fine", error("python.ValueError")], {"end": "GaveUp", "ran": {"listen": 2, "loop": 1}}),
        (["broken"], {"fails": "fail"}),
        (["fine", ""], {"streamed": ["listening at https://service.invalid"] * 2}),
    ],
)
def test_mocks_answer_successive_runs(answers: list[object], expect: dict[str, Any]) -> None:
    assert problems_of(SpecTest("t", START, mocks(*answers), expect=expect)) == ()


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (
            SpecTest("t", START, expect={"end": "GaveUp"}),
            "step `listen` ran, but the test says nothing of it: mock it, or list it under `real`",
        ),
        (
            SpecTest("t", START, mocks(3)),
            "the mock of step `listen` is not what the step gives: input should be a valid string, not 3",
        ),
        (SpecTest("t", {}, mocks("")), "`start` does not fit: `text`: field required"),
        (
            SpecTest("t", {**START, "more": 1}, mocks("")),
            "`start` does not fit: `more`: extra inputs are not permitted",
        ),
        (
            SpecTest("t", START, mocks(""), clock="yesterday"),
            "`clock` is not a date with time, as in 2026-01-31T09:00:00Z: yesterday",
        ),
        (SpecTest("t", START, mocks("broken"), expect={"end": "Done"}), "the run failed: it is broken"),
        (
            SpecTest("t", START, mocks(""), expect={"end": "GaveUp", "with": {"reason": "x"}}),
            "the run ended with `Done`, not with `GaveUp`",
        ),
    ],
)
def test_what_is_wrong_is_said_in_plain_words(case: SpecTest, said: str) -> None:
    assert problems_of(case) == (said,)


class Slow(Workflow, name="slow", source="slow.yaml"):
    """Two waits of hours, a join that times out, and the clock."""

    @transform
    def begin(self, event: Begun, run: RunInfo) -> Noted:
        return Noted(at=run.now.isoformat())

    @step
    async def nap(self, ctx: Context, event: Begun) -> None:
        await asyncio.sleep(7200)

    @nap.then
    def after_nap(self) -> Heard | None:
        return None

    @transform(join=AllOf(fork=None, within=3600.0, proceed=True))
    def both(self, noted: Noted | None, heard: Heard | None, run: RunInfo) -> Done:
        return Done(moods=[], at=f"{noted.at if noted else None} {run.now.isoformat()}")


@pytest.mark.parametrize(
    ("clock", "at"),
    [
        ("2026-05-01T09:00:00Z", "2026-05-01T09:00:00+00:00 2026-05-01T10:00:00+00:00"),
        ("2026-05-01T09:00:00", "2026-05-01T09:00:00+00:00 2026-05-01T10:00:00+00:00"),
        (None, "2026-01-01T00:00:00+00:00 2026-01-01T01:00:00+00:00"),
    ],
)
def test_the_clock_starts_where_the_test_says_and_jumps(clock: str | None, at: str) -> None:
    case = SpecTest("t", START, real=["nap"], clock=clock, expect={"end": "Done", "with": {"at": at}})
    assert problems_of(case, Slow) == ()


def test_real_steps_really_act(tmp_path: Path) -> None:
    (tmp_path / "ears.py").write_text("import time\ndef hear():\n    time.sleep(0.05)\n    return 'fine'\n")
    hear: PythonTool[str] = PythonTool("ears:hear", output=str, beside=tmp_path)

    class Real(Workflow, name="real", source="real.yaml"):
        @step(timeout=20.0)
        async def hear(self, ctx: Context, event: Begun) -> str:
            return await ctx.tool(hear, {})

        @hear.then
        def after_hear(self, result: str) -> Done:
            return Done(moods=[result])

    case = SpecTest("t", START, real=["hear"], expect={"end": "Done", "with": {"moods": ["fine"]}})
    assert problems_of(case, Real) == ()


class Constrained(RunConfig):
    url: Annotated[str, Format("uri")]
    mail: Annotated[str, Field(max_length=5)]
    level: Literal["low", "high"]
    count: Annotated[int, Field(ge=1)]
    share: Annotated[float, Field(le=0.5)]
    flags: list[bool]
    chosen: str = "as declared"


def test_a_config_without_values_is_made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WFC_CHOSEN", "by the machine")
    monkeypatch.setenv("WFC_LEVEL", "high")
    made = config_for_tests(Constrained, tmp_path, real=False)
    assert (made.level, made.chosen) == ("low", "as declared")
    with pytest.raises(SettingsError, match="WFC_URL"):
        config_for_tests(Constrained, tmp_path, real=True)
    for name, text in {
        "URL": "https://desk.example",
        "MAIL": "a",
        "COUNT": "2",
        "SHARE": "0.1",
        "FLAGS": "[]",
    }.items():
        monkeypatch.setenv(f"WFC_{name}", text)
    real = config_for_tests(Constrained, tmp_path, real=True)
    assert (real.level, real.count, real.chosen) == ("high", 2, "as declared")


def test_a_run_can_be_started_with_a_tests_mocks() -> None:
    async def main() -> StopEvent:
        case = SpecTest("t", START, mocks("fine", ""))
        config = config_for_tests(Config, Path(), real=False)
        return await start_mocked(Listen, Begun(text="other"), case, config=config).stop_event_result()

    assert asyncio.run(main()) == Done(moods=["fine"])


def test_a_scripted_model_answers_a_hand_written_workflow() -> None:
    model = ScriptedModel("fine", {"moods": ["a"], "at": ""}, StepError("model.refused", "no"))

    class Own(Workflow):
        @step
        async def ask(self, ctx: Context, event: Begun) -> Done:
            text = await ctx.llm(model, f"How is {event.text}?")
            done = await ctx.llm(model, "And?", output=Done)
            with pytest.raises(StepError, match="no"):
                await ctx.llm(model, "Once more?")
            with pytest.raises(AssertionError, match="no reply left"):
                await ctx.llm(model, "And then?")
            return Done(moods=[text, *done.moods])

    async def main() -> Any:
        return await Own().run(text="it")

    assert asyncio.run(main()) == Done(moods=["fine", "a"])
    assert model.prompts[0] == "How is it?"


def test_a_plain_step_without_a_policy_asks_the_next_model_too() -> None:
    first = ScriptedModel(StepError("connection", "gone"), "never asked")
    second = ScriptedModel(StepError("http.503", "busy", also=("model",)))
    third = ScriptedModel("here")
    object.__setattr__(first, "fallback", (second, third))

    class Own(Workflow):
        @step
        async def ask(self, ctx: Context, event: Begun) -> Done:
            return Done(moods=[await ctx.llm(first, "Anybody?")])

    async def main() -> Any:
        return await Own().run(text="it")

    assert asyncio.run(main()) == Done(moods=["here"])
