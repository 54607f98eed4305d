"""A workflow, resolved: frozen nodes that hold the nodes they mention. Names are gone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from wfc.compiler.diagnostics import Address
from wfc.compiler.expressions import Expression, Template
from wfc.compiler.types import Record, Type

# Times are in seconds everywhere. Addresses say where in the spec a node comes from.


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """A message between steps.

    Args:
        name: As written.
        record: Its fields; ``record.role`` is ``event``.
        role: ``start``, ``end`` or ``message``.
    """

    name: str
    record: Record
    role: Literal["start", "end", "message"]
    address: Address


@dataclass(frozen=True, slots=True)
class Secret:
    """The name of a secret. Its value never reaches the compiler."""

    name: str


@dataclass(frozen=True, slots=True)
class Retry:
    """A retry policy: ``min(max_delay, delay * backoff**(n-1)) + uniform(0, jitter)`` before attempt n+1."""

    name: str  # of the policy in `retries`; made from the step's name for one written in place
    max_attempts: int
    delay: float
    backoff: float
    max_delay: float | None
    jitter: float
    total_timeout: float | None
    retry_on: tuple[str, ...]  # empty: any error
    never_on: tuple[str, ...]
    address: Address


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A model binding.

    Args:
        settings: Plain values for ``temperature max_tokens top_p seed timeout`` (seconds) and the
            provider's own ``settings``.
        fallback: Models tried in order after this one.
    """

    name: str
    use: str
    base_url: Template | None
    api_key: Secret | None
    settings: Mapping[str, object]
    fallback: tuple[Model, ...]
    address: Address


@dataclass(frozen=True, slots=True)
class Header:
    """A header: a text, or a secret's value."""

    name: str
    value: Template | Secret


@dataclass(frozen=True, slots=True)
class Auth:
    """How a request proves who sends it: ``bearer`` (a secret), or ``basic`` (user and secret)."""

    scheme: Literal["bearer", "basic"]
    secret: Secret
    user: Template | None = None


@dataclass(frozen=True, slots=True)
class Value:
    """A structured value with expressions in it: what `with`, `args`, `body` and `query` hold.

    Exactly one of the parts is used: ``expression`` (one whole ``${{ }}``, or a reference that filling made),
    ``template`` (a text with expressions inside), ``items``, ``entries``, or else the plain ``constant``
    (JSON data that fits ``type``). ``type`` is what is wanted here; ``expression.type`` what is given.
    """

    type: Type
    address: Address
    expression: Expression | None = None
    template: Template | None = None
    items: tuple[Value, ...] | None = None
    entries: tuple[tuple[str, Value], ...] | None = None
    constant: object = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request. ``url``'s first expression is the base and is not encoded; every other one is."""

    method: str
    url: Template
    query: tuple[tuple[str, Value], ...]
    headers: tuple[Header, ...]
    auth: Auth | None
    body: Value | None


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """A tool binding.

    Args:
        python: ``module:function``, or ``None``.
        request: For an http tool (its expressions see ``args`` and ``config``), or ``None``.
        args: What it takes; a record whose name is made from the tool's.
        declares_args: Whether it says what it takes; if not, a step may give it anything.
        output: What it returns; ``ANY`` if not declared.
        secrets: Keyword argument → secret, for a python tool.
        read_only: Whether calling it changes nothing anywhere.
    """

    name: str
    python: str | None
    request: HttpRequest | None
    args: Record
    output: Type
    secrets: tuple[tuple[str, Secret], ...]
    read_only: bool
    description: str
    address: Address
    declares_args: bool = True


@dataclass(frozen=True, slots=True)
class LlmCall:
    """One model call. ``output`` is ``STRING`` where the step declares none."""

    model: Model
    prompt: Template
    system: Template | None
    output: Type


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call; ``args`` in the tool's order, those that are given."""

    tool: Tool
    args: tuple[tuple[str, Value], ...]
    output: Type


@dataclass(frozen=True, slots=True)
class HttpCall:
    """One http request of a step."""

    request: HttpRequest
    output: Type


