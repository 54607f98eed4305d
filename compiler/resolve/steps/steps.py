"""Steps: what each accepts, does, saves and emits, with every name resolved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from wfc.compiler.diagnostics import Address, Origin, Place
from wfc.compiler.expressions import Expression, Scope, Template
from wfc.compiler.model import USUAL_CONCURRENCY, AgentCall, Exit, MapItems, Requirement, Save, Step, Stream
from wfc.compiler.model.kinds import ABOUT_ACTIONS, STEP_KINDS, Action, is_request
from wfc.compiler.resolve.declarations import secrets
from wfc.compiler.resolve.steps import caching, maps, pauses, sends, streams
from wfc.compiler.resolve.steps.accepts import resolve_accepts
from wfc.compiler.resolve.steps.actions import HIDING_USES, ActionResolver, ResolvedAction, shown_of_answer
from wfc.compiler.resolve.steps.attempts import step_attempts
from wfc.compiler.resolve.steps.exits import ExitResolver
from wfc.compiler.resolve.steps.saves import resolve_saves
from wfc.compiler.resolve.symbols.contracts import PartFile
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_style, report_look_alikes
from wfc.compiler.resolve.symbols.tables import Data, entries
from wfc.compiler.resolve.values import bounds
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.resolve.values.scopes import StepScopes
from wfc.compiler.rules import cases as case_problems
from wfc.compiler.rules import names as name_problems
from wfc.compiler.rules import results as result_problems
from wfc.compiler.rules import steps as problems
from wfc.compiler.slotted import dataclass, replace
from wfc.compiler.types import UNKNOWN, ListOf, MapOf, Record, Type, members
from wfc.compiler.types.long_form import check_plain

__all__ = ["resolve_step", "resolve_steps"]

StepResolver = Callable[[str, Data, Place, Declarations], Step | None]
FLOW_KEYS = ("accepts", "emit", "event", "kind", "on_error", "on_limit", "on_timeout", "stream")
TAIL = ("emit", "require", "save", "stream")
RUN_EXITS = ("on_cancel", "on_deadline", "on_error")


def resolve_steps(
    data: Data, declared: Declarations, parts: tuple[PartFile, ...], resolve_one: StepResolver
) -> tuple[Step, ...]:
    """Return all steps that can be understood, in the order written.

    Args:
        resolve_one: What ``resolve_step`` does.
    """
    found: dict[str, Step] = {}
    places: dict[str, Place] = {}
    for name, content, address in step_entries(data, parts):
        place = Place(address)
        if name in places:
            declared.report(name_problems.name_declared_twice(place.key, name, places[name], "a step"))
            declared.flow_whole = False
            continue
        places[name] = place.key
        usable = check_style(name, place.key, "step", declared.report)
        step = resolve_one(name, content, place, declared) if isinstance(content, dict) else None
        if step is None or not usable:
            declared.flow_whole = False
        else:
            found[name] = step
    report_look_alikes(places, declared.report)
    lost = "unknown-event" in declared.codes or any(in_flow(address) for address in declared.broken)
    if lost or declared.broken_names("steps"):
        declared.flow_whole = False
    return tuple(found.values())


def step_entries(data: Data, parts: tuple[PartFile, ...]) -> Iterator[tuple[str, object, Address]]:
    """Yield all steps of a workflow: the spec's own, then those of its parts, in the order written."""
    yield from entries(data.get("steps"), ("steps",))
    for part in parts:
        yield from entries(part.data.get("steps"), (Origin(part.path), "steps"))


def in_flow(address: Address) -> bool:
    """Return whether what was left out at an address may belong to the flow."""
    address = Place(address).here.address
    return address[:1] in {("deadline",), *((key,) for key in RUN_EXITS)} or (
        len(address) > 2 and address[0] == "steps" and address[2] in FLOW_KEYS
    )


