"""Python functions in an agent's `tools`: what models are told of them, how they are called, and which are refused."""

from __future__ import annotations

import asyncio
import contextlib
import enum
import functools
import json
import os
import signal
import subprocess
import sys
import threading
import typing
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

import pytest
from desk_flow import (
    Answered,
    Asked,
    Found,
    Task,
    TurnModel,
    Wanted,
    call,
    calls,
    coding,
    desk,
    hand_over_to,
    in_turn,
    loop_of,
    says,
)
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from wfc.runtime import (
    Child,
    Context,
    DoneCall,
    Engine,
    ProgressText,
    QuestionAsked,
    Record,
    Resource,
    ToolContext,
    Workflow,
    pause,
    step,
)
from wfc.runtime.agents.definition import Agent, AgentTool, Approval
from wfc.runtime.agents.docstrings import documented
from wfc.runtime.calls.transcripts import OfferedTool
from wfc.runtime.errors import StepFailedError, WorkflowValidationError
from wfc.runtime.plan import Plan


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Line(BaseModel):
    number: int


class Order(BaseModel):
    """What was ordered."""

    id: str
    lines: list[Line] = []


@dataclass
class Point:
    x: int
    y: float = 0.5


class Wish(TypedDict):
    what: str
    until: NotRequired[str]


def offered(function: Any, **more: Any) -> OfferedTool:
    """What a model is told of a function."""
    return Agent("desk", None, tools=[AgentTool.of(function, **more) if more else function]).offered[0]


def told(*functions: Any, args: str = "{}") -> str:
    """What a model is told of a call of the first of these functions."""
    wanted = call(Agent("", None, tools=functions).offered[0].name, args, "a")
    model = TurnModel(in_turn(calls(wanted), says("done")))
    asyncio.run(ended(desk(Agent("desk", model, tools=functions))))
    return str(model.asked[-1].said[-1].answers[0].text)


async def ended(kind: type[Workflow], question: str = "?", **options: Any) -> str:
    return str((await kind(**options).run(question=question)).text)


def of(annotation: Any, default: Any = ...) -> Any:
    """A function with one parameter, which gives what it was given, and of which class that is."""

    def give(it):  # type: ignore[no-untyped-def]
        return {"class": type(it).__name__, "it": it}

    give.__annotations__ = {"it": annotation}
    if default is not ...:
        give.__defaults__ = (default,)
    return give


MANY = Annotated[int, Field(ge=1, description="How many.")]
TYPES: list[tuple[Any, Any, Any, str]] = [
    # the annotation, its schema, what is given, the class in which it comes
    (str, {"type": "string"}, "a", "str"),
    (int, {"type": "integer"}, 3, "int"),
    (float, {"type": "number"}, 3, "float"),
    (bool, {"type": "boolean"}, True, "bool"),
    (Any, {}, [1], "list"),
    (date, {"type": "string", "format": "date"}, "2026-01-02", "date"),
    (Decimal, {"anyOf": [{"type": "number"}, {"type": "string"}]}, "1.50", "Decimal"),
    (list[int], {"type": "array", "items": {"type": "integer"}}, [1, 2], "list"),
    (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}, {"a": 1}, "dict"),
    (dict, {"type": "object", "additionalProperties": True}, {"a": [1]}, "dict"),
    (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}, "a", "str"),
    (str | None, {"anyOf": [{"type": "string"}, {"type": "null"}]}, None, "NoneType"),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}, "b", "str"),
    (MANY, {"type": "integer", "minimum": 1, "description": "How many."}, 1, "int"),
    (Colour, {"$ref": "#/$defs/Colour"}, "red", "Colour"),
    (Order, {"$ref": "#/$defs/Order"}, {"id": "A", "lines": [{"number": 1}]}, "Order"),
    (list[Order], {"type": "array", "items": {"$ref": "#/$defs/Order"}}, [{"id": "A", "lines": []}], "list"),
    (Point, {"$ref": "#/$defs/Point"}, {"x": 1, "y": 2.0}, "Point"),
    (Wish, {"$ref": "#/$defs/Wish"}, {"what": "tea"}, "dict"),
]  # fmt: skip


@pytest.mark.parametrize(("annotation", "schema", "given", "kind"), TYPES)
def test_a_parameter_is_described_by_its_type_and_given_as_it(
    annotation: Any, schema: Any, given: Any, kind: str
) -> None:
    function = of(annotation)
    found = offered(function).schema
    assert {key: each for key, each in found["properties"]["it"].items() if key != "title"} == schema
    assert found["required"] == ["it"]
    assert found["additionalProperties"] is False
    assert json.loads(told(function, args=json.dumps({"it": given}))) == {"class": kind, "it": given}


