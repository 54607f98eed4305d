"""Changes of workflows, each with what it means for a run that rests under the old version."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple

from version_flows import ASKING, EACH, FORKING, LEAVING, LOOPING, PARTS, VOTING, WAITING
from waiting import until

from wfc.runtime import Engine
from wfc.runtime.driver.messages import EventData

Then = Callable[[Engine], Awaitable[object]]


async def answer(engine: Engine, **more: object) -> None:
    for task in engine.tasks():
        await until(partial(engine.run, task.run_id))  # a part goes on after the run above it
        await engine.answer(task.task_id, {"ok": True, **more}, by="user:ann")


async def answer_and_say_why(engine: Engine) -> None:
    await answer(engine, why="so")


async def refuse(engine: Engine) -> None:
    """Answers so that it is asked once more, and waits for that."""
    (task,) = engine.tasks()
    await engine.answer(task.task_id, {"ok": False}, by="user:ann")
    await until(lambda: {one.task_id for one in engine.tasks()} - {task.task_id})


async def vote(engine: Engine) -> None:
    await engine.answer(engine.tasks()[0].task_id, {"ok": True}, by="user:bob")


async def vote_too(engine: Engine) -> None:
    await answer(engine)


async def cancel(engine: Engine) -> None:
    """Cancels a run, and waits until it asks on its way out."""
    run = engine.run("one")
    assert run is not None
    run.cancel("not wanted")
    await until(lambda: "undo" in {task.step for task in engine.tasks()})


def post(name: str, **fields: object) -> Then:
    async def then(engine: Engine) -> None:
        await engine.post("one", EventData(name, fields))

    return then


def answer_and_post(name: str, **fields: object) -> Then:
    async def then(engine: Engine) -> None:
        await answer(engine)
        await post(name, **fields)(engine)

    return then


def converts(of: str, field: str, gives: str, value: str, kind: str = "int") -> str:
    """Returns the method that converts a field to another one, and the record of what was."""
    return f"""\
    class Before{of.title()}(Record):
        {field}: {kind}

    @run_migration("{of}", gives=("{gives}",))
    def convert_{of.lower()}(self, old: Before{of.title()}) -> dict[str, object]:
        return {{"{gives}": {value}}}
"""


class Case(NamedTuple):
    """A change of a workflow, and what it means for a run that rests under the old version.

    Args:
        old: The text of that version.
        change: What is written in place of what, for the new one; the first of a pair must be there.
        rules: The verdicts: the ids of the rules, with what they mean.
        said: What the run says in the end under the new version; ``None``: it is refused.
        then: What people do when it goes on.
        before: What they have done under the old version.
    """

    old: str
    change: tuple[tuple[str, str], ...]
    rules: dict[str, str]
    said: str | None = None
    then: Then = answer
    before: Then | None = None


def swap(text: str, first: str, second: str) -> tuple[tuple[str, str], ...]:
    """Returns the change that exchanges two pieces of a text."""
    return (first, "<1>"), (second, first), ("<1>", second)


def pieces(text: str, *begins: str) -> tuple[str, ...]:
    """Returns the pieces of a class between lines that begin so."""
    at = [text.index(one) for one in begins]
    return tuple(text[a:b] for a, b in zip(at, [*at[1:], len(text)], strict=True))


FIRST, ASK = pieces(ASKING, "    @transform\n    def first", "    @pause\n    def ask")
WAITING_TWICE = WAITING.replace(
    "    @transform\n    def first(self, ev: Go) -> Wanted:",
    """    @pause
    def ask(self, ev: Go) -> Question[Form]:
        return Question(Form, title="all right?")

    @ask.then
    def first(self, ev: Go, result: Form) -> Wanted:""",
).replace("class Flow", "class Form(Record):\n    ok: bool\n\nclass Flow")
LATER = "\n    @transform\n    def later(self, ev: Later) -> End:\n        return End(said='later')\n"
EVENT = "class State(RunState)"
RENAMED = (
    ("def ask(", "def want("),
    ("@ask.then", "@want.then"),
    ("Asked", "Wanted"),
    ('name="flow"', 'name="flow", moved={"ask": "want", "Asked": "Wanted"}'),
)

LINES = ASKING.replace(EVENT, "class Line(Record):\n    price: float\n\n" + EVENT)
for _was, _now in (
    ("    sum: int = 0", "    lines: list[Line] = []"),
    ("state.sum = 7", "state.lines = [Line(price=2.5)]"),
    ("{state.sum}", "{sum(one.price for one in state.lines)}"),
):
    LINES = LINES.replace(_was, _now)
WAS = """\
class Was(Record):
    price: float

