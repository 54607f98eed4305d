"""What may differ between two states of a spec whose declarations have changed."""

from __future__ import annotations

import marshal
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Final

from wfc.compiler.diagnostics import Address, Finding, Place
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve import ABOUT_SPECS
from wfc.compiler.resolve.declarations.events import roles_of
from wfc.compiler.resolve.declarations.extending import EXTENDS
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_style, report_look_alikes
from wfc.compiler.resolve.symbols.tables import UnreadTypes
from wfc.compiler.schema import Spec
from wfc.compiler.schema.expansion import schema
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import BUILT_IN

__all__ = [
    "SECTIONS",
    "TYPES",
    "Affected",
    "Parts",
    "change_after_types",
    "change_between",
    "change_of_imports",
    "differs_in_imports",
    "entries_of",
    "has_types_of",
    "is_all_read",
    "mentions",
    "packed",
    "parts_of",
]

Entry = tuple[str, str]
"""A section and a name in it."""

LATER: Final = frozenset(
    "steps tests parts deadline on_error on_deadline on_cancel limits moved removed migrate triggers".split()
)
"""The sections that are read when all declarations are there, and most of them when all steps are. Of what is declared,
only what the workflow promises depends on one of them, its triggers."""

RUNS: Final = ("workflow", "start", "end")
"""What runs are called, and which events they begin and end with: no type depends on it."""

TYPES: Final = ("types", "events")
SECTIONS: Final = (*TYPES, "config", "state", "retries", "texts", "models", "tools", "agents")
"""The sections whose entries are compared one by one."""

NAMED: Final = frozenset("secrets defaults knowledge threads receives resources key when_running".split())
"""The sections that are read once types and events are known. Whether they are the same is asked of all of them at
once, and if not, of each by itself."""

BY_NAME: Final = ("secrets", "receives", "knowledge", "threads", "resources")
"""Those of them that are compared entry by entry: on an entry only that depends in which its name stands. If another of
them differs, anything may be another."""

SHARING: Final = frozenset({"openapi", "mcp", "workflow"})
"""Keys of tools that stand for several, or that other files have a say in."""

MESSAGES: Final = ("key", "receives")
"""The sections about what comes from outside: steps know of it by the names of events alone."""

INPUTS: Final = ("inputs", "restart")
"""The words by which steps mention the event with which runs start."""

MOST_CHANGED: Final = 6
"""So many entries may be other ones; after more, all is read anew."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What declarations depend on, as bytes that differ where it does: each entry, and the rest.

    Args:
        about: What the spec says about itself, on which nothing else depends.
        named: What no type and no event depends on.
        runs: What runs are called, begin with and end with.
        imports: The files whose declarations hold here, too.
    """

    rest: bytes
    about: bytes
    named: bytes
    runs: bytes
    imports: bytes
    entries: dict[Entry, bytes]

    @property
    def whole(self) -> tuple[bytes, bytes, bytes, bytes, bytes, tuple[tuple[Entry, bytes], ...]]:
        """All of it, in its order."""
        return self.rest, self.about, self.named, self.runs, self.imports, tuple(self.entries.items())

    def types(self) -> list[tuple[Entry, bytes]]:
        """Return the types and events."""
        return [each for each in self.entries.items() if each[0][0] in TYPES]


@dataclass(frozen=True, slots=True)
class Affected:
    """What may differ between two states of a spec.

    Args:
        entries: Those that are other ones, and those that mention them.
        words: One of these is in each step that may differ.
        messages: Whether what comes from outside may differ, and how it finds its run.
    """

    entries: frozenset[Entry]
    words: tuple[str, ...]
    messages: bool = False

    def names(self, *sections: str) -> set[str]:
        return {name for section, name in self.entries if section in sections}


def packed(data: object) -> bytes | None:
    """Return plain data as bytes, which are equal only if also their order and their types are."""
    try:
        return marshal.dumps(data, 0)  # type: ignore[arg-type]  # what has no form is refused
    except ValueError:  # too deep, or a placeholder of something that could not be read
        return None