@pytest.mark.parametrize(
    ("annotation", "given", "said"),
    [
        (int, "1", "valid integer"),
        (Annotated[int, Field(ge=1)], 0, "at least 1 wanted"),
        (Literal["a"], "b", "'a'"),
        (Colour, "green", "'red' or 'blue'"),
        (Order, {"id": "A", "lines": [{}]}, "`it.lines.0.number`: field required"),
        (list[int], ["a"], "`it.0`"),
        (Point, {}, "`it.x`: field required"),
    ],
)
def test_what_does_not_fit_is_told_and_the_function_not_called(
    annotation: Any, given: Any, said: str
) -> None:
    answer = told(of(annotation), args=json.dumps({"it": given}))
    assert said in answer
    assert answer.endswith("(agent.arguments)")


@pytest.mark.parametrize(
    ("annotation", "default", "shown", "comes"),
    [
        (int, 3, {"default": 3, "type": "integer"}, 3),
        (Colour, Colour.RED, {"default": "red", "$ref": "#/$defs/Colour"}, "red"),
        (str, None, {"default": None, "anyOf": [{"type": "string"}, {"type": "null"}]}, None),
        (int, Field(7, description="Many."), {"default": 7, "type": "integer", "description": "Many."}, 7),
        (list[int], [1], {"default": [1], "type": "array", "items": {"type": "integer"}}, [1]),
        # no default that no model could give is told, but it is the function's own business
        (int, "three", {"type": "integer"}, "three"),
        (Annotated[int, Field(ge=1)], 0, {"type": "integer", "minimum": 1}, 0),
        (float, float("inf"), {"type": "number"}, "inf"),
        (float, float("nan"), {"type": "number"}, "nan"),
        (Any, [float("nan")], {}, "[nan]"),
        (str, threading.Lock, {"type": "string"}, str(threading.Lock)),
        (list, [threading], {"type": "array", "items": {}}, str([threading])),
        (Point, Point(1), {"default": {"x": 1, "y": 0.5}, "$ref": "#/$defs/Point"}, "Point(x=1, y=0.5)"),
        (date, date(2026, 1, 2), {"default": "2026-01-02", "type": "string", "format": "date"}, "2026-01-02"),
        (
            dict[str, int],
            {},
            {"default": {}, "type": "object", "additionalProperties": {"type": "integer"}},
            {},
        ),
    ],
)
@pytest.mark.parametrize("by", ["itself", "a person allows it", "the step saves it", "both"])
def test_a_default_is_told_and_may_be_left_out(
    annotation: Any, default: Any, shown: Any, comes: Any, by: str
) -> None:
    function = of(annotation, default)
    found = offered(function).schema
    assert {key: each for key, each in found["properties"]["it"].items() if key != "title"} == shown
    assert found["required"] == []
    assert offered(function) == offered(function), "no number is unlike itself in it"
    approve = Approval(title="May it?", within=60) if by in ("a person allows it", "both") else None
    tool = AgentTool.of(told_as_text(function), approve=approve, saves=by in ("the step saves it", "both"))
    model = TurnModel(in_turn(calls(call("give", "{}", "a")), says("done")))
    assert asyncio.run(allowed_and_saved(Agent("desk", model, tools=[tool]))) == "done"
    assert json.loads(model.asked[-1].said[-1].answers[0].text)["it"] == comes


def told_as_text(function: Any) -> Any:
    """The same function, whose result is JSON: what is none is a text there."""

    @functools.wraps(function)
    def give(*args: Any, **given: Any) -> Any:
        found = function(*args, **given)
        with contextlib.suppress(ValueError, TypeError):
            json.dumps(found, allow_nan=False)
            return found
        return {"it": found["it"].value if isinstance(found["it"], Colour) else str(found["it"])}

    return give


async def allowed_and_saved(agent: Agent) -> str:
    """Let an agent work whose step saves what its tool gives, and that a person allows to do so."""
    own = loop_of(agent, "")

    class Desk(Workflow, name="desk", parts=(own,)):
        @pause
        def answer(self, event: Asked) -> Child[str]:
            return Child(own, {"prompt": event.question})

        if agent.all_tools[0].saves:

            @answer.after_call("give")
            def answer_after_give(self, state: Found, result: DoneCall[Any, Any]) -> None:
                state.found = [str(result.args.it)]

        @answer.then
        def after_answer(self, result: str, state: Found) -> Answered:
            return Answered(text=result)

    handler = Desk().run(question="?")
    async for event in handler.stream_events():
        if isinstance(event, QuestionAsked):
            default = agent.offered[0].schema["properties"]["it"].get("default", ...)
            assert json.loads(event.show or "") == ({} if default is ... else {"it": default})
            await handler.answer(event.id, {"decision": "continue"})
    return str((await handler).text)


def test_names_that_records_have_for_themselves_are_names_of_arguments_all_the_same() -> None:
    def find(json: str, copy: int, _hidden: str, model_config: str, hidden_: str) -> list[Any]:
        return [json, copy, _hidden, model_config, hidden_]

    names = ["json", "copy", "_hidden", "model_config", "hidden_"]
    assert list(offered(find).schema["properties"]) == names
    args = {"json": "a", "copy": 1, "_hidden": "b", "model_config": "c", "hidden_": "d"}
    assert json.loads(told(find, args=json.dumps(args))) == ["a", 1, "b", "c", "d"]