class Before(Record):
    lines: list[Was]

class Flow"""
OF_LINES = """\
    @run_migration("state", gives=("lines",))
    def convert(self, old: Before) -> dict[str, object]:
        return {"lines": [Line(cents=round(100 * one.price)) for one in old.lines]}

    @pause"""

PAUSED: dict[str, Case] = {
    # what goes on as if nothing had happened
    "order of steps": Case(ASKING, ((FIRST + ASK, f"{ASK}\n{FIRST}"),), {}, "1 7 True"),
    "words and what steps do": Case(
        ASKING, (("all right?", "really?"), ("{ev.n} {", "# {ev.n} {")), {}, "# 1 7 True"
    ),
    "a step and an event more": Case(
        ASKING,
        (
            (EVENT, f"class Later(ClosedFields, Event):\n    n: int\n\n{EVENT}"),
            (ASK, ASK + LATER),
            (
                "def asked(self, ev: Asked, result: Form, state: State) -> End:",
                "def asked(self, ev: Asked, result: Form, state: State) -> End | Later:",
            ),
        ),
        {},
        "1 7 True",
    ),
    "a step is gone where the run has been": Case(
        ASKING,
        (("def first(self, ev: Go, state: State)", "def begin(self, ev: Go, state: State)"),),
        {},
        "1 7 True",
    ),
    "an event is widened": Case(
        ASKING,
        (
            (
                "class Asked(ClosedFields, Event):\n    n: int",
                "class Asked(ClosedFields, Event):\n    n: int | str",
            ),
        ),
        {},
        "1 7 True",
    ),
    # steps
    "a step is gone": Case(ASKING, (("ask(", "want("), ("@ask.", "@want.")), {"step-removed": "refused"}),
    "a step has moved": Case(
        ASKING,
        (
            ("def ask(", "def want("),
            ("@ask.then", "@want.then"),
            ('name="flow"', 'name="flow", moved={"ask": "want"}'),
        ),
        {"step-renamed": "migrated"},
        "1 7 True",
    ),
    "step and event have moved": Case(
        ASKING, RENAMED, {"step-renamed": "migrated", "event-renamed": "migrated"}, "1 7 True"
    ),
    "a step accepts another event": Case(
        ASKING,
        (
            (EVENT, f"class Other(ClosedFields, Event):\n    n: int\n\n{EVENT}"),
            ("def ask(self, ev: Asked)", "def ask(self, ev: Other)"),
            ("def asked(self, ev: Asked,", "def asked(self, ev: Other,"),
            (ASK[:0] + "-> Asked:", "-> Asked | Other:"),
        ),
        {"step-no-longer-accepts": "refused"},
    ),
    "a step accepts one event more": Case(
        ASKING,
        (
            (EVENT, f"class Other(ClosedFields, Event):\n    n: int\n\n{EVENT}"),
            ("def ask(self, ev: Asked)", "def ask(self, ev: Asked | Other)"),
            ("def asked(self, ev: Asked,", "def asked(self, ev: Asked | Other,"),
            ("-> Asked:", "-> Asked | Other:"),
        ),
        {},
        "1 7 True",
    ),
    # events
    "an event is gone": Case(ASKING, (("Asked", "Wanted"),), {"event-removed": "refused"}),
    "a field has a new type": Case(
        ASKING,
        (
            (
                "class Asked(ClosedFields, Event):\n    n: int",
                "class Asked(ClosedFields, Event):\n    n: str",
            ),
            ("Asked(n=ev.n)", "Asked(n=str(ev.n))"),
        ),
        {"event-field-retyped": "refused"},
    ),
    "a field has narrower bounds": Case(
        ASKING,
        (
            (
                "class Asked(ClosedFields, Event):\n    n: int",
                "class Asked(ClosedFields, Event):\n    n: Annotated[int, Field(ge=1)]",
            ),
        ),
        {"event-field-retyped": "refused"},
    ),
    "a field is gone": Case(
        ASKING,
        (
            ("Event):\n    n: int", "Event):\n    m: int = 5"),
            ("Asked(n=ev.n)", "Asked(m=ev.n)"),
            ("{ev.n} {", "{ev.m} {"),
        ),
        {"event-field-removed": "refused", "event-field-added": "migrated"},
    ),
    "a field has moved": Case(
        ASKING,
        (
            ("Event):\n    n: int", "Event):\n    m: int = 5"),
            ("Asked(n=ev.n)", "Asked(m=ev.n)"),
            ("{ev.n} {", "{ev.m} {"),
            ('name="flow"', 'name="flow", moved={"Asked.n": "m"}'),
        ),
        {"event-field-renamed": "migrated"},
        "1 7 True",
    ),
    "a field may be lost": Case(
        ASKING,
        (
            ("Event):\n    n: int", "Event):\n    m: int = 5"),
            ("Asked(n=ev.n)", "Asked(m=ev.n)"),
            ("{ev.n} {", "{ev.m} {"),
            ('name="flow"', 'name="flow", removed=("Asked.n",)'),
        ),
        {"event-field-removed": "migrated", "event-field-added": "migrated"},
        "5 7 True",
    ),
    "a field is new": Case(
        ASKING,
        (("Event):\n    n: int", "Event):\n    n: int\n    m: int"), ("n=ev.n", "n=ev.n, m=2")),
        {"event-field-added": "refused"},
    ),
    "a field is new with a default": Case(
        ASKING,
        (("Event):\n    n: int", "Event):\n    n: int\n    m: int = 3"), ("{ev.n} {", "{ev.m} {")),
        {"event-field-added": "migrated"},
        "3 7 True",
    ),
    "an input is new": Case(
        ASKING,
        (
            (
                "class Asked",
                "class Go(ClosedFields, StartEvent):\n    n: int = 1\n    who: str\n\nclass Asked",
            ),
        ),
        {"start-event-field-added": "refused"},
    ),
    # the state
    "a field of the state is gone": Case(
        ASKING,
        (("    sum: int = 0", "    total: int = 0"), ("state.sum", "state.total")),
        {"state-field-removed": "refused", "state-field-added": "migrated"},
    ),
    "a field of the state has moved": Case(
        ASKING,
        (
            ("    sum: int = 0", "    total: int = 0"),
            ("state.sum", "state.total"),
            ('name="flow"', 'name="flow", moved={"state.sum": "total"}'),
        ),
        {"state-field-renamed": "migrated"},
        "1 7 True",
    ),
    "a field of the state is converted": Case(
        ASKING,
        (
            ("    sum: int = 0", "    sum: str = ''"),
            ("state.sum = 7", "state.sum = '7'"),
            ("    @pause", f"{converts('state', 'sum', 'sum', 'str(old.sum * 2)')}\n    @pause"),
        ),
        {"state-field-converted": "migrated"},
        "1 14 True",
        answer,
    ),
    "a field of the state is converted to one of another name": Case(
        ASKING,
        (
            ("    sum: int = 0", "    total: float = 0"),
            ("state.sum = 7", "state.total = 7"),
            ("{state.sum}", "{state.total}"),
            ("    @pause", f"{converts('state', 'sum', 'total', 'old.sum / 2')}\n    @pause"),
        ),
        {"state-field-converted": "migrated"},
        "1 3.5 True",
        answer,
    ),
    "an event and what the run began with are converted, under other names": Case(
        ASKING,
        (
            ("class Asked(ClosedFields, Event):\n    n: int", "class Put(ClosedFields, Event):\n    n: str"),
            ("-> Asked", "-> Put"),
            ("ev: Asked) -> Question", "ev: Put) -> Question"),
            ("ev: Asked, result", "ev: Put, result"),
            ("return Asked(n=ev.n)", "return Put(n=str(ev.n))"),
            ("    @pause", f"{converts('Put', 'n', 'n', 'chr(64 + old.n)')}\n    @pause"),
            ('name="flow"', 'name="flow", moved={"Asked": "Put"}'),
        ),
        {"event-renamed": "migrated", "event-field-converted": "migrated"},
        "A 7 True",
        answer,
    ),
    "a conversion is of another type": Case(
        ASKING,
        (
            ("    sum: int = 0", "    total: int = 0"),
            ("state.sum = 7", "state.total = 7"),
            ("{state.sum}", "{state.total}"),
            ("    @pause", f"{converts('state', 'sum', 'total', 'len(old.sum)', 'str')}\n    @pause"),
        ),
        {"state-field-removed": "refused", "state-field-added": "migrated"},
    ),
    "nothing can be made of what the run has": Case(
        ASKING,
        (
            ("    sum: int = 0", "    total: float = 0"),
            ("state.sum = 7", "state.total = 7"),
            ("{state.sum}", "{state.total}"),
            ("    @pause", f"{converts('state', 'sum', 'total', '1 / (old.sum - 7)')}\n    @pause"),
        ),
        {"state-field-converted": "migrated", "value-does-not-fit": "refused"},
    ),
    "a field that a conversion does not take is gone": Case(
        ASKING.replace("    sum: int = 0", "    sum: int = 0\n    more: int = 9"),
        (
            ("    sum: int = 0\n    more: int = 9", "    total: int = 0"),
            ("state.sum = 7", "state.total = 7"),
            ("{state.sum}", "{state.total}"),
            ("    @pause", f"{converts('state', 'sum', 'total', 'old.sum')}\n    @pause"),
        ),
        {"state-field-converted": "migrated", "state-field-removed": "refused"},
    ),
    "what is made of what the run has is out of bounds": Case(
        ASKING,
        (
            ("    sum: int = 0", "    total: Annotated[int, Field(ge=0)] = 0"),
            ("state.sum = 7", "state.total = 7"),
            ("{state.sum}", "{state.total}"),
            ("    @pause", f"{converts('state', 'sum', 'total', 'old.sum - 9')}\n    @pause"),
        ),
        {"state-field-converted": "migrated", "value-does-not-fit": "refused"},
    ),
    "of several conversions the first is made of which the run has the fields": Case(
        ASKING,
        (
            ("    sum: int = 0", "    total: int = 0"),
            ("state.sum = 7", "state.total = 7"),
            ("{state.sum}", "{state.total}"),
            (
                "    @pause",
                f"{converts('state', 'cents', 'total', 'old.cents')}\n".replace("state(", "cents(").replace(
                    "BeforeState", "BeforeCents"
                )
                + f"{converts('state', 'sum', 'total', 'old.sum * 100')}\n    @pause",
            ),
        ),
        {"state-field-converted": "migrated"},
        "1 700 True",
    ),
    "a field that the run has is not made anew by a conversion that does not know of it": Case(
        ASKING.replace("    sum: int = 0", "    sum: int = 0\n    more: int = 0").replace(
            "state.sum = 7", "state.sum, state.more = 7, 8"
        ),
        (
            ("    more: int = 0", "    more: int = 0\n    third: int = 0"),
            ("{state.sum}", "{state.more}"),
            ("    @pause", f"{converts('state', 'sum', 'more', 'old.sum')}\n    @pause"),
        ),
        {"state-field-added": "migrated"},
        "1 8 True",
    ),
    "records in a field are converted, of a type that has changed": Case(
        LINES,
        (
            ("    price: float", "    cents: int"),
            ("price=2.5", "cents=250"),
            ("one.price", "one.cents"),
            ("class Flow", WAS),
            ("    @pause", OF_LINES),
        ),
        {"state-field-converted": "migrated"},
        "1 250 True",
    ),
    "a type has changed that a conversion takes as it is now": Case(
        LINES,
        (
            ("    price: float", "    cents: int"),
            ("price=2.5", "cents=250"),
            ("one.price", "one.cents"),
            ("class Flow", WAS.replace("Was]", "Line]")),
            ("    @pause", OF_LINES),
        ),
        {"type-field-removed": "refused", "type-field-added": "refused"},
    ),
    "a field of the state has a new type": Case(
        ASKING,
        (("    sum: int = 0", "    sum: str = ''"), ("state.sum = 7", "state.sum = '7'")),
        {"state-field-retyped": "refused"},
    ),
    "a field of the state is new": Case(
        ASKING,
        (("    sum: int = 0", "    sum: int = 0\n    more: int = 9"), ("{state.sum}", "{state.more}")),
        {"state-field-added": "migrated"},
        "1 9 True",
    ),
    # what it waits for
    "a step does not wait any more": Case(
        ASKING,
        (
            ("-> Question[Form]", "-> Delay"),
            ('Question(Form, title="all right?")', "Delay(60)"),
            ("result: Form", "result: None"),
            ("{result.ok}", "x"),
        ),
        {"wait-removed": "refused"},
    ),
    "a form asks for more": Case(
        ASKING,
        (("    ok: bool", "    ok: bool\n    why: str"), ("{result.ok}", "{result.why}")),
        {"form-changed": "migrated"},
        "1 7 so",
        answer_and_say_why,
    ),
    "the time of a wait has changed": Case(
        WAITING, (("within=3600", "within=60"),), {"wait-time-kept": "noted"}, "1 3", post("Paid", n=3)
    ),
    "another event ends a wait": Case(
        WAITING,
        (
            ("Outside[Paid]", "Outside[Noted]"),
            ("Outside(Paid)", "Outside(Noted)"),
            ("result: Paid", "result: Noted"),
            ("{result.n}", "x"),
        ),
        {"response-event-changed": "refused"},
    ),
    "another event may end a wait too": Case(
        WAITING,
        (
            ("-> Outside[Paid]", "-> Outside[Paid | Noted]"),
            ("Outside(Paid)", "Outside((Paid, Noted))"),
            ("result: Paid", "result: Paid | Noted"),
            ("{result.n}", "{result.text}"),
            (WAITING[WAITING.index("    @transform\n    def note") :], ""),
        ),
        {"response-event-added": "migrated"},
        "1 hello",
        post("Noted", text="hello"),
    ),
    # branches that are to meet
    "a join waits for one branch more": Case(
        FORKING,
        (
            ("class Done(", "class More(ClosedFields, Event):\n    n: int\n\nclass Done("),
            ("All[Left, Right]", "All[Left, Right, More]"),
            ("Right(n=2))", "Right(n=2), More(n=3))"),
            ("left: Left, done: Done)", "left: Left, done: Done, more: More)"),
        ),
        {"join-branch-added": "refused"},
    ),
    "a join takes its events in another order": Case(
        FORKING, (("left: Left, done: Done)", "done: Done, left: Left)"),), {}, "1 2"
    ),
    "a join is none any more": Case(
        FORKING,
        (
            ('@transform(join=AllOf("split"))', "@transform"),
            ("left: Left, done: Done)", "done: Done)"),
            ("{left.n} ", ""),
            ("All[Left, Right]", "All[Right]"),
            ("Left(n=1), ", ""),
        ),
        {"join-changed": "refused", "event-removed": "refused"},
    ),
    "the fork of open branches has moved": Case(
        FORKING,
        (
            ("def split(", "def part("),
            ('"split"', '"part"'),
            ('name="flow"', 'name="flow", moved={"split": "part"}'),
        ),
        {},
        "1 2",
    ),
    "the fork of open branches is gone": Case(
        FORKING, (("def split(", "def part("), ('"split"', '"part"')), {"step-removed": "refused"}
    ),
    "a batch goes on": Case(
        EACH,
        (("-> End:\n        return End(said=", "-> End:\n        return End(said='all ' + "),),
        {},
        "all 1 2",
    ),
    "a batch is collected otherwise": Case(
        EACH, (('EachOf("split")', 'EachOf("split", count=1)'),), {"join-changed": "refused"}
    ),
    "the collector of a batch is gone": Case(
        EACH, (("def meet(", "def gather("),), {"step-removed": "refused"}
    ),
    "a step joins that did not": Case(
        EACH,
        (
            ('EachOf("split")', 'AllOf("split")'),
            (
                "list[Done]) -> End:\n        return End(said=",
                "Done, one: One) -> End:\n        return End(said='x') if one else End(said=",
            ),
        ),
        {"join-changed": "refused", "join-added": "refused"},
    ),
    # people
    "fewer people are asked": Case(
        VOTING,
        (
            (", quorum=2", ""),
            ("result: list[Form]", "result: Form"),
            ("for one in result", "for one in [result]"),
        ),
        {"question-changed": "refused"},
    ),
    "a form has lost what is filled": Case(
        VOTING,
        (("    ok: bool", "    yes: bool"), ("one.ok", "one.yes"), ('{"ok"', '{"yes"')),
        {"form-changed": "refused"},
    ),
    "a form asks for more that one has answered": Case(
        VOTING,
        (("    ok: bool", "    ok: bool\n    why: str"),),
        {"form-changed": "migrated", "type-field-added": "refused"},
        before=vote,
    ),
    "a form asks for more that may be left out": Case(
        VOTING,
        (("    ok: bool", "    ok: bool\n    why: str = 'no'"), ("str(one.ok)", "one.why")),
        {"form-changed": "migrated", "type-field-added": "migrated"},
        "no so",
        answer_and_say_why,
        before=vote,
    ),
    "one of two has answered": Case(
        VOTING,
        (("all right?", "really?"), ("str(one.ok)", "repr(one.ok)")),
        {},
        "True True",
        vote_too,
        before=vote,
    ),
    # parts
    "a part goes on with its run": Case(
        PARTS,
        (
            ("{ev.n} {result.ok}", "part {ev.n} {result.ok}"),
            ("class Form(Record):\n    ok: bool", "class Form(Record):\n    ok: bool\n    why: str = ''"),
        ),
        {"form-changed": "migrated"},
        "1 part 2 True",
    ),
    "a step of a part is gone": Case(
        PARTS, (("def ask(", "def want("), ("@ask.", "@want.")), {"step-removed": "refused"}
    ),
    "a step that waits for a part has moved": Case(
        PARTS,
        (
            ("def part(", "def below("),
            ("@part.", "@below."),
            ('name="flow"', 'name="flow", moved={"part": "below"}'),
        ),
        {"step-renamed-with-parts": "refused"},
    ),
    "what a part gives has a new type": Case(
        PARTS,
        (
            ("class Form", "class Ended(ClosedFields, StopEvent):\n    said: str\n\nclass Form"),
            ("-> Child[End]", "-> Child[Ended]"),
            ("ends=(End,)", "ends=(Ended,)"),
            ("result: End", "result: Ended"),
        ),
        {"response-retyped": "refused"},
    ),
    # events that nobody has taken
    "a pending event is waited for by nobody any more": Case(
        WAITING_TWICE,
        (
            ("Outside[Paid]", "Outside[Noted]"),
            ("Outside(Paid)", "Outside(Noted)"),
            ("result: Paid", "result: Noted"),
            ("result.n", "result.text"),
            ("def note(self, ev: Noted)", "def note(self, ev: Paid)"),
        ),
        {"event-no-longer-accepted": "refused"},
        before=post("Paid", n=3),
    ),
    "a pending event may be lost": Case(
        WAITING_TWICE,
        (
            ("class Paid(", "class Sold("),
            ("Paid", "Sold"),
            ('name="flow"', 'name="flow", removed=("Paid",)'),
        ),
        {"pending-event-dropped": "migrated"},
        "1 4",
        answer_and_post("Sold", n=4),
        before=post("Paid", n=3),
    ),
    "a pending event has moved": Case(
        WAITING_TWICE,
        (
            ("class Paid(", "class Sold("),
            ("Paid", "Sold"),
            ('name="flow"', 'name="flow", moved={"Paid": "Sold"}'),
        ),
        {"event-renamed": "migrated"},
        "1 3",
        before=post("Paid", n=3),
    ),
    # limits and the run's own exits
    "a step may run less often": Case(
        LOOPING, (("max_runs=5", "max_runs=1"),), {"limit-lowered": "noted"}, "2", before=refuse
    ),
    "a limit is worked out": Case(
        LOOPING,
        (
            ("max_runs=5", 'max_runs="most"'),
            (
                "    @ask.on_limit",
                "    @ask.max_runs\n    def most(self, inputs: Inputs[Go]) -> int:\n        return 1\n\n"
                "    @ask.on_limit",
            ),
        ),
        {"limit-computed": "refused"},
    ),
    "an exit of the run is gone": Case(
        LEAVING,
        (
            (LEAVING[LEAVING.index("    @run_cancel") : LEAVING.index("    @pause\n    def undo")], ""),
            ("class Form", "class Other(ClosedFields, Event):\n    n: int\n\nclass Form"),
        ),
        {"run-exit-removed": "refused"},
        before=cancel,
    ),
    "a run goes on by its exit": Case(
        LEAVING, (('said=f"undone', 'said=f"all undone'),), {}, "all undone 3", before=cancel
    ),
}