def parts_of(spec: Spec) -> Parts | None:
    """Return what the declarations of a spec depend on; ``None`` if it has no form."""
    found = {entry: packed(content) for entry, content in entries_of(spec.data).items()}
    apart = {section for section, _ in found}
    other = {
        key: None if key in apart else value  # a section that is compared by entries only stands somewhere
        for key, value in spec.data.items()
        if key not in LATER and key not in ABOUT_SPECS
    }
    broken = [each for each in spec.broken if each[0] not in LATER and each[0] in sections()]
    rest, named, runs, imports = (
        packed(
            [
                {key: value for key, value in other.items() if group_of(key) == group},
                sorted(repr(each) for each in broken if group_of(each[0]) == group),
            ]
        )
        for group in ("rest", "named", "runs", "imports")
    )
    about = packed([spec.data.get(key) for key in ABOUT_SPECS])
    if rest is None or named is None or runs is None or imports is None or about is None:
        return None
    if None in found.values():
        return None
    known = {name: each for name, each in found.items() if each is not None}
    return Parts(rest, about, named, runs, imports, known)


def group_of(key: object) -> str:
    if key == "imports":
        return "imports"
    return "named" if key in NAMED else "runs" if key in RUNS else "rest"


def entries_of(data: Mapping[str, object]) -> dict[Entry, object]:
    """Return what is declared in the sections that are compared by entries."""
    found: dict[Entry, object] = {}
    for section in SECTIONS:
        content = data.get(section)
        if isinstance(content, dict) and all(isinstance(each, str) for each in content):
            found |= {(section, name): each for name, each in content.items()}
    return found


@cache
def sections() -> frozenset[str]:
    """Return the keys at the top of specs; nothing asks whether another one is broken."""
    found = schema()["$defs"]
    return frozenset(key for name in ("spec", "shared", "part") for key in found[name]["properties"])


def change_between(before: Parts, now: Parts, declared: Declarations, spec: Spec) -> Affected | None:
    """Return what may differ between two states.

    Args:
        declared: Of the earlier state.
        spec: The later one.

    Returns:
        ``None`` if it may be anything.
    """
    if (before.rest, before.named, before.runs, before.imports) != (
        now.rest,
        now.named,
        now.runs,
        now.imports,
    ):
        return None
    changed = {
        each
        for each in before.entries.keys() | now.entries.keys()
        if before.entries.get(each) != now.entries.get(each)
    }
    in_order = [each for each in now.entries if each in before.entries]
    if len(changed) > MOST_CHANGED or in_order != [each for each in before.entries if each in now.entries]:
        return None
    added = [each for each in changed if each not in before.entries]
    if not all_new(added, declared, spec) or came_or_went_with_role(before, now, spec):
        return None
    content = entries_of(spec.data)
    entries = with_mentioning(changed, content)
    words = words_of(entries, spec)
    change = Affected(frozenset(entries), words, mentions([spec.data.get(key) for key in MESSAGES], words))
    others = [each for key, each in spec.data.items() if key not in MESSAGES and is_other(key, content)]
    unchanged_names = [{name: each} for (key, name), each in content.items() if (key, name) not in entries]
    if mentions([*others, *unchanged_names], change.words) or not can_be_read_alone(
        change, declared, content
    ):
        return None
    return change


def is_other(key: str, content: Mapping[Entry, object]) -> bool:
    """Return whether a section is read with the declarations, and as a whole."""
    return key not in LATER and key not in RUNS and not any(section == key for section, _ in content)


def with_mentioning(changed: set[Entry], content: Mapping[Entry, object]) -> set[Entry]:
    """Return some entries with those that mention them, and those that mention these, and so on."""
    found, new = set(changed), set(changed)
    while new:
        words = [normal_form(name) for _, name in new]
        new = {each for each, said in content.items() if each not in found and mentions(said, words)}
        found |= new
        if any(section == "agents" for section, _ in found):  # they hold each other
            new |= {each for each in content if each[0] == "agents" and each not in found}
        found |= new
    return found