GOOGLE = """Find an order.

    Those of this year alone.

    Args:
        order_id: The number, as
            it stands on the bill.
        most (int, optional): How many: three at most.

    Returns:
        Where it is.

    Raises:
        KeyError: There is none.

    Note:
        Slow on Mondays.
    """
NUMPY = """Find an order.

    Those of this year alone.

    Parameters
    ----------
    order_id : str
        The number, as
        it stands on the bill.
    most : int, optional
        How many: three at most.

    Returns
    -------
    str
        Where it is.

    Note
    ----
    Slow on Mondays.
    """
REST = """
    Find an order.

    Those of this year alone.

    :param order_id: The number, as
        it stands on the bill.
    :param int most: How many: three at most.
    :type most: int
    :returns: Where it is.
    :raises KeyError: There is none.
    """
DESCRIBED = {"order_id": "The number, as it stands on the bill.", "most": "How many: three at most."}
SAID = "Find an order.\n\nThose of this year alone.\n\nReturns: Where it is."


ODD_GOOGLE = """Find.

    Args:
        order_id: The number.
        Both stand on the bill,
            or beside it.
        See the manual: page 3.

        most

    Attributes:
        size (int): Large.

    Warns:
        UserWarning: Late.

    Warnings:
        Slow on Mondays.

    Raises:
        KeyError: There is none.
        Nothing else.

    Note:
        Slow.
    """
ODD_SAID = """Find.

See the manual: page 3.

Attributes:
size: Large.

Warns:
UserWarning: Late.

Note: Slow.

Both stand on the bill,
or beside it.

most

Slow on Mondays."""
ODD_NUMPY = """Find.

    Parameters
    ----------
    order_id : str
        The number.

    Attributes
    ----------
    size : int
        Large.

    Warns
    -----
    UserWarning
        Late.

    Methods
    -------
    look()
        Looks.
    """
ODD_REST = """Find.

    :param order_id: The number.
    :var size: Large.
    :warns UserWarning: Late.
    """
DESCRIBED_ONE = {"order_id": "The number."}


@pytest.mark.parametrize(
    ("docstring", "said", "described"),
    [
        (GOOGLE, f"{SAID}\n\nNote: Slow on Mondays.", DESCRIBED),
        (NUMPY, f"{SAID}\n\nNote: Slow on Mondays.", DESCRIBED),
        (REST, SAID, DESCRIBED),
        (None, "", {}),
        ("Find: an order.", "Find: an order.", {}),
        ("Find an order.\n\n    Returns:\n        A place.", "Find an order.\n\nReturns:\n    A place.", {}),
        ("Find.\n\n    Args:\n        unknown: What is no parameter.", "Find.", {}),
        ("Args: of a debate.", "Args: of a debate.", {}),
        (ODD_GOOGLE, ODD_SAID, DESCRIBED_ONE),
        (
            ODD_NUMPY,
            "Find.\n\nAttributes:\nsize: Large.\n\nWarns:\nUserWarning: Late.\n\nFunctions:\nlook: Looks.",
            DESCRIBED_ONE,
        ),
        (ODD_REST, "Find.\n\n:warns UserWarning: Late.\n\nAttributes:\nsize: Large.", DESCRIBED_ONE),
    ],
)
def test_a_docstring_says_what_the_tool_and_its_arguments_are(
    docstring: str | None, said: str, described: dict[str, str]
) -> None:
    def find(order_id: str, most: int = 3) -> str:
        return order_id

    find.__doc__ = docstring
    found = offered(find)
    assert (found.name, found.description) == ("find", said)
    assert {
        name: each["description"]
        for name, each in found.schema["properties"].items()
        if "description" in each
    } == described


def test_an_annotation_counts_more_than_the_docstring() -> None:
    assert documented("It.\n\nArgs:\n    it: One.").parameters == {"it": "One."}
    function = of(Annotated[int, Field(description="Two.")])
    function.__doc__ = "It.\n\nArgs:\n    it: One."
    assert offered(function).schema["properties"]["it"]["description"] == "Two."


class Shop:
    """A shop."""

    def __init__(self, name: str) -> None:
        self.name = name

    def find(self, order_id: str) -> str:
        """Find an order."""
        return f"{order_id} at {self.name}"

    async def find_soon(self, order_id: str) -> str:
        """Find an order soon."""
        await asyncio.sleep(0)
        return f"{order_id} at {self.name}"

    @classmethod
    def find_anywhere(cls, order_id: str) -> str:
        """Find an order anywhere."""
        return f"{order_id} at {cls.__name__}"

    @staticmethod
    def find_nowhere(order_id: str) -> str:
        """Find no order."""
        return order_id


class Finder:
    """Finds orders."""

    def __call__(self, order_id: str) -> str:
        return f"{order_id} by an object"


class SlowFinder:
    async def __call__(self, order_id: str) -> str:
        """Find an order slowly."""
        return f"{order_id} by a slow object"


