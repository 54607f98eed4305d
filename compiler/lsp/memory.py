"""What is kept between two checks of one document, so that a keystroke costs one step's work and not all steps'."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, Final

from wfc.compiler.diagnostics import Address, Finding, Place, Report
from wfc.compiler.lsp.changed_declarations import (
    TYPES,
    Affected,
    Parts,
    change_after_types,
    change_between,
    differs_in_imports,
    has_types_of,
    is_all_read,
    mentions,
    packed,
    parts_of,
)
from wfc.compiler.lsp.declarations_anew import read_after_types, read_anew, read_with_imports, take_back
from wfc.compiler.lsp.kept_expressions import KeptExpressions
from wfc.compiler.lsp.kept_files import WatchedView
from wfc.compiler.model import Step
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve import ProjectView, declare
from wfc.compiler.resolve.declarations.events import declare_contract, hint_for_no_event
from wfc.compiler.resolve.steps.actions import HIDING_USES
from wfc.compiler.resolve.steps.steps import resolve_step
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data, Table
from wfc.compiler.schema import Spec
from wfc.compiler.slotted import dataclass, field, fields, replace
from wfc.compiler.types import Type
from wfc.compiler.workspace.lookups import Lookup
from wfc.compiler.workspace.project import Unit

__all__ = ["Memory"]

SHARED: Final = ("called", "workflow_tools", "waited", "found_in_texts", "contracts")
"""What a step finds in the declarations depends on the steps before it, if it is one of these."""

MOST_KEPT: Final = 4
"""So many different declarations are kept: those of the spec, and of the changes that recovery tries."""


@dataclass(slots=True)
class KeptStep:
    """A step that was resolved without a finding, and what that has left behind in the declarations.

    Args:
        by_shape: Whether it depends on types that it does not mention.
    """

    step: Step
    used: dict[str, set[str]]
    types: tuple[Type, ...]
    by_shape: bool


@dataclass(slots=True)
class Kept:
    """Declarations as they were before any step was resolved, and the steps that were resolved with them.

    Args:
        units: The other files that were read.
        uses: What the spec itself has looked up: see ``Unit``.
        lookups: With their results; the declarations hold only as long as these do.
        steps: By address and content; those of the last check and of this one.
        base: The declarations read as a whole from which these differ in a few entries; ``None``: these were. Steps
            that mention none of those are kept there.
        words: Each step that mentions one of the entries has one of these words in it.
        borrows: Whether less is known here than in the base, so that no step that was resolved here is kept there.
        expressions: Those that were read while types and events were these.
    """

    parts: Parts
    declared: Declarations
    units: dict[str, Unit]
    uses: tuple[dict[str, None], dict[str, None], dict[tuple[str, str], None]]
    lookups: tuple[Lookup, ...]
    steps: dict[tuple[Address, bytes], KeptStep] = field(default_factory=dict)
    before: dict[tuple[Address, bytes], KeptStep] = field(default_factory=dict)
    base: Kept | None = None
    words: tuple[str, ...] = ()
    borrows: bool = False
    expressions: KeptExpressions = field(default_factory=KeptExpressions)

    def of(self, data: Data) -> Kept:
        """Return with what a step was resolved that is to be the same."""
        return self if self.base is None or mentions(data, self.words) else self.base

    def to_keep(self, data: Data) -> Kept:
        """Return where a step is kept that was resolved now."""
        return self if self.borrows else self.of(data)

    def known(self, key: tuple[Address, bytes]) -> KeptStep | None:
        return self.steps.get(key) or self.before.get(key)


class Memory:
    """Gives the passes what they found in a document before, where it must be the same now."""

    def __init__(self) -> None:
        self.kept: dict[object, Kept] = {}
        self.current: Kept | None = None
        self.asked: dict[int, Kept] = {}  # in this check, by identity

    def begin(self) -> None:
        """Begin a check: forget the steps that the last one did not need of the declarations that it had.

        Who makes a mistake and mends it goes back to the declarations before, whose steps are kept until then.
        """
        self.current = None
        for each in self.asked.values():
            each.before, each.steps = each.steps, {}
            each.expressions.age()
        self.asked = {}

    def bases(self) -> list[Kept]:
        """Return the declarations that were read as a whole, those of the last check at the end."""
        found = {id(base): base for each in self.kept.values() for base in [each.base or each]}
        return list(found.values())

    def declared(self, spec: Spec, report: Report, view: ProjectView) -> Declarations:
        """Return the declarations of a spec, as far as they must be equal those of an earlier check."""
        assert isinstance(view, WatchedView)
        parts = parts_of(spec)
        kept = None if parts is None else self.kept.pop(parts.whole, None)
        if kept is not None and holds(kept, view):
            restore(kept, view)
            declared = copied(kept, view, spec, report)
            declare_contract(spec.data, declared)  # which depends on triggers, too
            declared = watched(declared, view)
        elif parts is not None and (changed := self.changed(parts, spec, report, view)) is not None:
            kept, declared = changed
        else:
            found: list[Finding] = []
            declared = declare(spec, both(found.append, report), view)
            declared.sink = report
            # what is wrong with declarations may depend on anything
            kept = kept_of(parts, declared, view) if parts is not None and not found else None
            if kept is not None:
                declared.expression_cache = kept.expressions
            declared = watched(declared, view)
        self.current = kept
        if kept is not None:
            self.asked |= {id(each): each for each in (kept, kept.base) if each is not None}
        if kept is not None and not declared.codes:
            self.kept[kept.parts.whole] = kept  # the latest is the last
            if len(self.kept) > MOST_KEPT:
                del self.kept[next(iter(self.kept))]
        return declared

    def changed(
        self, parts: Parts, spec: Spec, report: Report, view: WatchedView
    ) -> tuple[Kept, Declarations] | None:
        """Return the declarations of a spec, if they differ by a few entries from earlier ones, or not in types."""
        for base in reversed(self.bases()):
            change = change_between(base.parts, parts, base.declared, spec)
            if change is not None and holds(base, view):
                restore(base, view)
                declared = copied(base, view, spec, report)
                expressions = expressions_without(base, change)
                declared.expression_cache = expressions
                read_anew(declared, change, spec)
                kept = kept_of(parts, declared, view)
                kept.base, kept.words, kept.expressions = base, change.words, expressions
                return kept, watched(declared, view)
        found = self.changed_after_types(parts, spec, report, view)
        return self.changed_imports(parts, spec, report, view) if found is None else found

    def changed_after_types(
        self, parts: Parts, spec: Spec, report: Report, view: WatchedView
    ) -> tuple[Kept, Declarations] | None:
        """Return the declarations of a spec, if its types and events are those of earlier ones.

        What its expressions were read as stays known, even where all steps are resolved anew.
        """
        for base in reversed(self.bases()):
            if has_types_of(base.parts, parts, base.declared) and holds(base, view):
                restore(base, view)
                declared = read_after_types(spec, base.declared, report, view)
                declared.expression_cache = base.expressions
                change = change_after_types(base.parts, parts, base.declared, spec)
                if change is not None:
                    take_back(declared, base.declared, change)
                kept = kept_of(parts, declared, view)
                kept.expressions = base.expressions
                if change is not None:
                    kept.base, kept.words = base, change.words
                return kept, watched(declared, view)
        return None

    def changed_imports(
        self, parts: Parts, spec: Spec, report: Report, view: WatchedView
    ) -> tuple[Kept, Declarations] | None:
        """Return the declarations of a spec, if they differ from earlier ones in imported files alone."""
        for base in reversed(self.bases()):
            if differs_in_imports(base.parts, parts, base.declared) and holds(base, view):
                restore(base, view)
                found: list[Finding] = []
                read = read_with_imports(spec, base.declared, found.append, view)
                if read is None:
                    return None
                declared, change = read
                declared.sink = report
                for each in found:
                    report(each)
                kept = kept_of(parts, declared, view)
                kept.base, kept.words, kept.borrows = base, change.words, not is_all_read(declared)
                declared.expression_cache = kept.expressions = expressions_without(base, change)
                return kept, watched(declared, view)
        return None

    def step(self, name: str, data: Data, place: Place, declared: Declarations) -> Step | None:
        """Return one step, from an earlier check if it must be the same."""
        kept = self.current and self.current.of(data)
        key = None if kept is None else step_key(data, place, declared)
        if kept is None or key is None or self.current is None:
            return resolve_step(name, data, place, declared)
        found = kept.known(key)
        if found is None or (found.by_shape and kept is not self.current):
            kept, found = self.current, self.current.known(key)
        if found is None:
            step, found = noted_step(name, data, place, declared)
            if found is None:
                return step
            kept = self.current if found.by_shape else self.current.to_keep(data)
        else:
            for section, names in found.used.items():
                table_of(declared, section).used |= names
            declared.types_in_expressions.extend(found.types)
        kept.steps[key] = found
        return found.step


def expressions_without(base: Kept, change: Affected) -> KeptExpressions:
    """Return the expressions of other declarations, without those that mention a type or an event that has changed."""
    types = tuple(map(normal_form, sorted(change.names(*TYPES))))
    return base.expressions.where(lambda text: not mentions(text, types)) if types else base.expressions


def noted_step(
    name: str, data: Data, place: Place, declared: Declarations
) -> tuple[Step | None, KeptStep | None]:
    """Resolve a step; return it, and also with what it has left behind if it would be the same in another check."""
    view = declared.project
    assert isinstance(view, WatchedView)
    lookups, findings, types = view.looked_up, len(declared.codes), len(declared.types_in_expressions)
    asked = declared.asked_by_shape
    whole, declared.flow_whole = declared.flow_whole, True
    before = {section: table.used for section, table in tables_of(declared)}
    for _, table in tables_of(declared):
        table.used = set()
    step = resolve_step(name, data, place, declared)
    used = {section: table.used for section, table in tables_of(declared) if table.used}
    for section, table in tables_of(declared):
        before[section] |= table.used
        table.used = before[section]
    clean = declared.flow_whole and (lookups, findings) == (view.looked_up, len(declared.codes))
    declared.flow_whole &= whole
    if step is None or not clean or not HIDING_USES.isdisjoint(declared.codes):
        return step, None
    by_shape = declared.asked_by_shape > asked
    return step, KeptStep(step, used, tuple(declared.types_in_expressions[types:]), by_shape)


def tables_of(declared: Declarations) -> Iterator[tuple[str, Table[Any]]]:
    yield from declared.tables.items()
    yield "secrets", declared.secrets


def table_of(declared: Declarations, section: str) -> Table[Any]:
    return declared.secrets if section == "secrets" else declared.tables[section]


class WatchedDict(dict[Any, Any]):
    """What several steps share: who asks it for something depends on the steps before, and is counted."""

    __slots__ = ("view",)

    def __init__(self, content: dict[Any, Any], view: WatchedView) -> None:
        super().__init__(content)
        self.view = view

    def __contains__(self, key: object) -> bool:
        self.view.looked_up += 1
        return super().__contains__(key)

    def __getitem__(self, key: Any) -> Any:
        self.view.looked_up += 1
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.view.looked_up += 1
        super().__setitem__(key, value)

    def __iter__(self) -> Iterator[Any]:
        self.view.looked_up += 1
        return super().__iter__()

    def get(self, key: Any, default: Any = None) -> Any:
        self.view.looked_up += 1
        return super().get(key, default)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        self.view.looked_up += 1
        return super().setdefault(key, default)


def watched(declared: Declarations, view: WatchedView) -> Declarations:
    """Return declarations that count who asks for what steps share."""
    for name in SHARED:
        setattr(declared, name, WatchedDict(getattr(declared, name), view))
    return declared


def step_key(data: Data, place: Place, declared: Declarations) -> tuple[Address, bytes] | None:
    content = None if declared.is_broken(place.address) else packed(data)
    return None if content is None else (place.address, content)


def holds(kept: Kept, view: WatchedView) -> bool:
    """Return whether all that declarations have looked up in other files is as it was."""
    return all(map(view.project.lookups.still_holds, kept.lookups))


def both(first: Report, second: Report) -> Report:
    def send(finding: Finding) -> None:
        first(finding)
        second(finding)

    return send


def kept_of(parts: Parts, declared: Declarations, view: WatchedView) -> Kept:
    own = view.own
    return Kept(
        parts,
        replace(declared, **tables_copied(declared)),
        {name: unit for name, unit in view.project.units.items() if name != view.path},
        (dict(own.uses), dict(own.calls), dict(own.lookups)),
        view.project.dependencies(view.path),
    )


def restore(kept: Kept, view: WatchedView) -> None:
    """Let a project know what it would know if the declarations had been read with it."""
    for name, unit in kept.units.items():
        view.project.units.setdefault(name, unit)
    uses, calls, lookups = kept.uses
    view.own.uses |= uses
    view.own.calls |= calls
    view.own.lookups |= lookups


def copied(kept: Kept, view: WatchedView, spec: Spec, report: Report) -> Declarations:
    """Return kept declarations as those of a spec; what is done with them leaves the kept ones as they are."""
    data = spec.data
    declared = replace(
        kept.declared,
        **tables_copied(kept.declared),
        sink=report,
        data=data,
        broken=spec.broken,
        project=view,
        expression_cache=kept.expressions,
    )
    declared.events.elsewhere = lambda name: hint_for_no_event(name, data)
    return declared


def tables_copied(declared: Declarations) -> dict[str, Any]:
    """Return copies of all parts of declarations that steps may add to; the nodes in them are the same."""
    found: dict[str, Any] = {}
    for each in fields(declared):
        value = getattr(declared, each.name)
        if isinstance(value, Table):
            found[each.name] = replace(
                value, nodes=dict(value.nodes), broken=set(value.broken), used=set(value.used)
            )
        elif isinstance(value, (dict, list, set)) and each.name != "data":
            found[each.name] = copy(value)
    return found