def words_of(entries: Collection[Entry], spec: Spec) -> tuple[str, ...]:
    """Return the names of entries, and what stands for the inputs if one is the event with which runs start."""
    roles = roles_of(spec.data)
    names = [normal_form(name) for _, name in sorted(entries)]
    starts = any(section == "events" and roles.get(normal_form(name)) == "start" for section, name in entries)
    return (*names, *(INPUTS if starts else ()))


def can_be_read_alone(change: Affected, declared: Declarations, content: Mapping[Entry, object]) -> bool:
    """Return whether nothing but what mentions them depends on some entries."""
    if any(isinstance(each := content.get(entry), dict) and EXTENDS in each for entry in change.entries):
        return False
    if declared.imports and ("inputs" in change.words or change.names(*SECTIONS) - change.names("events")):
        return False  # texts of other files may ask for inputs, and what they declare is in the same tables
    shared = declared.called or declared.workflow_tools or declared.collection_tools
    if change.names("agents") and shared:
        return False
    tools = [content.get(each) for each in change.entries if each[0] == "tools"]
    return not any(isinstance(each, dict) and not SHARING.isdisjoint(each) for each in tools) and not any(
        name in declared.tools.nodes and declared.tools.nodes[name].operations
        for name in map(normal_form, change.names("tools"))
    )


def came_or_went_with_role(before: Parts, now: Parts, spec: Spec) -> bool:
    """Return whether an event with which runs begin or end came or went: nothing is known without them."""
    came_or_went = before.entries.keys() ^ now.entries.keys()
    return (
        not roles_of(spec.data)
        .keys()
        .isdisjoint(normal_form(name) for section, name in came_or_went if section == "events")
    )


def all_new(added: Iterable[Entry], declared: Declarations, spec: Spec) -> bool:
    """Return whether the names among them that are types or events are fit, and not to be mistaken for others."""
    found: list[Finding] = []
    for section, name in added:
        if section not in TYPES:
            continue  # their sections are read as a whole
        imported = any((each, normal_form(name)) in declared.imported for each in TYPES)
        if imported or normal_form(name) in declared.types or name in BUILT_IN:
            return False
        check_style(normal_form(name), Place((section, name)), "", found.append, pascal=True)
        known = [other for key, other in entries_of(spec.data) if key in TYPES]
        if known.count(name) > 1:
            return False
        report_look_alikes(
            {each: Place(()) for each in (*declared.types, *map(normal_form, known))}, found.append
        )
    return not found


def mentions(data: object, words: Collection[str]) -> bool:
    """Return whether a word stands in data."""
    if not words:
        return False
    found, waiting = pattern_of(tuple(words)), [data]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            text = each if each.isascii() else normal_form(each)
            if found.search(text):
                return True
        elif isinstance(each, Mapping):
            waiting += each.keys()
            waiting += each.values()
        elif isinstance(each, (list, tuple)):
            waiting += each
    return False


@lru_cache(maxsize=8)
def pattern_of(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)")


def has_types_of(before: Parts, now: Parts, declared: Declarations) -> bool:
    """Return whether types and events are those of an earlier state, which has these declarations, but for roles."""
    same = (before.rest, before.imports, before.types()) == (now.rest, now.imports, now.types())
    return same and declared.flow_whole


def differs_in_imports(before: Parts, now: Parts, declared: Declarations) -> bool:
    """Return whether only the imported files are other ones than in an earlier state, which has these declarations."""
    same = (before.rest, before.named, before.runs) == (now.rest, now.named, now.runs)
    in_order = list(before.entries.items()) == list(now.entries.items())
    other_files = same and in_order and before.imports != now.imports
    return other_files and declared.flow_whole and is_all_read(declared)


def is_all_read(declared: Declarations) -> bool:
    """Return whether each name that is not declared is known not to be: where a file or a section could not be read,
    steps and types are taken as good that name anything.
    """
    tables = declared.tables.values()
    return not isinstance(declared.types, UnreadTypes) and not any(each.unread for each in tables)