def find_in(shop: str, order_id: str) -> str:
    """Find an order in a shop."""
    return f"{order_id} in {shop}"


async def find_later(order_id: str, shop: str) -> str:
    """Find an order later."""
    return f"{order_id} later in {shop}"


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **given: Any) -> Any:
        return f"logged {function(*args, **given)}"

    return wrapper


@logged
def find_logged(order_id: str) -> str:
    """Find an order, and write it down."""
    return order_id


@pytest.mark.parametrize(
    ("function", "name", "description", "result"),
    [
        (Shop("Oslo").find, "find", "Find an order.", "A at Oslo"),
        (Shop("Oslo").find_soon, "find_soon", "Find an order soon.", "A at Oslo"),
        (Shop.find_anywhere, "find_anywhere", "Find an order anywhere.", "A at Shop"),
        (Shop.find_nowhere, "find_nowhere", "Find no order.", "A"),
        (Finder(), "Finder", "Finds orders.", "A by an object"),
        (SlowFinder(), "SlowFinder", "Find an order slowly.", "A by a slow object"),
        (functools.partial(find_in, "Oslo"), "find_in", "Find an order in a shop.", "A in Oslo"),
        (functools.partial(find_in, shop="Oslo"), "find_in", "Find an order in a shop.", "A in Oslo"),
        (functools.partial(find_later, shop="Oslo"), "find_later", "Find an order later.", "A later in Oslo"),
        (find_logged, "find_logged", "Find an order, and write it down.", "logged A"),
    ],
)
def test_all_that_can_be_called_is_a_tool(function: Any, name: str, description: str, result: str) -> None:
    found = offered(function)
    assert (found.name, found.description) == (name, description)
    assert list(found.schema["properties"]) == ["order_id"]
    assert told(function, args='{"order_id": "A"}') == result


def test_what_a_partial_binds_no_model_chooses() -> None:
    answer = told(functools.partial(find_in, shop="Oslo"), args='{"order_id": "A", "shop": "Rome"}')
    assert answer.startswith("error: the arguments of `find_in` do not fit: `shop`")


def test_local_types_are_found_by_their_names() -> None:
    class Local(BaseModel):
        number: int

    def find(it: Local, others: list[Local]) -> Local:
        return Local(number=it.number + len(others))

    assert told(find, args='{"it": {"number": 1}, "others": [{"number": 2}]}') == '{"number":2}'
    agent = replace(Agent("desk", None, tools=[find]), max_turns=3)
    assert [each.name for each in agent.offered] == ["find"]


def cancel(order: Order, at: date, by: Colour | None = None) -> str:
    return f"{order.id} at {at} by {by}"


def test_local_names_of_whoever_makes_the_agent_are_none_of_the_function() -> None:
    class Other(BaseModel):
        name: str

    Order = Other  # noqa: F841, N806
    date = "2026-01-01"  # noqa: F841
    Colour = "of the wall"  # noqa: F841, N806
    args = '{"order": {"id": "A"}, "at": "2026-01-02"}'
    assert offered(cancel).schema["$defs"]["Order"]["properties"].keys() == {"id", "lines"}
    assert told(cancel, args=args) == "A at 2026-01-02 by None"
    assert told(functools.partial(cancel, by=None), args=args) == "A at 2026-01-02 by None"


def test_a_function_made_elsewhere_has_the_names_of_there() -> None:
    def made() -> Any:
        class Order(BaseModel):
            number: int

        def find(order: Order) -> int:
            return order.number if isinstance(order, Order) else -1

        return find

    class Order(BaseModel):
        name: str

    assert told(made(), args='{"order": {"number": 3}}') == "3"
    assert told(found_as(Order), args='{"order": {"name": "A"}}') == "A"


def found_as(kind: type[BaseModel]) -> Any:
    def find(order: kind) -> str:  # type: ignore[valid-type]
        return str(getattr(kind.model_validate(order), "name", ""))

    return find


OTHER = "error: `give` returned something else than declared"


@pytest.mark.parametrize(
    ("annotation", "result", "answer"),
    [
        (str, "as it is", "as it is"),
        (Any, None, "null"),
        (Any, 3, "3"),
        (Any, {"a": [1, Decimal("1.5"), date(2026, 1, 2)]}, '{"a":[1,"1.5","2026-01-02"]}'),
        (Any, Order(id="A", lines=[Line(number=1)]), '{"id":"A","lines":[{"number":1}]}'),
        (Order, Order(id="A"), '{"id":"A","lines":[]}'),
        (list[Point], [Point(1)], '[{"x":1,"y":0.5}]'),
        (Any, Colour.RED, '"red"'),
        (Any, {1, 2}, "[1,2]"),
        (Any, timedelta(minutes=1), '"PT1M"'),
        (str, 3, f"{OTHER}: input should be a valid string, not 3 (tool.invalid_output)"),
        (Order, {"id": 1}, f"{OTHER}: `id`: input should be a valid string, not 1 (tool.invalid_output)"),
        (threading.Thread, "not held against what has no schema", "not held against what has no schema"),
    ],
)  # fmt: skip
def test_a_result_is_told_as_text_or_json_and_held_against_its_type(
    annotation: Any, result: Any, answer: str
) -> None:
    def give() -> Any:
        return result

    give.__annotations__["return"] = annotation
    assert told(give) == answer