def resolve_step(name: str, data: Data, place: Place, declared: Declarations) -> Step | None:
    """Return one step; ``None`` if nothing usable is left of it. Its parts are read in any case, for their
    findings.
    """
    reader = ValueReader(declared.report)
    accepts, known = resolve_accepts(data.get("accepts"), place / "accepts", declared)
    if not known:
        declared.flow_whole = False
    check_keys(data, place, declared)
    if declared.secrets.nodes:
        secrets.report_defaults_of_step(data, place, declared)
    scopes = StepScopes(declared, accepts if known else None)
    exit_resolver = ExitResolver(declared, reader)
    resolved = resolve_action(name, data, place, scopes, exit_resolver)
    tail = resolve_tail(name, data, place, scopes, exit_resolver, resolved)
    on_error, on_limit, on_timeout = other_exits(data, place, scopes, exit_resolver)
    report_bodies(name, on_error, resolved, declared)
    within, until, on_expired = expiry(data, place, scopes, exit_resolver)
    cached = caching.resolve_cache(data, resolved.action, place, declared) if "cache" in data else None
    key = idempotency_key(data, place, resolved, scopes, reader)
    retry, timeout = step_attempts(data, resolved.action, place, name, declared)
    at_once, runs = concurrency(data, place, declared), max_runs(data, place, declared)
    if accepts is None:
        return None
    return Step(
        name=name,
        kind=str(data["kind"]),
        description=str(data.get("description", "")),
        accepts=accepts,
        action=action_as_used(resolved, reader),
        result=resolved.result,
        save=tail.save,
        emit=tail.emit,
        on_error=on_error,
        on_limit=on_limit,
        on_timeout=on_timeout,
        retry=retry,
        timeout=timeout,
        concurrency=at_once,
        max_runs=runs,
        require=tail.require,
        stream=tail.stream,
        idempotency_key=key,
        address=place.address,
        within=within,
        until=until,
        on_expired=on_expired,
        cached=cached,
    )


@dataclass(frozen=True, slots=True)
class Tail:
    """What a step does with the result of its action."""

    require: tuple[Requirement, ...]
    save: tuple[Save, ...]
    emit: Exit
    stream: Stream | None


def resolve_tail(
    name: str,
    data: Data,
    place: Place,
    scopes: StepScopes,
    exit_resolver: ExitResolver,
    resolved: ResolvedAction,
) -> Tail:
    """Return the tail of a step; report a result that nobody uses."""
    reader, declared = exit_resolver.reader, exit_resolver.declared
    reader.uses.clear()  # from here on: who uses the result
    findings = len(declared.codes)
    require = requirements(data, place, resolved.outcome or scopes.outcome(), reader)
    scopes.known = tuple(each.that for each in require) if holds_for_tail(data) else ()
    scope = scopes.tail()
    if declared.is_broken((*place.address, "require")):
        scope = scope.narrowed("unclear")
    save = resolve_saves(data["save"], place / "save", scope, declared, reader) if "save" in data else ()
    emit = Exit((), place.address)
    if "emit" in data:
        emit = exit_resolver.exit(data["emit"], place / "emit", scope)
    streamed = resolve_streamed(data, place, resolved, scopes, exit_resolver)
    # where something in the tail is wrong, that may be what would have used it
    lost = declared.any_broken(place, TAIL)
    if findings == len(declared.codes) and not lost and "result" not in reader.uses:
        report_unused_result(name, resolved, declared)
    return Tail(require, save, emit, streamed)


def report_bodies(name: str, on_error: Exit | None, resolved: ResolvedAction, declared: Declarations) -> None:
    """Report entries of `on_error` that ask for the body of a response, where the step sends no request."""
    if on_error is None or resolved.action is None or is_request(resolved.action):
        return
    for each in on_error.entries:
        if each.body is not None:
            declared.report(case_problems.no_reply((Place(each.address) / "body").key, "body", name, None))


def action_as_used(resolved: ResolvedAction, reader: ValueReader) -> Action | None:
    """Return a step's action, which knows whether any of its texts asks for the `loop`, or its tail for the `agent`."""
    action = resolved.action
    if isinstance(action, AgentCall) and "agent" in reader.uses:
        return replace(action, tells=True)
    if isinstance(action, MapItems) and "loop" in reader.uses:
        return replace(action, uses_loop=True)
    return action


