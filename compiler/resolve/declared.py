"""What a spec declares, by name: the tables in which every later pass looks names up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from wfc.compiler.diagnostics import Address, Finding, Place, Report, Severity
from wfc.compiler.expressions.memory import Memory
from wfc.compiler.model import (
    Agent,
    Event,
    Knowledge,
    Merge,
    Model,
    Prompt,
    Received,
    Resource,
    Retry,
    RunKey,
    Secret,
    Tool,
)
from wfc.compiler.resolve.contracts import Contract
from wfc.compiler.resolve.names import normal
from wfc.compiler.resolve.surroundings import ALONE, Around, Surroundings
from wfc.compiler.rules import names as problems
from wfc.compiler.rules.files import unknown_workflow
from wfc.compiler.slotted import dataclass, field, replace
from wfc.compiler.types import UNKNOWN, Record, Type

if TYPE_CHECKING:
    from wfc.compiler.resolve.calls import Called

__all__ = ["Declared", "Defaults", "Table", "entries"]

Node = TypeVar("Node")
Unknown = Callable[[Place, str, Iterable[str]], Finding]


def entries(section: object, address: Address) -> Iterator[tuple[str, object, Address]]:
    """The entries of a mapping in the spec: name in normal form, what is written there, its address."""
    if isinstance(section, dict):
        for key, content in section.items():
            yield normal(key), content, (*address, key)


def never_named(place: Place, name: str, known: Iterable[str]) -> Finding:
    """For a table in which no name of a spec is looked up: only Python functions ask for resources."""
    raise AssertionError(f"{place}: nothing names the resource {name}")


@dataclass(slots=True)
class Table(Generic[Node]):
    """Things of one kind by their names.

    Args:
        unknown: Makes the finding for a name that is not declared.
        nodes: By name in normal form, in the order written.
        broken: Names of those that are declared but of no use; another finding says why.
        unread: Whether the whole section was ill-shaped, so that nothing is known of its names.
        used: Names that something has asked for.
        elsewhere: What to say of a name that means something else; an empty text of all others.
    """

    unknown: Unknown
    nodes: dict[str, Node] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    unread: bool = False
    used: set[str] = field(default_factory=set)
    elsewhere: Callable[[str], str] | None = None

    def find(self, name: str, place: Place, report: Report) -> Node | None:
        """What is declared under a name; ``None`` if it is broken or, with a finding, if it is not declared."""
        name = normal(name)
        self.used.add(name)
        node = self.nodes.get(name)
        if node is None and name not in self.broken and not self.unread:
            finding = self.unknown(place, name, (*self.nodes, *self.broken))
            hint = self.elsewhere(name) if self.elsewhere is not None else ""
            report(replace(finding, hint=hint, fix=None) if hint else finding)
        return node


class Unread(dict[str, Type]):
    """Types of a section that could not be read: every name is taken for one."""

    def __missing__(self, name: str) -> Type:
        return UNKNOWN

    def __contains__(self, name: object) -> bool:
        return True

    def get(self, name: str, default: object = None) -> Type:
        return self[name]


@dataclass(frozen=True, slots=True)
class Defaults:
    """What steps use that name nothing else.

    Args:
        model: A model, or ``None`` where there is none or its name is unknown.
        has_model: Whether `defaults` says anything about models.
    """

    model: Model | None = None
    has_model: bool = False
    retry: Retry | None = None
    timeout: float | None = None


@dataclass(slots=True)
class Declared:
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
        around: What is known of the files around.
        imported: Names that come from other files: by section and name, where they are declared, and as what.
        imports: The files that this one imports, and those that they import, each once, the imported first.
        contracts: What workflows promise, by name: this one, and those of its folder as far as they are known.
        receives: What runs take from outside, by the event's name.
        waited: Event → address of the first step that waits for it.
        called: The other workflows that steps call, by name; ``None`` for what cannot be called.
        adopted: Names given to types of other workflows.
        memory: Of expressions in steps.
        found_in_prompts: Places in the texts of prompts with findings, and how grave those are.
    """

    sink: Report
    data: Mapping[str, object]
    broken: frozenset[Address]
    types: dict[str, Type] = field(default_factory=dict)
    classes: dict[str, Record] = field(default_factory=dict)
    events: Table[Event] = field(default_factory=lambda: Table(problems.unknown_event))
    secrets: Table[Secret] = field(default_factory=lambda: Table(problems.unknown_secret))
    models: Table[Model] = field(default_factory=lambda: Table(problems.unknown_model))
    prompts: Table[Prompt] = field(default_factory=lambda: Table(problems.unknown_prompt))
    tools: Table[Tool] = field(default_factory=lambda: Table(problems.unknown_tool))
    agents: Table[Agent] = field(default_factory=lambda: Table(problems.unknown_agent))
    knowledge: Table[Knowledge] = field(default_factory=lambda: Table(problems.unknown_knowledge))
    retries: Table[Retry] = field(default_factory=lambda: Table(problems.unknown_retry))
    resources: Table[Resource] = field(default_factory=lambda: Table(never_named))
    state: Record = field(default_factory=lambda: Record("State", role="state"))
    config: Record = field(default_factory=lambda: Record("Config", role="config"))
    defaults: Defaults = field(default_factory=Defaults)
    merges: dict[str, Merge] = field(default_factory=dict)
    start: Event | None = None
    end: tuple[Event, ...] = ()
    flow_whole: bool = True
    codes: list[str] = field(default_factory=list)
    errors: int = 0
    around: Surroundings = ALONE
    imported: dict[tuple[str, str], tuple[Place, str]] = field(default_factory=dict)
    imports: dict[str, Around] = field(default_factory=dict)
    contracts: dict[str, Contract | None] = field(default_factory=dict)
    key: RunKey | None = None
    receives: dict[str, Received] = field(default_factory=dict)
    waited: dict[str, Address] = field(default_factory=dict)
    called: dict[str, Called | None] = field(default_factory=dict)
    adopted: set[str] = field(default_factory=set)
    found_in_prompts: dict[Place, int] = field(default_factory=dict)
    memory: Memory = field(default_factory=Memory)

    def report(self, finding: Finding) -> None:
        """Take a finding, and remember that there was one of its kind."""
        self.codes.append(finding.code)
        self.errors += finding.severity is Severity.ERROR
        self.sink(finding)

    def entries(self, section: str) -> Iterator[tuple[str, object, Address]]:
        """The spec's own entries of a section: name in normal form, what is written there, its address.

        A name that an imported file declares too is reported, and its entry left out.
        """
        for name, content, address in entries(self.data.get(section), (section,)):
            first = self.imported.get((section, name))
            if first is None:
                yield name, content, address
            else:
                self.report(problems.name_declared_twice(Place(address).key, name, *first))

    def counts(self, section: str, name: str, table: Table[Any]) -> bool:
        """Whether an entry is the spec's own, or comes from another file and is used."""
        return (section, name) not in self.imported or name in table.used

    def contract(self, name: str, place: Place) -> Contract | None:
        """What a workflow promises; ``None`` with a finding if there is none, without one if it is broken."""
        name = normal(name)
        first = name not in self.contracts
        found = self.promised(name)
        if found is None and first and not self.around.alone:
            known = self.around.workflows()
            if name not in known:
                self.report(unknown_workflow(place, name, known))
        return found

    def all_contracts(self) -> list[Contract] | None:
        """What the workflows around promise, this one included; ``None`` if that is not known of all."""
        found = [self.promised(name) for name in {**self.contracts, **dict.fromkeys(self.around.workflows())}]
        return None if self.around.alone or None in found else cast("list[Contract]", found)

    def promised(self, name: str) -> Contract | None:
        """What one workflow promises, asked for once."""
        if name not in self.contracts:
            around = self.around.workflow(name)
            self.contracts[name] = None if around is None else around.declared.contracts.get(name)
        return self.contracts[name]

    def is_broken(self, address: Address) -> bool:
        """Whether something at or below an address was left out."""
        return address in self.broken

    def unread(self, section: str) -> bool:
        """Whether a section was left out as a whole, so that nothing is known of its names."""
        return (section,) in self.broken and section not in self.data

    def broken_names(self, section: str) -> set[str]:
        """Names in a section that were left out as a whole."""
        if (section,) not in self.broken:
            return set()
        section_data = self.data.get(section)
        there = section_data if isinstance(section_data, dict) else {}
        return {
            normal(address[1])
            for address in self.broken
            if len(address) == 2
            and address[0] == section
            and isinstance(address[1], str)
            and address[1] not in there
        }

    def prepare(self, section: str, table: Table[Node]) -> None:
        """Let a table know what its section has lost."""
        table.broken |= self.broken_names(section)
        table.unread |= self.unread(section)