def test_a_result_that_is_no_json_is_told() -> None:
    def give() -> Any:
        return threading.Lock()

    assert told(give).endswith("(tool.invalid_output)")


def test_what_a_function_raises_is_told() -> None:
    def give() -> str:
        raise KeyError("no such order")

    assert told(give) == "error: `give` raised KeyError: 'no such order' (python.KeyError)"


def test_a_plain_function_works_in_a_thread_and_holds_nobody_up() -> None:
    threads = []
    all_there, loop_is_free = threading.Barrier(4), threading.Event()

    def give(number: int) -> int:
        threads.append(threading.get_ident())
        all_there.wait(240)
        loop_is_free.wait(240)
        return number

    wanted = calls(*(call("give", json.dumps({"number": each}), f"{each}") for each in range(4)))
    model = TurnModel(in_turn(wanted, says("done")))
    ticks = 0

    async def main() -> None:
        nonlocal ticks
        working = asyncio.ensure_future(ended(desk(Agent("desk", model, tools=[give]))))
        while not working.done():
            await asyncio.sleep(0.01)
            ticks += 1
            if ticks > 10:
                loop_is_free.set()

    asyncio.run(main())
    assert threading.get_ident() not in threads
    assert len(set(threads)) == 4, "side by side"
    assert ticks > 10


def with_context(parameter: str) -> Any:
    name = parameter.replace(",", ":").partition(":")[0]
    scope: dict[str, Any] = {"ToolContext": ToolContext, "Annotated": Annotated}
    exec(  # noqa: S102 - the same function with another parameter
        f"def look(order_id: str, {parameter}) -> dict[str, object]:\n"
        f"    {name}.report('looking')\n"
        f"    return {name}.state\n",
        scope,
    )
    return scope["look"]


@pytest.mark.parametrize(
    "parameter",
    [
        "ctx: ToolContext",
        "context",
        "context: 'ToolContext | None' = None",
        "ctx: ToolContext, context",
        "context, ctx: ToolContext, other: ToolContext",
        "ctx: Annotated[ToolContext, 'of the run']",
        "ctx: 'Annotated[ToolContext | None, 1]'",
        "ctx: 'Annotated[ToolContext, 1] | None' = None",
    ],
)
def test_the_context_is_given_and_hidden(parameter: str) -> None:
    """It has the state of the run, not the transcript of the agent."""
    look = with_context(parameter)
    assert list(offered(look).schema["properties"]) == ["order_id"]
    model = TurnModel(in_turn(calls(call("look", '{"order_id": "A"}', "a")), says("done")))
    own = loop_of(Agent("desk", model, tools=[look]), "")

    class Desk(Workflow, name="desk", parts=(own,)):
        @pause
        def answer(self, event: Asked) -> Child[str]:
            return Child(own, {"prompt": event.question})

        @answer.then
        def after_answer(self, result: str, state: Found) -> Answered:
            return Answered(text=result)

    async def main() -> list[Any]:
        handler = Desk().run(question="?")
        found = [event async for event in handler.stream_events()]
        await handler
        return found

    events = asyncio.run(main())
    assert [event.text for event in events if isinstance(event, ProgressText)] == ["looking"]
    assert model.asked[-1].said[-1].answers[0].text == '{"found":[]}'