def resolve_streamed(
    data: Data, place: Place, resolved: ResolvedAction, scopes: StepScopes, exit_resolver: ExitResolver
) -> Stream | None:
    """Return what a step tells watchers; report a model's answer that cannot be shown while it comes."""
    found = None
    if "stream" in data:
        found = streams.resolve_stream(data["stream"], place / "stream", scopes, exit_resolver)
    shown = shown_of_answer(data)
    for key in shown:
        streams.report_shown(key, shown, *answering_action(data, resolved), place, exit_resolver.declared)
    return found


def report_unused_result(name: str, resolved: ResolvedAction, declared: Declarations) -> None:
    """Warn about a structured result that was asked for and that nothing uses."""
    if (
        resolved.wanted is not None
        and is_structured(resolved.result)
        and not HIDING_USES.intersection(declared.codes)
    ):
        declared.report(result_problems.unused_result(resolved.wanted.key, name))


def resolve_action(
    name: str, data: Data, place: Place, scopes: StepScopes, exit_resolver: ExitResolver
) -> ResolvedAction:
    """Return what a step does or waits for; from here on the scopes know its result."""
    resolved = RESOLVERS.get(str(data["kind"]), resolve_one_call)(name, data, place, scopes, exit_resolver)
    scopes.result = resolved.result
    return resolved


def resolve_one_call(
    name: str, data: Data, place: Place, scopes: StepScopes, exit_resolver: ExitResolver
) -> ResolvedAction:
    """Return the action of a step of a kind that makes one call; nothing for a `transform`."""
    acting = ActionResolver(
        name, data, place, exit_resolver.declared, exit_resolver.reader, shown_of_answer(data)
    )
    tool = acting.tool()
    scopes.http = acting.sends_request(tool)
    scopes.by_agent = data.get("kind") == "agent"
    result = acting.result(tool)
    action = acting.action(tool, result, scopes.action())
    return ResolvedAction(action, result, place / "output" if "output" in data else None)


def resolve_map(
    name: str, data: Data, place: Place, scopes: StepScopes, exit_resolver: ExitResolver
) -> ResolvedAction:
    return maps.MapResolver(name, data, place, exit_resolver.declared, exit_resolver.reader).resolve(
        scopes.action()
    )


def resolve_sending(
    _name: str, data: Data, place: Place, scopes: StepScopes, exit_resolver: ExitResolver
) -> ResolvedAction:
    return ResolvedAction(sends.resolve_send(data, place, scopes.action(), exit_resolver), None, None)


def resolve_waiting(
    name: str, data: Data, place: Place, scopes: StepScopes, exit_resolver: ExitResolver
) -> ResolvedAction:
    return pauses.resolve_pause(name, data, place, scopes, exit_resolver.declared, exit_resolver.reader)


RESOLVERS: Final[dict[str, Callable[[str, Data, Place, StepScopes, ExitResolver], ResolvedAction]]] = {
    "map": resolve_map,
    "send": resolve_sending,
    "human": resolve_waiting,
    "wait": resolve_waiting,
}
"""How a step of a kind is resolved that is more than one call; a call is in `CALLS` of `actions`.

Next for a new kind: how it is generated, `WRITERS` in `codegen/methods/actions.py`.
"""


def answering_action(data: Data, resolved: ResolvedAction) -> tuple[Data, Type | None]:
    """Return the declared action of a step, or of a `map` for each item, and the type of its result."""
    if data.get("kind") != "map":
        return data, resolved.result
    do = data.get("do")
    given = resolved.action.result if isinstance(resolved.action, MapItems) else UNKNOWN
    return (do, given) if isinstance(do, Mapping) else (data, given)


def check_keys(data: Data, place: Place, declared: Declarations) -> None:
    """Report keys that have no meaning here: nothing that an author writes is silently dropped."""
    if "description" in data:
        texts = ((key, data.get(key)) for key in ("prompt", "title", "query", "text"))
        plain = next((key for key, each in texts if isinstance(each, str) and "${{" not in each), "")
        check_plain(data["description"], place / "description", "description", declared.report, plain)
    if "on_limit" in data and "max_runs" not in data and not declared.is_broken((*place.address, "max_runs")):
        declared.report(problems.key_without_companion((place / "on_limit").key, "on_limit", "max_runs"))
    if not STEP_KINDS[str(data["kind"])].acts:
        for key in (*ABOUT_ACTIONS, "cache"):
            if key in data and data[key] is not False:
                declared.report(problems.no_action((place / key).key, key))
    elif STEP_KINDS[str(data["kind"])].is_pause:
        pauses.report_pause_keys(data, place, declared)