def change_of_imports(known: Declarations, now: Declarations, data: Mapping[str, object]) -> Affected | None:
    """Return what may differ between two states of a spec that import other files; ``None`` if it may be anything."""
    if known.agents.nodes or now.agents.nodes:
        return None  # they hold each other
    changed = set(changed_names(known, now))
    names = tuple(normal_form(name) for _, name in sorted(changed))
    own = entries_of(data)
    others = [each for key, each in data.items() if is_other(key, own)]
    types = [each for (section, _), each in own.items() if section in TYPES]
    if mentions([*others, *types, data.get("start"), data.get("end")], names):
        return None
    content = {entry: each for entry, each in own.items() if entry[0] not in TYPES}
    for declared in (known, now):
        for other in declared.imports.values():
            content |= entries_of(other.declared.data)
    entries = with_mentioning(changed, content)
    words = tuple(normal_form(name) for _, name in sorted(entries))
    unclear = [data.get(key) for key in ("defaults", "key", "receives", "knowledge", "threads")]
    return None if mentions(unclear, words) else Affected(frozenset(entries), words)


def changed_names(known: Declarations, now: Declarations) -> Iterator[Entry]:
    """Yield what comes from other files in one of two states only, or is another one."""
    for section, name in known.imported.keys() | now.imported.keys():
        if section == "types":
            is_same = dict.get(known.types, name) is dict.get(now.types, name)
        else:
            old, new = (each.tables[section].nodes.get(name) for each in (known, now))
            is_same = section == "events" or old == new
        if not is_same:
            yield section, name
    others = [each.declared for state in (known, now) for each in state.imports.values()]
    for name in {name for each in others for name in each.config.fields}:
        if known.config.fields.get(name) != now.config.fields.get(name):
            yield "config", name
    for name in {name for each in others for name in each.secrets.nodes}:
        if known.secrets.nodes.get(name) != now.secrets.nodes.get(name):
            yield "secrets", name


def change_after_types(before: Parts, now: Parts, known: Declarations, spec: Spec) -> Affected | None:
    """Return what may differ between two states that have the same types and events; ``None`` if it may be anything."""
    if before.entries != now.entries or list(before.entries) != list(now.entries):
        return None
    if named_broken(known.broken) != named_broken(spec.broken):
        return None
    if (
        before.runs != now.runs
        and known.data.get("workflow") != spec.data.get("workflow")
        and known.agents.nodes
    ):
        return None  # one of them may be the workflow's own, by its name
    changed = changed_roles(known.data, spec.data)
    for section in NAMED:
        old, new = (names_in_section(data.get(section)) for data in (known.data, spec.data))
        if old != new:
            if section not in BY_NAME or old is None or new is None:
                return None
            changed |= {(section, each) for each in old.keys() | new.keys() if old.get(each) != new.get(each)}
    content = {name: said for name, said in entries_of(spec.data).items() if name[0] not in TYPES}
    for section in ("knowledge", "threads"):
        said = spec.data.get(section)
        content |= {(section, name): each for name, each in said.items()} if isinstance(said, dict) else {}
    entries = with_mentioning(changed, content)
    words = tuple(normal_form(name) for _, name in sorted(entries))
    change = Affected(frozenset(entries), words)
    if mentions([spec.data.get(key) for key in ("defaults", "key")], words):
        return None
    return change if can_be_read_alone(change, known, content) else None


def changed_roles(before: Mapping[str, object], now: Mapping[str, object]) -> set[Entry]:
    """Return the events with which runs begin or end in one of two states only; `inputs` where it is the former."""
    old, new = roles_of(before), roles_of(now)
    names = {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
    starts = any("start" in {old.get(name), new.get(name)} for name in names)
    found = {(section, name) for name in names for section in ("events", "receives")}
    return found | {("start", word) for word in INPUTS if starts}


def names_in_section(said: object) -> dict[str, bytes | None] | None:
    """Return the names in a section with what is said of each; ``None`` if it has not the form of one with names."""
    listed = dict.fromkeys(said) if isinstance(said, list) and all(isinstance(e, str) for e in said) else said
    if listed is None:
        return {}
    if not isinstance(listed, dict) or not all(isinstance(each, str) for each in listed):
        return None if isinstance(said, (dict, list)) else {"": packed(said)}
    return {name: packed(each) for name, each in listed.items()}


def named_broken(broken: Collection[Address]) -> set[Address]:
    return {each for each in broken if each[0] in NAMED}