Action = LlmCall | ToolCall | HttpCall


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Accepts each of these events by itself."""

    events: tuple[Event, ...]
    address: Address


@dataclass(frozen=True, slots=True)
class Join:
    """Accepts several events together.

    Args:
        form: ``all``, ``any``, ``at_least`` or ``each``.
        count: How many must have arrived (``at_least``), else 0.
        within: Seconds from the opening of the frame, or ``None``.
        proceed: ``on_timeout: proceed``: it fires with what has arrived.
        fork: The step that opens its frames, by name; ``None`` for the start of the run. For ``each`` the
            step whose ``emit`` has the `each`. Filled by ``resolve`` through ``resolve.frames``; ``None``
            too where a finding says that there is none.
        rest: ``finish`` where the author wrote `rest` (a race is then declared), else ``None``.
    """

    form: Literal["all", "any", "at_least", "each"]
    events: tuple[Event, ...]
    count: int
    within: float | None
    proceed: bool
    fork: str | None
    address: Address
    rest: Literal["finish"] | None = None


@dataclass(frozen=True, slots=True)
class Save:
    """A value put into a state field. ``value`` sees the state as it was before any save."""

    field: str
    value: Value
    address: Address


@dataclass(frozen=True, slots=True)
class Fill:
    """How one field of an emitted event gets its value.

    Args:
        how: ``with``, ``result field`` (same name), ``whole result``, ``event field`` (same name in the
            accepted event); in an `each` also ``item field`` and ``whole item``. Fields left to their default
            or to null have no ``Fill``.
    """

    field: str
    value: Value
    how: Literal["with", "item field", "result field", "whole item", "whole result", "event field"]


@dataclass(frozen=True, slots=True)
class Emit:
    """Emits one event. ``named`` is where its name is written: the whole entry, or the value of `event` in it."""

    event: Event
    fills: tuple[Fill, ...]
    address: Address
    named: Address = ()


@dataclass(frozen=True, slots=True)
class EmitEach:
    """Emits one event per item of a list: a batch, at most ``max`` items."""

    items: Expression
    name: str  # of the item, in expressions
    emit: Emit
    max: int
    address: Address


@dataclass(frozen=True, slots=True)
class EmitAll:
    """Emits all of these."""

    entries: tuple[Emit | EmitEach, ...]
    address: Address


@dataclass(frozen=True, slots=True)
class Nothing:
    """The branch ends here."""

    address: Address


@dataclass(frozen=True, slots=True)
class Fail:
    """The run ends as failed, with this text."""

    text: Template
    address: Address


Emission = Emit | EmitEach | EmitAll | Nothing | Fail


@dataclass(frozen=True, slots=True)
class Entry:
    """One way to leave.

    Args:
        when: Its condition, or ``None``: always.
        errors: Dotted error names it is for (``on_error`` only); empty: any.
        save: Its own saves, made after the step's.
        emission: What it emits.
    """

    when: Expression | None
    errors: tuple[str, ...]
    save: tuple[Save, ...]
    emission: Emission
    address: Address


@dataclass(frozen=True, slots=True)
class Exit:
    """All the ways to leave at one occasion, tried in order.

    ``exhaustive`` says that one entry always matches: the last has no `when`, or the conditions leave no
    case; set by ``resolve`` from the truth table, so that the generator may print the last one as plain
    `else`. Where it does not hold, ``left`` is a case that no entry is for, as a text for the author (for
    an `emit` a mistake; for an `on_error` the run's own exits are next).
    """

    entries: tuple[Entry, ...]
    address: Address
    exhaustive: bool = False
    left: str = ""


@dataclass(frozen=True, slots=True)
class Requirement:
    """What must hold of the result, and what is said where it does not."""

    that: Expression
    say: Template
    address: Address


@dataclass(frozen=True, slots=True)
class Stream:
    """What whoever watches the run is told before and after the action."""

    before: Template | None
    after: Template | None
    after_event: Emit | None
    address: Address


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A handler: what it accepts, its one action, and its tail.

    Args:
        result: The action's type, or ``None`` without an action.
        save: The step's own saves, made before an entry's.
        max_runs: A number, or an expression of inputs and config; ``None``: unbounded.
    """

    name: str
    kind: Literal["transform", "tool", "http", "llm"]
    description: str
    accepts: AnyOf | Join
    action: Action | None
    result: Type | None
    save: tuple[Save, ...]
    emit: Exit
    on_error: Exit | None
    on_limit: Exit | None
    on_timeout: Exit | None
    retry: Retry | None
    timeout: float | None
    concurrency: int
    max_runs: int | Expression | None
    require: tuple[Requirement, ...]
    stream: Stream | None
    idempotency_key: Template | None
    address: Address


@dataclass(frozen=True, slots=True)
class MockAnswer:
    """What a mocked step gives: a value, or an error by its dotted name."""

    value: object = field(default=None, hash=False)
    error: str | None = None


@dataclass(frozen=True, slots=True)
class TestCase:
    """A test of the spec's own; values are plain JSON data.

    Args:
        mock: Step name → answers for its successive runs; the last one repeats.
        real: Names of steps whose action is really done.
        clock: The virtual clock's start, ISO 8601, or ``None``.
        expect: As written: ``end with ran never_ran emitted state streamed fails``.
    """

    __test__ = False  # not one of pytest's

    name: str
    start: Mapping[str, object]
    mock: Mapping[str, tuple[MockAnswer, ...]]
    real: tuple[str, ...]
    clock: str | None
    expect: Mapping[str, object]
    address: Address


@dataclass(frozen=True, slots=True, eq=False)
class Workflow:
    """A whole spec, resolved.

    Args:
        class_name: ``SupportTriage`` for ``support_triage``.
        config: A record of role ``config``; ``state``: one of role ``state``.
        types: Records and enumerations of `types` that are used or declared, in the order written.
        outputs: Records written in place (outputs of steps and tools, nested ones), each once.
        deadline: Seconds for the whole run, or ``None``.
        whole: Whether every step, event and entry of the spec is here. Where a finding made ``resolve`` leave
            one out, rules about the flow as a whole stay silent.
    """

    name: str
    class_name: str
    version: str
    description: str
    labels: Mapping[str, str]
    start: Event
    end: tuple[Event, ...]
    config: Record
    secrets: tuple[str, ...]
    deadline: float | None
    types: tuple[Type, ...]
    outputs: tuple[Record, ...]
    events: tuple[Event, ...]
    state: Record
    models: tuple[Model, ...]
    tools: tuple[Tool, ...]
    retries: tuple[Retry, ...]
    steps: tuple[Step, ...]
    tests: tuple[TestCase, ...]
    whole: bool = True


__all__ = [
    "Action",
    "AnyOf",
    "Auth",
    "Emission",
    "Emit",
    "EmitAll",
    "EmitEach",
    "Entry",
    "Event",
    "Exit",
    "Fail",
    "Fill",
    "Header",
    "HttpCall",
    "HttpRequest",
    "Join",
    "LlmCall",
    "MockAnswer",
    "Model",
    "Nothing",
    "Requirement",
    "Retry",
    "Save",
    "Secret",
    "Step",
    "Stream",
    "TestCase",
    "Tool",
    "ToolCall",
    "Value",
    "Workflow",
]