def other_exits(
    data: Data, place: Place, scopes: StepScopes, exit_resolver: ExitResolver
) -> tuple[Exit | None, Exit | None, Exit | None]:
    """Return the exits under `on_error` and `on_limit`, and a join's `on_timeout`."""
    on_error = on_limit = on_timeout = None
    if "on_error" in data:
        on_error = exit_resolver.exit(data["on_error"], place / "on_error", scopes.failed())
    if "on_limit" in data:
        on_limit = exit_resolver.exit(data["on_limit"], place / "on_limit", scopes.action())
    accepts = data.get("accepts")
    if isinstance(accepts, dict) and accepts.get("on_timeout", "proceed") != "proceed":
        at = place / "accepts" / "on_timeout"
        on_timeout = exit_resolver.exit(accepts["on_timeout"], at, scopes.timed_out())
    return on_error, on_limit, on_timeout


def expiry(
    data: Data, place: Place, scopes: StepScopes, exit_resolver: ExitResolver
) -> tuple[float | Expression | None, Expression | None, Exit | None]:
    """Return how long a step waits, or until when, and where the run goes then; nothing if it does not wait."""
    if not STEP_KINDS[str(data["kind"])].takes_within:
        return None, None, None
    return pauses.resolve_expiry(data, place, scopes, exit_resolver)


def holds_for_tail(data: Data) -> bool:
    """Return whether what `require` asks about is what the tail gets, not one item or one answer of several."""
    return data.get("kind") != "map" and "quorum" not in data


def requirements(step: Data, step_place: Place, scope: Scope, reader: ValueReader) -> tuple[Requirement, ...]:
    """Return the conditions on the result; each may assume that those before it hold."""
    data = step.get("require")
    if not isinstance(data, list):
        return ()
    place = step_place / "require"
    if "result" not in scope.names:
        reader.report(result_problems.no_result(place.key, "require"))
        return ()
    found: list[Requirement] = []
    for index, each in enumerate(data):
        if not isinstance(each, dict) or "that" not in each:
            continue
        at = place / index
        that = reader.condition(each["that"], at / "that", scope)
        say = reader.text(each.get("say", ""), at / "say", scope.assuming(that, False))
        scope = scope.assuming(that, True)
        found.append(Requirement(that, say, at.address))
    return tuple(found)


def max_runs(step: Data, step_place: Place, declared: Declarations) -> int | Expression | None:
    """Return the bound under `max_runs`: a number, or an expression of inputs and config."""
    if "max_runs" not in step:
        # what is left out was meant as a bound: the loop is not said to lack one
        return 1 if declared.is_broken((*step_place.address, "max_runs")) else None
    found = bounds.count(step["max_runs"], step_place / "max_runs", declared)
    return 1 if found is None else found  # it was meant as a bound: the loop is not said to lack one


def concurrency(step: Data, place: Place, declared: Declarations) -> int | Expression:
    """Return how many executions of a step may run side by side."""
    if "concurrency" not in step:
        return USUAL_CONCURRENCY
    return bounds.count(step["concurrency"], place / "concurrency", declared) or USUAL_CONCURRENCY


def idempotency_key(
    data: Data, place: Place, resolved: ResolvedAction, scopes: StepScopes, reader: ValueReader
) -> Template | None:
    if "idempotency_key" not in data:
        return None
    scope = resolved.call or scopes.action()
    return reader.text(data["idempotency_key"], place / "idempotency_key", scope)


def is_structured(type: Type | None) -> bool:
    """Return whether a result has parts, so that asking for it says that they are wanted."""
    return type is not None and any(isinstance(each, (Record, ListOf, MapOf)) for each in members(type))
