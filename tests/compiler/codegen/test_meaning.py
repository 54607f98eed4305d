"""What generated code does, by calling it: the order of saves and emissions, absent events, bounds."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pydantic import ValidationError

from wfc.compiler.passes import compile_text
from wfc.runtime import All, ExpressionError, Fail

FOLDER = Path(__file__).parent / "golden"


def load(name: str) -> ModuleType:
    spec = FOLDER / f"{name}.yaml"
    text = compile_text(spec.read_bytes(), spec.name, source=spec.name).python
    module = ModuleType(f"golden_{name}")
    module.__dict__["__file__"] = str(FOLDER / f"{name}_workflow.py")
    sys.modules[module.__name__] = module
    exec(compile(text, f"{name}_workflow.py", "exec"), module.__dict__)  # noqa: S102
    return module


@pytest.fixture(scope="module")
def tails() -> Iterator[ModuleType]:
    return load("tails")


def fields(event: Any) -> dict[str, Any]:
    data: dict[str, Any] = event.model_dump(by_alias=True)
    return data


def test_saves_see_the_state_as_it_was_and_emissions_as_saved(tails: ModuleType) -> None:
    state = tails.State(total=1, other=2)
    event = tails.Started(items=["a", "b"], level="high")
    emitted = tails.Tails.begin(None, event, state)
    assert (state.total, state.other) == (2, 2)  # swapped, and one more
    assert isinstance(emitted, All)
    assert [fields(each) for each in emitted.events] == [
        {"left": 2, "shared": "left"},
        {"right": None, "shared": "high"},
        {"late": "a"},
    ]


def test_an_entrys_own_save_comes_last_and_is_not_seen_by_what_it_emits(tails: ModuleType) -> None:
    state = tails.State(share=2.5, total=4)
    emitted = tails.Tails.sort(None, tails.Item(text="", total=1), state)
    assert emitted.why == "empty, the 3.5th"
    assert (state.share, state.total) == (0, 5)
    emitted = tails.Tails.sort(None, tails.Item(text="x", total=4), state)
    assert fields(emitted) == {"line": {"text": "x", "level": "low"}}
    assert (state.share, state.last) == (4, tails.Line(text="x", level="low"))
    assert tails.Tails.sort(None, tails.Item(text="x", total=-4), state) is None
    assert state.share == 0


def test_a_value_out_of_bounds_leaves_the_state_alone(tails: ModuleType) -> None:
    state = tails.State(count=100)
    with pytest.raises((ExpressionError, ValidationError)):
        tails.Tails.join(None, tails.Left(left=1, shared="x"), tails.Right(shared="x"), state)
    assert (state.count, state.phase) == (100, "begun")


def test_a_mistake_in_an_emission_leaves_the_state_alone(tails: ModuleType) -> None:
    state = tails.State()
    with pytest.raises((ExpressionError, ValidationError)):
        tails.Tails.begin(None, tails.Started.model_construct(items=[1], level="low"), state)
    assert state == tails.State()


@pytest.mark.parametrize(
    ("left", "late", "emitted", "text"),
    [(None, None, None, "late"), (4, None, 4, "late"), (3, "now", None, "now"), (4, "now", 4, "now")],
)
def test_absent_events_are_null(
    tails: ModuleType, left: int | None, late: str | None, emitted: int | None, text: str
) -> None:
    state = tails.State()
    found = tails.Tails.join_in_time(
        None,
        None if left is None else tails.Left(left=left, shared="x"),
        None if late is None else tails.Late(late=late),
        state,
    )
    assert (None if found is None else found.total) == emitted
    assert state.last == tails.Line(text=text, level="high")


def test_the_first_entry_that_matches_is_taken(tails: ModuleType) -> None:
    left, right = tails.Left(left=1, shared="l"), tails.Right(right=2, shared="r")
    assert tails.Tails.join_first(None, left, None).what == "l"
    assert tails.Tails.join_first(None, None, right).what == "right 2"
    assert tails.Tails.join_first_timed_out(None) is None


def test_a_batch_is_bounded(tails: ModuleType) -> None:
    state = tails.State(words=["w"] * 50)
    assert len(tails.Tails.send_out(None, tails.Joined(total=3), state)) == 50
    state = tails.State(words=["w"] * 51)
    with pytest.raises(ExpressionError):
        tails.Tails.send_out(None, tails.Joined(total=3), state)


def test_a_run_may_fail_by_its_own_words(tails: ModuleType) -> None:
    inputs = tails.Started(items=["a", "b"], level="low")
    found = tails.Tails.collect(None, [], inputs, tails.State())
    assert isinstance(found, Fail)
    assert found.text == "There was nothing among 2 items."


def test_requests_are_as_written() -> None:
    calls = load("calls")
    seen: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    class Context:
        async def http(self, *args: Any, **kwargs: Any) -> Any:
            seen.append((args, kwargs))

    config = calls.Config(desk_url="https://desk.example", llm_url="https://llm.example")
    inputs = calls.Asked(question="Why?", tags=["a"])
    info = calls.RunInfo(id="a/b", attempt=1, now=datetime(2024, 1, 1, tzinfo=UTC))
    workflow: Any = calls.Calls
    asyncio.run(workflow.ask_desk(None, Context(), calls.Sorted(kind="hard"), inputs, config, info))
    asyncio.run(calls.weather(Context(), config, city="St. John's/Nfld"))
    (method, url), options = seen[0]
    assert (method, url) == ("PUT", "https://desk.example/questions/a%2Fb?kind=hard")
    assert options["query"] == {"deep": False, "lang": None, "tags": ["a"], "most": 3}
    assert options["auth"] == calls.Basic("wfc", calls.Secret("DESK_PASSWORD"))
    assert options["body"]["tags"] == ["all", "a"]
    (method, url), options = seen[1]
    assert url == "https://weather.example/St.%20John%27s%2FNfld/now"
    assert options["body"] == {"unit": "celsius", "days": 1}
    assert options["headers"] == {"X-Key": calls.Secret("DESK_TOKEN"), "X-User": "wfc"}


def test_prompts_render_as_their_author_sees_them() -> None:
    calls = load("calls")
    inputs = calls.Asked(question="Why?", tags=["one", "two"])
    assert calls.answer_prompt(calls.Drafted(answer="Because"), inputs).splitlines() == [
        "Answer the question, with these rules:",
        "1. Mention “one”.",
        "2. Mention “two” at last.",
        "Be short.",
        "",
        'Draft: {"text": "Because"}',
    ]


def test_models_that_need_the_config_are_functions_of_it() -> None:
    calls = load("calls")
    config = calls.Config(desk_url="https://desk.example", llm_url="https://llm.example")
    model = calls.fast(config)
    assert model.base_url == "https://llm.example/v1"
    assert list(model.fallback) == [calls.SLOW, calls.LOCAL]


def test_types_come_back_from_json() -> None:
    types = load("all_types")
    given = types.Given(
        text="t",
        anything={"x": [1]},
        inner=types.GivenInner(city="c", streets=[]),
        tree=types.Node(name="root", children=[types.Node(name="leaf")]),
        pair=types.Pair(left=types.Left(), right=types.Right(value=3)),
    )
    assert types.Given.model_validate_json(given.model_dump_json(by_alias=True)) == given
    assert types.Given.model_json_schema()["properties"]["count"]["minimum"] == -5
    with pytest.raises(ValidationError):
        types.Given.model_validate({**fields(given), "mail": "no mail"})
    with pytest.raises(ValidationError):
        types.Money(amount=types.Decimal("-1"))
    with pytest.raises(ValidationError):
        types.Money(amount=types.Decimal(1), currency="euro")


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.yaml")))
def test_every_golden_module_is_a_sound_workflow_to_the_runtime(name: str) -> None:
    module = load(name)
    (workflow,) = (
        each
        for each in vars(module).values()
        if isinstance(each, type)
        and each.__module__ == module.__name__
        and "Workflow" in each.__mro__[1].__name__
    )
    workflow().validate()


def test_a_generated_workflow_runs() -> None:
    minimal = load("minimal")

    async def run() -> Any:
        return await minimal.Greet().run(name="Ada")

    assert asyncio.run(run()) == minimal.Greeted(text="Hello Ada")


STEPS_OF_ANY_NAME = """\
wfc: 1
workflow: {name}
start: Asked
end: Answered
events:
  Asked: {{text: string}}
  Answered: {{text: string}}
steps:
  {name}:
    kind: transform
    accepts: Asked
    emit: {{event: Answered, with: {{text: "${{{{ event.text }}}}!"}}}}
"""


@pytest.mark.parametrize("name", ["part", "prepare", "read_config", "steps", "table", "validate", "timeout"])
def test_a_step_may_have_a_name_that_the_runtime_uses(name: str) -> None:
    text = compile_text(STEPS_OF_ANY_NAME.format(name=name).encode(), "any.yaml", source="any.yaml").python
    module = ModuleType(f"any_{name}")
    sys.modules[module.__name__] = module
    exec(compile(text, "any_workflow.py", "exec"), module.__dict__)  # noqa: S102
    own = (value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__)
    workflow = next(value for value in own if hasattr(value, "run"))

    async def main() -> Any:
        return await workflow().run(text="hello")

    assert asyncio.run(main()).text == "hello!"
    assert (f"async def {name}(" in text or f"def {name}(" in text) is (name not in {"validate", "timeout"})
