"""The declarations of a spec, and its view of the other files of its project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from wfc.compiler.diagnostics import Address, Finding, Place, Report, Severity
from wfc.compiler.expressions import Expression, ExpressionCache
from wfc.compiler.model import (
    Agent,
    Event,
    Knowledge,
    Merge,
    Model,
    NamedText,
    Received,
    Resource,
    Retry,
    RunKey,
    Secret,
    Thread,
    Tool,
)
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.symbols.contracts import Contract
from wfc.compiler.resolve.symbols.names import check_style
from wfc.compiler.resolve.symbols.tables import Data, Node, Table, entries, never_named
from wfc.compiler.rules import agents as agent_problems
from wfc.compiler.rules import files as file_problems
from wfc.compiler.rules import names as problems
from wfc.compiler.rules import undeclared
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.types import UNKNOWN, Record, Type

if TYPE_CHECKING:
    from wfc.compiler.resolve.symbols.contracts import CalledWorkflow
    from wfc.compiler.schema import Spec

__all__ = ["NO_PROJECT", "Declarations", "Defaults", "OtherFile", "ProjectView", "Refused"]


@dataclass(frozen=True, slots=True)
class OtherFile:
    """Another file that was read.

    Args:
        path: As findings show it; the ``Origin`` of places in it.
        declared: What it declares.
    """

    path: str
    declared: Declarations


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a file cannot be used: ``reason`` goes on after its path; ``broken`` has findings of its own."""

    why: Literal["missing", "outside", "other", "cycle", "broken"]
    reason: str


class ProjectView(Protocol):
    """The files that a spec may mention. Paths are as the spec writes them, relative to it."""

    @property
    def path(self) -> str:
        """The spec's own path, as findings show it; empty where it has none."""

    @property
    def alone(self) -> bool:
        """Whether nothing is known of other specs, so that none can be reported as missing."""

    def shared(self, path: str) -> OtherFile | Refused:
        """Return a file of declarations."""

    def part(self, path: str) -> tuple[str, Spec] | Refused:
        """Return a file with steps of this workflow, and its path as findings show it."""

    def text(self, path: str) -> tuple[str, str] | Refused:
        """Return the text of a file, and its path as findings show it."""

    def workflow(self, name: str, *, mentioned: bool = True) -> OtherFile | None:
        """Return the other spec whose workflow has this name.

        Args:
            mentioned: Whether this spec calls it or sends to it, so that it cannot be run without it.
        """

    def workflows(self) -> Iterable[str]:
        """Return the names of all workflows of the project, this one's included."""

    def twin(self, name: str) -> str | None:
        """Return the path of another spec of the same name, among those that are checked together and before
        this one.
        """


class NoProject:
    """A spec of which only the text is known."""

    path = ""
    alone = True

    def shared(self, path: str) -> Refused:
        """There is none."""
        return Refused("missing", "no files can be read here")

    part = text = shared

    def workflow(self, name: str, *, mentioned: bool = True) -> None:
        """There is none."""

    def workflows(self) -> Iterable[str]:
        """There are none."""
        return ()

    def twin(self, name: str) -> None:
        """There is none."""


NO_PROJECT: ProjectView = NoProject()


@dataclass(frozen=True, slots=True)
class Defaults:
    """Defaults for steps that name nothing else.

    Args:
        model: A model, or ``None`` where there is none or its name is unknown.
        has_model: Whether `defaults` says anything about models.
    """

    model: Model | None = None
    has_model: bool = False
    retry: Retry | None = None
    timeout: float | Expression | None = None


