"""Rule 8: steps that run in parallel do not race, unless the author declares it."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler import model
from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.expressions import Expression, Template
from wfc.compiler.expressions.syntax.tree import Binary, Node, path_of, walk
from wfc.compiler.model.agents import saves_of_calls
from wfc.compiler.model.flow import exits
from wfc.compiler.model.kinds import agent_tools
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.proof.graph.concurrency import Concurrency, Parting, members
from wfc.compiler.proof.graph.paths import describe_path, path_between, paths_apart
from wfc.compiler.proof.joins.completeness import waiting_for_all
from wfc.compiler.rules import races as problems
from wfc.compiler.slotted import dataclass, fields, is_dataclass
from wfc.compiler.types import NO_CONSTRAINTS, UNKNOWN, ListOf

__all__ = ["describe_courses", "races_are_declared", "shared_uses", "side_by_side"]

Key = tuple[str, ...]

SHOWN = 3
"""How many steps a finding names that save what another reads."""

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class SharedUses:
    """The uses that a step makes of what it shares with others.

    Args:
        saves: State field → where it is saved.
        merged: Those of them that say how saves are put together, or of which that is not known.
        sums: Those of them that are only added to or taken from: the order of two sums does not matter.
        reads: State field → where it is read, other than for its own sum.
        ends: Where it ends the run by an event that it chooses to emit, or ``None``.
        stops: Where it may end the run at all, or ``None``.
        acts: Whether it changes something outside.
    """

    saves: dict[str, Place]
    merged: frozenset[str]
    sums: frozenset[str]
    reads: dict[str, Place]
    ends: Place | None
    stops: Place | None
    acts: bool


def races_are_declared(analysis: FlowAnalysis, report: Report) -> None:
    """Report parallel steps that share a state field which one of them saves, or of which one ends the run
    while another acts.
    """
    if analysis.misplaced:
        return
    partings = side_by_side(analysis)
    if not partings:
        return
    uses = {
        node: shared_uses(analysis, node)
        for node in range(1, len(analysis.graph.nodes))
        if node in analysis.graph.alive
    }
    _races_on_state(analysis, partings, uses, report)
    # what comes from outside may end the run at any time: that is what it is for
    forks = {each.node for each in partings if not each.outside}
    declared = {fork for fork in forks if _declared(analysis, fork)}
    inside = [each for each in partings if not each.outside and each.node not in declared]
    _races_with_ends(analysis, inside, uses, report)


def side_by_side(analysis: FlowAnalysis) -> list[Parting]:
    """Return what may run side by side in a workflow."""
    graph = analysis.graph
    accepted = ((node, analysis.step(node).accepts) for node in range(1, len(graph.nodes)))
    cancelling = [node for node, each in accepted if isinstance(each, model.Join) and each.rest == "cancel"]
    return Concurrency(graph, cancelling, waiting_for_all(graph)).partings


def _declared(analysis: FlowAnalysis, fork: int) -> bool:
    """Return whether a join of the courses that part here declares what becomes of the slower ones."""
    joins = [analysis.step(join).accepts for join in analysis.graph.joins_of.get(fork, ())]
    return any(isinstance(join, model.Join) and join.rest is not None for join in joins)


def _beside(
    partings: list[Parting], some: int, others: int, alike: int = 0
) -> Iterator[tuple[int, int, int]]:
    """Yield pairs of parallel steps, one of the first set and one of the second, and where their courses
    part.

    Args:
        alike: Of these no two are a pair.
    """
    for parting in partings:
        for one, other in ((parting.one, parting.other), (parting.other, parting.one)):
            if one & some and other & others:
                yield from (
                    (first, second, parting.node)
                    for first in members(one & some)
                    for second in members(other & others & ~(alike if alike >> first & 1 else 0))
                )


def _races_on_state(
    analysis: FlowAnalysis, partings: list[Parting], uses: dict[int, SharedUses], report: Report
) -> None:
    savers_of: dict[str, int] = {}
    readers_of: dict[str, int] = {}
    adding_to: dict[str, int] = {}  # of two sums the order does not decide what a field holds
    for node, use in uses.items():
        for field in use.saves.keys() - use.merged:
            savers_of[field] = savers_of.get(field, 0) | 1 << node
        for field in use.sums:
            adding_to[field] = adding_to.get(field, 0) | 1 << node
        for field in use.reads:
            readers_of[field] = readers_of.get(field, 0) | 1 << node
    beside_itself = 0
    for parting in partings:
        beside_itself |= parting.one & parting.other
    for field, savers in savers_of.items():
        users = savers | readers_of.get(field, 0)
        if users.bit_count() == 1 and not users & beside_itself:
            continue
        readers = readers_of.get(field, 0)
        saved = next(_beside(partings, savers, savers, adding_to.get(field, 0)), None)
        read = next(_beside(partings, savers, readers), None) if saved is None else None
        if saved is not None:
            one, other, parted = saved
            related = ((uses[other].saves[field], "and here"),) if one != other else ()
            told = describe_courses(analysis, parted, one, other)
            at, name, others = uses[one].saves[field], analysis.name(one), (analysis.name(other),)
            report(
                problems.race_on_state(
                    at,
                    name,
                    field,
                    others,
                    told,
                    reads=False,
                    related=related,
                    merges=merges(analysis, field),
                )
            )
        elif read is not None:
            beside = {one for one, _reader, _parted in _beside(partings, savers, 1 << read[1])}
            _race_of_a_read(analysis, field, read, sorted(beside), uses, report)


def merges(analysis: FlowAnalysis, field: str) -> tuple[str, ...]:
    """Return how the saves of a field may be put together, by its type."""
    declared = analysis.workflow.state.fields.get(field)
    return ("append", "last") if declared is not None and isinstance(declared.type, ListOf) else ("last",)


def _race_of_a_read(
    analysis: FlowAnalysis,
    field: str,
    found: tuple[int, int, int],
    savers: list[int],
    uses: dict[int, SharedUses],
    report: Report,
) -> None:
    """Report that a step reads a field while others may be saving it."""
    one, reader, parted = found
    told = describe_courses(analysis, parted, one, reader)
    names = tuple(analysis.name(saver) for saver in savers)
    related = tuple((uses[saver].saves[field], "saved here") for saver in savers[:SHOWN])
    place = uses[reader].reads[field]
    report(
        problems.race_on_state(place, analysis.name(reader), field, names, told, reads=True, related=related)
    )


def _races_with_ends(
    analysis: FlowAnalysis, partings: list[Parting], uses: dict[int, SharedUses], report: Report
) -> None:
    told = 0
    ending = sum(1 << node for node, use in uses.items() if use.ends is not None)
    for parting in partings:
        for one in members(parting.one & ending):
            other = next(members(parting.other & ending & ~told), None)
            ends = uses[one].ends
            if told >> one & 1 or other is None or ends is None:
                continue
            told |= 1 << one | 1 << other
            theirs = uses[other].ends
            related = ((theirs, "and here"),) if one != other and theirs is not None else ()
            told_so = describe_courses(analysis, parting.node, one, other)
            report(
                problems.race_between_ends(ends, analysis.name(one), analysis.name(other), told_so, related)
            )
    stopping = sum(1 << node for node, use in uses.items() if use.stops is not None)
    acting = sum(1 << node for node, use in uses.items() if use.acts)
    for parting in partings:
        for some, others in ((parting.one, parting.other), (parting.other, parting.one)):
            other = next(members(others & acting), None)
            for one in members(some & stopping & ~told) if other is not None else ():
                told |= 1 << one
                stops = uses[one].stops
                if stops is not None and other is not None:
                    related = ((Place(analysis.graph.nodes[other].address).key, "this may be cut off"),)
                    told_so = describe_courses(analysis, parting.node, one, other)
                    names = analysis.name(other), analysis.name(one)
                    leads = bool(path_between(analysis.graph, other, one))
                    late, first = (
                        _proceeds(analysis.step(one)) and leads,
                        _of_some(analysis.step(one)) and leads,
                    )
                    asked = _reminded_of(analysis, parting.node, one, other)
                    report(
                        problems.race_with_the_end(
                            stops, *names, told_so, related, late=late, first=first, reminds_of=asked
                        )
                    )


def _reminded_of(analysis: FlowAnalysis, parted: int, one: int, other: int) -> str:
    """Return the step that asks a person while the other course waits for a time before it acts; often none."""
    courses = paths_apart(analysis.graph, parted, one, other)
    if courses is None:
        return ""
    asking, waiting = ([hop.node for hop in course[1:]] for course in courses)
    waits = any(isinstance(analysis.step(node).action, (model.WaitFor, model.WaitUntil)) for node in waiting)
    asks = (node for node in (*asking, one) if isinstance(analysis.step(node).action, model.AskPerson))
    return next((analysis.name(node) for node in asks), "") if waits else ""


def describe_courses(analysis: FlowAnalysis, parted: int, one: int, other: int) -> str:
    """Describe how two steps come to run in parallel, from where their courses part."""
    graph = analysis.graph
    courses = paths_apart(graph, parted, one, other) or [
        path_between(graph, parted, node) for node in (one, other)
    ]
    told = dict.fromkeys(
        describe_path(graph, hops, node) for hops, node in zip(courses, (one, other), strict=True)
    )
    return " and ".join(told) if len(told) > 1 else f"{', '.join(told)}, several times"


def shared_uses(analysis: FlowAnalysis, node: int) -> SharedUses:
    """Return what a step saves and reads, and how it ends the run."""
    step = analysis.step(node)
    saves = [
        *step.save,
        *saves_of_calls(step.action),
        *(save for _, exit_ in exits(step) for entry in exit_.entries for save in entry.save),
    ]
    sums = {save.field for save in saves if _summand(save) is not None}
    sums -= {save.field for save in saves if _summand(save) is None}
    bounded = {
        name for name, field in analysis.workflow.state.fields.items() if field.constraints != NO_CONSTRAINTS
    }
    sums -= bounded  # which sum goes over the bound, and so which step fails, depends on their order
    reads: dict[str, Place] = {}
    for path, place in _mentioned(step, sums):
        if path[0] == "state" and len(path) > 1:
            reads[path[1]] = min(reads.get(path[1], place), place, key=_position)
    ways = [way for way in analysis.graph.nodes[node].ways if way.ends and way.address != step.address]
    chosen = [analysis.way(node, way) for way in ways if way.occasion == "emit"]
    return SharedUses(
        saves={save.field: Place(save.address) for save in reversed(saves)},
        merged=frozenset(save.field for save in saves if save.merge is not None or _in_doubt(save)),
        sums=frozenset(sums),
        reads=reads,
        ends=next(iter(chosen), None),
        # of a join whose time is up the entries are tried in vain that want what has not come
        stops=(chosen[-1] if _proceeds(step) else chosen[0])
        if chosen
        else next((analysis.way(node, way) for way in ways), None),
        acts=_acts(step),
    )


def _proceeds(step: model.Step) -> bool:
    """Return whether a step joins what has come when its time is up."""
    return isinstance(step.accepts, model.Join) and step.accepts.proceed


def _of_some(step: model.Step) -> bool:
    """Return whether a step goes on with a part of what it joins."""
    join = step.accepts
    if not isinstance(join, model.Join):
        return False
    if join.form == "any":
        return join.count != len(join.slots)
    return join.form == "each" and join.count is not None


def _acts(step: model.Step) -> bool:
    action = step.action.do if isinstance(step.action, model.MapItems) else step.action
    if isinstance(action, model.SendEvent):
        return True
    if isinstance(action, model.ToolCall):
        request = action.tool.request
        return not (action.tool.read_only or (request is not None and request.method in SAFE_METHODS))
    if isinstance(action, model.WorkflowCall):
        return True
    if isinstance(action, model.AgentCall):
        return not all(tool.read_only for tool in agent_tools(action))
    if isinstance(action, model.CommandCall):
        return not action.command.read_only
    return isinstance(action, model.HttpCall) and action.request.method not in SAFE_METHODS


def _in_doubt(save: model.Save) -> bool:
    """Return whether what is saved could not be read in full, which has been reported already."""
    expression = save.value.expression
    return expression is not None and any(node.type is UNKNOWN for node in walk(expression.tree))


def _summand(save: model.Save) -> Node | None:
    """Return what a save adds to its field, or subtracts from it, if it does nothing else."""
    expression = save.value.expression
    if expression is None or not isinstance(expression.tree, Binary):
        return None
    tree, field = expression.tree, ("state", save.field)
    if tree.operator not in ("+", "-") or path_of(tree.left) != field:
        return None
    if any(path_of(node) == field for node in walk(tree.right)):
        return None
    return tree.right if _is_number(expression) else None


def _is_number(expression: Expression) -> bool:
    """Return whether sums come out the same in any order; those of numbers with fractions are rounded each time."""
    name = getattr(expression.type, "name", "")
    return name in {"integer", "decimal", "duration"}


def _mentioned(step: model.Step, sums: set[str]) -> Iterator[tuple[Key, Place]]:
    """Yield every path in a step's expressions and where it stands, except for a field in its own sum."""
    work: list[object] = [step]
    while work:
        here = work.pop()
        if isinstance(here, Template) and here.whole is not None:
            work.append(here.whole)
        elif isinstance(here, (Expression, Template)):
            yield from ((path, _first_use(here, path)) for path in here.uses)
        elif isinstance(here, tuple):
            work.extend(here)
        elif isinstance(here, model.Save) and here.field in sums:
            summand, expression = _summand(here), here.value.expression
            assert summand is not None
            assert expression is not None
            yield from (
                (path, expression.place) for node in walk(summand) if (path := path_of(node)) is not None
            )
        elif (
            is_dataclass(here)
            and type(here).__module__.startswith(f"{model.__name__}.")
            and not isinstance(here, DECLARED)
        ):
            work.extend(getattr(here, field.name) for field in fields(here))


def _first_use(text: Expression | Template, path: Key) -> Place:
    """Return where a text mentions a path; the whole of it, if only its parts know."""
    if isinstance(text, Expression):
        for node in walk(text.tree):
            if path_of(node) == path:
                return text.place.stretch(node.start, node.end)
    return text.place


def _position(place: Place) -> tuple[str, ...]:
    """Return what puts places in an order that is the same each time."""
    return *map(str, place.address), str(place.start)


DECLARED = (model.Event, model.Model, model.Tool, model.Retry, model.Secret)