def test_a_state_that_nobody_has_asked_for_is_not_made_in_a_tools_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two threads could each make one, and what is changed in the one would be lost."""
    makers = []
    make = Plan.new_state

    def noted(plan: Plan) -> Any:
        makers.append(threading.get_ident())
        return make(plan)

    def look(ctx: ToolContext) -> list[Any]:
        return [len(makers), ctx.state, len(makers), threading.get_ident()]

    monkeypatch.setattr(Plan, "new_state", noted)
    before, state, after, tool = json.loads(told(look))
    assert (before, state) == (after, {})
    assert set(makers) == {threading.get_ident()}
    assert tool not in makers


def test_a_resource_is_given_and_hidden() -> None:
    def connect() -> Iterator[list[str]]:
        made.append("open")
        yield made
        made.append("closed")

    made: list[str] = []

    def look(order_id: str, db: Annotated[list[str], Resource(connect)]) -> str:
        db.append(order_id)
        return order_id

    assert list(offered(look).schema["properties"]) == ["order_id"]
    assert told(look, args='{"order_id": "A"}') == "A"
    assert made == ["open", "A", "closed"]


def no_annotation(it): ...  # type: ignore[no-untyped-def]
def stars(*those: int) -> None: ...
def more(**those: int) -> None: ...
@functools.singledispatch
def by_type(it: int) -> None: ...
def by_place(it: int, /) -> None: ...
def not_there(it: Nowhere) -> None: ...  # type: ignore[name-defined]  # noqa: F821
def within(it: list[dict[str, Nowhere]]) -> None: ...  # type: ignore[name-defined]  # noqa: F821
def no_schema(it: threading.Thread) -> None: ...
def a_function(it: Callable[[int], int]) -> None: ...
def of_a_step(it: Context[Any]) -> None: ...
def yields() -> Iterator[int]:
    yield 1


async def yields_later() -> AsyncIterator[int]:
    yield 1


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (no_annotation, ["`it`", "`no_annotation`", "no annotation"]),
        (stars, ["`those`", "`stars`", "`*those` has to go"]),
        (more, ["`those`", "`more`", "`**those` has to go"]),
        (by_type, ["`by_type`", "singledispatch"]),
        (by_place, ["`it`", "`by_place`", "positional-only"]),
        (not_there, ["`it`", "`not_there`", "`Nowhere`", "cannot be resolved"]),
        (within, ["`it`", "`within`", "cannot be resolved", "'Nowhere'"]),
        (no_schema, ["`it`", "`no_schema`", "`threading.Thread`", "no JSON Schema"]),
        (a_function, ["`it`", "`a_function`", "no JSON Schema"]),
        (of_a_step, ["`it`", "`of_a_step`", "`ToolContext`"]),
        (yields, ["`yields`", "let it return a list"]),
        (yields_later, ["`yields_later`", "let it return a list"]),
        (functools.partial(no_annotation), ["`it`", "`no_annotation`"]),
        (lambda: 1, ["a tool needs a name", "name=…"]),
        (len, ["`len`", "positional-only"]),
        (dict.get, ["`get`", "positional-only"]),
        ("find", ["`'find'`", "neither an `AgentTool` nor a function"]),
        (None, ["`None`", "neither"]),
        (Order, ["the class `Order`", "neither"]),
        (Agent("other", None), ["neither an `AgentTool` nor a function", "agent=ItsLoop"]),
        (loop_of(Agent("other", None), ""), ["the class `Loop`", "agent=ItsLoop"]),
    ],
)
def test_what_cannot_be_a_tool_is_told_when_the_agent_is_made(function: Any, said: list[str]) -> None:
    with pytest.raises(WorkflowValidationError) as caught:
        Agent("desk", None, tools=[find_later, function])
    for each in said:
        assert each in str(caught.value)
    assert "arbitrary_types_allowed" not in str(caught.value)


def test_two_tools_of_one_name_are_told_when_the_agent_is_made() -> None:
    with pytest.raises(WorkflowValidationError, match="the agent `desk` has two tools of the name `find`"):
        Agent("desk", None, tools=[Shop("Oslo").find, Shop("Rome").find])
    agent = Agent(
        "desk", None, tools=[Shop("Oslo").find, AgentTool.of(Shop("Rome").find, name="find_in_rome")]
    )
    assert [each.name for each in agent.offered] == ["find", "find_in_rome"]


def test_the_first_tool_and_those_who_go_on_have_to_be_there() -> None:
    with pytest.raises(WorkflowValidationError, match="the agent `desk` has no tool `find` to be the first"):
        Agent("desk", None, tools=[find_in], first_tool="find")
    first = Agent("first", None, tools=[hand_over_to("second")])
    second = Agent("second", None, tools=[hand_over_to("third")], args=Task)
    with pytest.raises(
        WorkflowValidationError, match="`first` may hand over to `second`, which is not in the loop's `team`"
    ):
        loop_of(first, "")
    with pytest.raises(WorkflowValidationError, match="`second` may hand over to `third`"):
        loop_of(first, "", team=[second])


def test_a_function_has_what_other_tools_have() -> None:
    tool = AgentTool.of(find_later, name="find", description="Finds.", bound=["shop"], timeout=3, final=True)
    assert (tool.name, tool.description, tool.timeout, tool.final) == ("find", "Finds.", 3, True)
    assert list(tool.schema()["properties"]) == ["order_id"]
    with pytest.raises(WorkflowValidationError, match="`find_later` has no argument `shops`"):
        AgentTool.of(find_later, bound=["shops"])


def test_a_final_function_answers_and_its_time_is_bounded() -> None:
    async def forever() -> str:
        """Never ends."""
        await asyncio.Event().wait()
        return ""

    model = TurnModel(
        in_turn(
            calls(call("forever", "{}", "a")),
            calls(call("find_in", '{"shop": "Oslo", "order_id": "A"}', "b")),
        )
    )
    tools = [AgentTool.of(forever, timeout=0.05), AgentTool.of(find_in, final=True)]
    assert asyncio.run(ended(desk(Agent("desk", model, tools=tools)))) == "A in Oslo"
    assert "`forever` took longer than 50 ms (timeout)" in model.asked[1].said[-1].answers[0].text


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ({"decision": "continue"}, "A in Oslo"),
        ({"decision": "change", "args": {"shop": "Rome"}}, "A in Rome"),
        ({"decision": "refuse", "note": "not there"}, "refused: not there"),
    ],
)
@pytest.mark.parametrize("by", ["an approval", "a function", "the step"])
def test_a_person_allows_calls_of_a_function(answer: Mapping[str, Any], result: str, by: str) -> None:
    asked = Approval(title="May it?", within=60)
    approve: Any = {
        "an approval": asked,
        "a function": lambda own, config, args: asked if args.shop else None,
    }
    tool = AgentTool.of(find_in, approve=approve.get(by))
    wanted = call("find_in", '{"shop": "Oslo", "order_id": "A"}', "a")
    model = TurnModel(in_turn(calls(wanted), says("done")))
    own = loop_of(Agent("desk", model, tools=[tool]), "")

    class Desk(Workflow, name="desk", parts=(own,)):
        @pause
        def answer(self, event: Asked) -> Child[str]:
            return Child(own, {"prompt": event.question})

        if by == "the step":

            @answer.approve("find_in")
            def approve_find_in(self, result: Any) -> Approval:
                return asked

        @answer.then
        def after_answer(self, result: str) -> Answered:
            return Answered(text=result)

    async def main() -> None:
        handler = Desk().run(question="?")
        async for event in handler.stream_events():
            if isinstance(event, QuestionAsked):
                assert event.title == "May it?"
                assert json.loads(event.show or "") == {"shop": "Oslo", "order_id": "A"}
                await handler.answer(event.id, answer)
        await handler

    asyncio.run(main())
    assert model.asked[-1].said[-1].answers[0].text.endswith(result)


def find_order(order_id: str) -> Order:
    """Find an order."""
    return Order(id=order_id)


class Numbered(Record):
    order_id: str


@pytest.mark.parametrize("kind", ["a function", "an agent", "a workflow"])
@pytest.mark.parametrize(
    ("saves", "word", "name", "said"),
    [
        (True, "after_call", "find", ""),
        (False, "after_call", "find", "so the tool needs `saves=True`"),
        (True, "after_call", "fnd", "`fnd`, and the agent `desk` has no such tool; there are `find`"),
        (True, "approve", "fnd", "`fnd`, and the agent `desk` has no such tool; there are `find`"),
        (True, "offer", "fnd", "`fnd`, and the agent `desk` has no such tool; there are `find`"),
    ],
)
def test_a_step_saves_what_a_tool_gives(kind: str, saves: bool, word: str, name: str, said: str) -> None:
    engine = Engine()
    parts: list[Any] = []
    if kind == "a function":
        tool = AgentTool.of(find_order, name="find", saves=saves)
    elif kind == "an agent":
        clerk = Agent("clerk", TurnModel(in_turn(says("A"))), args=Numbered)
        parts.append(loop_of(clerk, ".clerk"))
        tool = AgentTool("find", None, Numbered, agent=parts[0], saves=saves, output=str)
    else:

        class Finding(Workflow, name="finding"):
            @step
            async def find(self, event: Wanted) -> Answered:
                return Answered(text=event.order_id)

        engine.add(Finding)
        tool = AgentTool("find", None, Numbered, workflow="finding", saves=saves, output=Answered)
    model = TurnModel(in_turn(calls(call("find", '{"order_id": "A"}', "a")), says("done")))
    own = loop_of(Agent("desk", model, tools=[tool]), "")

    class Desk(Workflow, name="desk", parts=(own, *parts)):
        @pause
        def answer(self, event: Asked) -> Child[str]:
            return Child(own, {"prompt": event.question})

        if word == "after_call":

            @answer.after_call(name)
            def answer_after_find(self, state: Found, result: DoneCall[Any, Any]) -> None:
                state.found = [result.args.order_id]

        else:

            @getattr(answer, word)(name)  # type: ignore[untyped-decorator]
            def answer_about_find(self) -> None:
                return None

        @answer.then
        def after_answer(self, result: str, state: Found) -> Answered:
            return Answered(text=state.found[0])

    if not said:
        assert asyncio.run(ended(Desk, engine=engine)) == "A"
        return
    with pytest.raises(StepFailedError) as caught:
        asyncio.run(ended(Desk, engine=engine))
    assert said in str(caught.value)
    assert not model.asked, "no model is paid before"


def test_a_step_may_call_agents_with_different_tools() -> None:
    def loop(name: str, tool: str) -> Any:
        replies = calls(call(tool, '{"order_id": "A"}', "a")), says("done")
        tools = [AgentTool.of(find_order, name=tool, saves=True)]
        return loop_of(Agent(name, TurnModel(in_turn(*replies)), tools=tools), f".{name}")

    first, second = loop("first", "find"), loop("second", "look")

    class Desk(Workflow, name="desk", parts=(first, second)):
        @pause
        def answer(self, event: Asked) -> Child[str]:
            return Child(first if event.question == "first" else second, {"prompt": event.question})

        @answer.after_call("find")
        def answer_after_find(self, state: Found, result: DoneCall[Any, Order]) -> None:
            state.found = [*state.found, f"found {result.result.id}"]

        @answer.after_call("look")
        def answer_after_look(self, state: Found, result: DoneCall[Any, Order]) -> None:
            state.found = [*state.found, f"looked at {result.result.id}"]

        @answer.then
        def after_answer(self, result: str, state: Found) -> Answered:
            return Answered(text=str(state.found))

    assert asyncio.run(ended(Desk, "first")) == "['found A']"
    assert asyncio.run(ended(Desk, "second")) == "['looked at A']"


def test_a_tool_of_the_same_name_need_not_save_after_a_hand_over() -> None:
    """The step says it of the agent that it has called."""
    second = Agent(
        "second",
        TurnModel(in_turn(calls(call("find", '{"order_id": "B"}', "b")), says("done"))),
        tools=[AgentTool.of(find_order, name="find")],
        args=Task,
    )
    found, over = call("find", '{"order_id": "A"}', "a"), call("hand_over_to_second", '{"task": "it"}', "o")
    own_tools = [AgentTool.of(find_order, name="find", saves=True), hand_over_to("second")]
    model = TurnModel(in_turn(calls(found), calls(over)))
    own = loop_of(Agent("desk", model, tools=own_tools), "", team=[second])

    class Desk(Workflow, name="desk", parts=(own,)):
        @pause
        def answer(self, event: Asked) -> Child[str]:
            return Child(own, {"prompt": event.question})

        @answer.after_call("find")
        def answer_after_find(self, state: Found, result: DoneCall[Any, Order]) -> None:
            state.found = [*state.found, result.result.id]

        @answer.then
        def after_answer(self, result: str, state: Found) -> Answered:
            return Answered(text=f"{result} {state.found}")

    assert asyncio.run(ended(Desk)) == "done ['A']"


def test_what_only_another_agent_of_the_team_has_is_not_saved() -> None:
    """The step says it of the agent that it has called, and of `look` only where that one has it."""
    look = AgentTool.of(find_order, name="look", saves=True)
    replies = calls(call("look", '{"order_id": "B"}', "b")), says("done")
    second = Agent("second", TurnModel(in_turn(*replies)), tools=[look], args=Task)
    over = call("hand_over_to_second", '{"task": "it"}', "o")
    first = Agent("desk", TurnModel(in_turn(calls(over))), tools=[hand_over_to("second")])
    own = loop_of(first, "", team=[second])
    other = loop_of(Agent("other", None, tools=[look]), ".other")

    class Desk(Workflow, name="desk", parts=(own, other)):
        @pause
        def answer(self, event: Asked) -> Child[str]:
            return Child(own, {"prompt": event.question})

        @answer.after_call("look")
        def answer_after_look(self, state: Found, result: DoneCall[Any, Order]) -> None:
            state.found = [*state.found, result.result.id]

        @answer.then
        def after_answer(self, result: str, state: Found) -> Answered:
            return Answered(text=f"{result} {state.found}")

    assert asyncio.run(ended(Desk)) == "done []"


def test_code_calls_functions() -> None:
    code = json.dumps({"code": "print(await find_in(shop='Oslo', order_id='A'))"})
    model = TurnModel(in_turn(calls(call("run_python", code, "c")), says("done")))
    asyncio.run(ended(coding(Agent("desk", model, tools=[find_in], style="code"))))
    assert "A in Oslo" in model.asked[-1].said[-1].answers[0].text


def in_a_process(crash_at: int, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "WFC_CRASH_AT": f"commit:{crash_at}" if crash_at else ""}
    flow = Path(__file__).with_name("desk_flow.py")
    program = [
        sys.executable,
        str(flow),
        "functions",
        f"sqlite:///{folder / 'runs.db'}",
        str(folder / "log"),
        "r",
    ]
    return subprocess.run(program, capture_output=True, text=True, env=environment, timeout=120, check=False)


@pytest.mark.parametrize(
    "commit", [4, *(pytest.param(each, marks=pytest.mark.full) for each in (1, 2, 3, 5, 6, 7, 8, 9))]
)
def test_a_process_that_is_killed_makes_no_recorded_call_of_a_function_again(
    commit: int, tmp_path: Path
) -> None:
    died = in_a_process(commit, tmp_path).returncode == -signal.SIGKILL
    last = in_a_process(0, tmp_path)
    assert died or "is over" in last.stderr
    if died:
        assert last.stdout == "A is here, B is here, C is here\n", last.stderr
    made = (tmp_path / "log").read_text().split("\n")[:-1]
    assert set(made) == {"think 1", "find A", "find B", "think 2", "find C", "think 3"}
    assert len(made) <= 6 + died


def test_moments_and_unions_by_their_old_names() -> None:
    """What older programs write."""

    def find(at: typing.Optional[datetime] = None, kinds: typing.List[str] = []) -> str:  # noqa: B006, UP006, UP045
        return f"{at and at.astimezone(UTC).isoformat()} {kinds}"

    assert (
        told(find, args='{"at": "2026-01-02T03:04:05Z", "kinds": ["a"]}') == "2026-01-02T03:04:05+00:00 ['a']"
    )
    assert told(find) == "None []"