@dataclass(slots=True)
class Declarations:
    """All declarations of a spec.

    Args:
        sink: Takes findings.
        data: The spec's.
        broken: Addresses of what was ill-shaped and left out, and of all that it was a part of.
        types: Declared types, and events' records, by name.
        classes: Those of them that are records, for `is Name`.
        flow_whole: Whether every step and every mention of an event could be read, so that rules over the
            whole flow do not report consequences of other findings.
        defaults: What `defaults` says.
        merges: How state fields are merged, by the field's name.
        codes: Of all findings so far.
        errors: How many of them are errors.
        project: What is known of the other files of its project.
        imported: Names that come from other files: by section and name, where they are declared, and as what.
        imports: The files that this one imports, and those that they import, each once, the imported first.
        contracts: What workflows promise, by name: this one, and those of its folder as far as they are known.
        receives: What runs take from outside, by the event's name.
        waited: Event → address of the first step that waits for it.
        called: The other workflows that steps call, by name; ``None`` for what cannot be called.
        workflow_tools: What workflows are as tools of agents, by the tools' names; ``None`` likewise.
        collection_tools: What collections are as tools of agents, by their names.
        adopted: Names given to types of other workflows.
        expression_cache: Of the expressions in steps.
        types_in_expressions: What `from_json` is told to read.
        asked_by_shape: How often all types were looked through for one of some fields, without its name.
        found_in_texts: Places in the texts of prompts with findings, and how grave those are.
    """

    sink: Report
    data: Data
    broken: frozenset[Address]
    types: dict[str, Type] = field(default_factory=dict)
    classes: dict[str, Record] = field(default_factory=dict)
    events: Table[Event] = field(default_factory=lambda: Table("an event", lambda: undeclared.unknown_event))
    secrets: Table[Secret] = field(
        default_factory=lambda: Table("a secret", lambda: undeclared.unknown_secret)
    )
    models: Table[Model] = field(default_factory=lambda: Table("a model", lambda: undeclared.unknown_model))
    texts: Table[NamedText] = field(default_factory=lambda: Table("a text", lambda: undeclared.unknown_text))
    tools: Table[Tool] = field(default_factory=lambda: Table("a tool", lambda: undeclared.unknown_tool))
    agents: Table[Agent] = field(default_factory=lambda: Table("an agent", lambda: undeclared.unknown_agent))
    knowledge: Table[Knowledge] = field(
        default_factory=lambda: Table("a collection", lambda: undeclared.unknown_knowledge)
    )
    threads: Table[Thread] = field(
        default_factory=lambda: Table("a thread", lambda: agent_problems.unknown_thread)
    )
    retries: Table[Retry] = field(
        default_factory=lambda: Table("a retry policy", lambda: undeclared.unknown_retry)
    )
    resources: Table[Resource] = field(default_factory=lambda: Table("a resource", lambda: never_named))
    state: Record = field(default_factory=lambda: Record("State", role="state"))
    config: Record = field(default_factory=lambda: Record("Config", role="config"))
    defaults: Defaults = field(default_factory=Defaults)
    merges: dict[str, Merge] = field(default_factory=dict)
    start: Event | None = None
    end: tuple[Event, ...] = ()
    flow_whole: bool = True
    codes: list[str] = field(default_factory=list)
    errors: int = 0
    project: ProjectView = NO_PROJECT
    imported: dict[tuple[str, str], tuple[Place, str]] = field(default_factory=dict)
    imports: dict[str, OtherFile] = field(default_factory=dict)
    contracts: dict[str, Contract | None] = field(default_factory=dict)
    key: RunKey | None = None
    receives: dict[str, Received] = field(default_factory=dict)
    waited: dict[str, Address] = field(default_factory=dict)
    called: dict[str, CalledWorkflow | None] = field(default_factory=dict)
    workflow_tools: dict[str, Tool | None] = field(default_factory=dict)
    collection_tools: dict[str, Tool] = field(default_factory=dict)
    adopted: set[str] = field(default_factory=set)
    types_in_expressions: list[Type] = field(default_factory=list)
    asked_by_shape: int = 0
    found_in_texts: dict[Place, int] = field(default_factory=dict)
    expression_cache: ExpressionCache = field(default_factory=ExpressionCache)

    def report(self, finding: Finding) -> None:
        """Report a finding, and record its kind."""
        self.codes.append(finding.code)
        self.errors += finding.severity is Severity.ERROR
        self.sink(finding)

    def entries(self, section: str) -> Iterator[tuple[str, object, Address]]:
        """Yield the spec's own entries of a section: name in normal form, what is written there, its
        address.

        A name that an imported file declares too is reported, and its entry left out.
        """
        for name, content, address in entries(self.data.get(section), (section,)):
            first = self.imported.get((section, name))
            if first is None:
                yield name, content, address
            else:
                self.report(problems.name_declared_twice(Place(address).key, name, *first))

    @property
    def tables(self) -> dict[str, Table[Any]]:
        """The tables that imported files add to, by section."""
        return {
            "events": self.events,
            "texts": self.texts,
            "models": self.models,
            "tools": self.tools,
            "agents": self.agents,
            "knowledge": self.knowledge,
            "retries": self.retries,
            "threads": self.threads,
            "resources": self.resources,
        }

    def new_entries(
        self, section: str, table: Table[Any], kind: str = ""
    ) -> Iterator[tuple[str, object, Place]]:
        """Yield the entries of a section whose names are usable and new: name, what is written there, its place.

        Args:
            kind: What messages about the style of names call an entry, where it is not the table's word.
        """
        self.prepare(section, table)
        for name, content, address in self.entries(section):
            place = Place(address)
            if name in table.nodes:
                first = Place(table.nodes[name].address).key
                self.report(problems.name_declared_twice(place.key, name, first, table.what))
            elif check_style(name, place.key, kind or table.what.partition(" ")[2], self.report):
                yield name, content, place
            else:
                table.broken.add(name)

    def counts(self, section: str, name: str, table: Table[Any]) -> bool:
        """Return whether an entry counts: it is the spec's own, or comes from another file and is used."""
        return (section, name) not in self.imported or name in table.used

    def contract(self, name: str, place: Place) -> Contract | None:
        """Return a workflow's contract; ``None`` with a finding if there is none, without one if it is
        broken.
        """
        name = normal_form(name)
        first = name not in self.contracts
        found = self.promised(name)
        if found is None and first and not self.project.alone:
            known = self.project.workflows()
            if name not in known:
                self.report(file_problems.unknown_workflow(place, name, known))
        return found

    def all_contracts(self) -> list[Contract] | None:
        """Return the contracts of all known workflows, this one included; ``None`` if not all of them are
        known.
        """
        found = [
            self.promised(name) for name in {**self.contracts, **dict.fromkeys(self.project.workflows())}
        ]
        return None if self.project.alone or None in found else cast("list[Contract]", found)

    def contract_beside(self, name: str) -> Contract | None:
        """Return the contract of a workflow that need not be mentioned here."""
        if name in self.contracts:
            return self.contracts[name]
        other = self.project.workflow(name, mentioned=False)
        return None if other is None else other.declared.contracts.get(name)

    def promised(self, name: str) -> Contract | None:
        """Return one workflow's contract, which is looked up only once."""
        if name not in self.contracts:
            other = self.project.workflow(name)
            self.contracts[name] = None if other is None else other.declared.contracts.get(name)
        return self.contracts[name]

    def mentions(self, *sections: str) -> bool:
        """Return whether the spec has one of some sections, even if it was left out."""
        return any(each in self.data or (each,) in self.broken for each in sections)

    def is_broken(self, address: Address) -> bool:
        """Return whether something at or below an address was left out."""
        return address in self.broken

    def may_receive_more(self) -> bool:
        """Return whether something under `receives` was left out, or is not what it should be."""
        named = self.data.get("receives")
        names = map(normal_form, map(str, named)) if isinstance(named, dict) else ()
        return self.is_broken(("receives",)) or not self.receives.keys() >= set(names)

    def any_broken(self, place: Place, keys: Iterable[str]) -> bool:
        """Return whether something under one of some keys of a place was left out."""
        return bool(self.broken) and any((*place.address, key) in self.broken for key in keys)

    def unread(self, section: str) -> bool:
        """Return whether a section was left out as a whole, so that none of its names are known."""
        return (section,) in self.broken and section not in self.data

    def record(self, section: Literal["config", "state"]) -> Type:
        """Return the record of `config` or `state`; an unknown type where nothing is known of its fields."""
        if self.unread(section):
            return UNKNOWN
        return self.state if section == "state" else self.config

    def broken_names(self, section: str) -> set[str]:
        """Return the names in a section that were left out as a whole."""
        if (section,) not in self.broken:
            return set()
        section_data = self.data.get(section)
        there = section_data if isinstance(section_data, dict) else {}
        return {
            normal_form(address[1])
            for address in self.broken
            if len(address) == 2
            and address[0] == section
            and isinstance(address[1], str)
            and address[1] not in there
        }

    def prepare(self, section: str, table: Table[Node]) -> None:
        """Record in a table which names of its section were left out."""
        table.broken |= self.broken_names(section)
        table.unread |= self.unread(section)
