"""Mutations: specs with one mistake each, and what is expected to be said of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from sources import Site, Source

from wfc.compiler.diagnostics import Address, Place

__all__ = ["MUTATIONS", "Mutant", "misspelt", "mutants"]

MOST = 48
"""How many of each class."""


@dataclass(frozen=True)
class Mutant:
    """A spec with one mistake.

    Args:
        name: Of the class, the spec and the place.
        text: The spec.
        codes: Any of them is right.
        start: Where the finding is expected, and ``end``. If ``loose``, anywhere that touches it.
        meant: What a suggestion must be, for misspellings; empty for other mistakes.
    """

    name: str
    text: str
    codes: tuple[str, ...]
    start: int
    end: int
    meant: str = ""
    loose: bool = False


Mutation = Callable[[Source, Random], Iterator[Mutant]]
MUTATIONS: dict[str, Mutation] = {}


def mutation(function: Mutation) -> Mutation:
    """Enter a class of mutations under its name in words."""
    MUTATIONS[function.__name__.replace("_", " ")] = function
    return function


def mutants(of: list[Source]) -> dict[str, list[Mutant]]:
    """Some of each class, the same on every machine, from as many specs as there can be."""
    found = {}
    for name, make in MUTATIONS.items():
        ranked = []
        for source in of:
            chance = Random(f"{name} {source.name}")  # noqa: S311 - a reproducible choice
            every = list(make(source, chance))
            chance.shuffle(every)
            # the first of each spec before the second of any; a new spec displaces few
            ranked += [(place, chance.random(), mutant) for place, mutant in enumerate(every)]
        found[name] = [mutant for *_, mutant in sorted(ranked, key=lambda each: each[:2])[:MOST]]
    return found


def misspelt(chance: Random, name: str, edits: int = 1) -> str:
    """A name with a slip or two of the keyboard: a letter too many, too few, wrong, or two in the wrong order."""
    letters = list(name)
    for _ in range(edits):
        place = chance.randrange(1, len(letters) - 1)
        slip = chance.randrange(4)
        if slip == 0:
            letters.insert(place, letters[place])
        elif slip == 1:
            del letters[place]
        elif slip == 2:
            letters[place] = chance.choice("aeiourstln")
        else:
            letters[place : place + 2] = reversed(letters[place : place + 2])
    return "".join(letters)


def slips(
    source: Source, chance: Random, site: Site, codes: tuple[str, ...], known: set[str]
) -> Iterator[Mutant]:
    """A misspelling of what stands at a site."""
    name = source.text[site.start : site.end]
    if len(name) < 4:
        return
    wrong = misspelt(chance, name, 2 if len(name) > 7 and chance.random() < 0.4 else 1)
    if wrong != name and wrong not in known:
        yield changed(source, site, wrong, codes, meant=name)


def changed(
    source: Source,
    site: Site,
    new: str,
    codes: tuple[str, ...],
    *,
    meant: str = "",
    what: str = "",
    loose: bool = False,
) -> Mutant:
    """A spec with something else at a site, where the finding is expected too."""
    path = ".".join(map(str, site.address))
    name = f"{source.name}: {path}: {what or source.text[site.start : site.end] + ' → ' + new}"
    return Mutant(
        name,
        source.with_text(site.start, site.end, new),
        codes,
        site.start,
        site.start + len(new),
        meant,
        loose,
    )


# --- misspellings


@mutation
def misspelt_key(source: Source, chance: Random) -> Iterator[Mutant]:
    known = {site.address[-1] for site in source.language_keys()}
    for site in source.language_keys():
        yield from slips(source, chance, site, ("unknown-key",), {str(each) for each in known})


@mutation
def misspelt_kind(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.scalars():
        if len(site.address) == 3 and site.address[0] == "steps" and site.address[-1] == "kind":
            yield from slips(source, chance, site, ("unknown-kind",), set())


def references(source: Source, names: set[str]) -> Iterator[Site]:
    for site in source.scalars():
        if (
            site.value in names
            and site.address[0]
            not in {
                "events",
                "types",
                "state",
                "config",
                "description",
            }
            and not any(each in {"with", "say", "title", "description"} for each in site.address)
        ):
            yield site


@mutation
def misspelt_event(source: Source, chance: Random) -> Iterator[Mutant]:
    events = source.declared("events")
    for site in references(source, events):
        yield from slips(source, chance, site, ("unknown-event",), events)


@mutation
def misspelt_binding(source: Source, chance: Random) -> Iterator[Mutant]:
    for key, section in (("model", "models"), ("tool", "tools"), ("retry", "retries")):
        for site in source.scalars():
            if (
                site.address[-1] == key
                and site.address[0] == "steps"
                and site.value in source.declared(section)
            ):
                yield from slips(source, chance, site, (f"unknown-{key}",), source.declared(section))


@mutation
def misspelt_secret(source: Source, chance: Random) -> Iterator[Mutant]:
    secrets = source.declared("secrets")
    for site in source.scalars():
        if site.value in secrets and site.address[0] != "secrets":
            yield from slips(source, chance, site, ("unknown-secret",), secrets)


WORDS = {
    "string",
    "integer",
    "number",
    "decimal",
    "boolean",
    "date",
    "datetime",
    "duration",
    "list",
    "map",
    "optional",
    "of",
    "any",
}


@mutation
def misspelt_type(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.scalars():
        if (
            site.address[0] in {"events", "types", "state"}
            or "form" in site.address
            or "output" in site.address
        ):
            if "default" in site.address or "description" in site.address or "enum" in site.address:
                continue
            for found in re.finditer(r"\w+", site.value):
                if found[0] in WORDS - {"of", "list", "map", "optional"} or found[0] in source.declared(
                    "types"
                ):
                    start = site.start + found.start()
                    yield from slips(
                        source, chance, Site(site.address, found[0], start, start + len(found[0])),
                        ("unknown-type",), WORDS | source.declared("types"),
                    )  # fmt: skip


@mutation
def misspelt_step_in_a_test(source: Source, chance: Random) -> Iterator[Mutant]:
    steps = source.declared("steps")
    for site in source.all_keys():
        if site.address[0] == "tests" and site.address[-1] in steps and site.address[-2] in {"mock", "ran"}:
            yield from slips(source, chance, site, ("unknown-step",), steps)
    for site in source.scalars():
        if site.address[0] == "tests" and site.value in steps and {"never_ran", "real"} & set(site.address):
            yield from slips(source, chance, site, ("unknown-step",), steps)


@mutation
def misspelt_field_given(source: Source, chance: Random) -> Iterator[Mutant]:
    """A field of an event, where `with` or a test's `start` fills it."""
    for site in source.all_keys():
        if (
            len(site.address) > 2
            and site.address[-2] in {"with", "start"}
            and isinstance(site.address[-1], str)
        ):
            owner = source.data
            for step in site.address[:-1]:
                owner = owner[step]  # type: ignore[index]
            yield from slips(source, chance, site, ("unknown-entry",), set(owner))


@mutation
def misspelt_name_in_an_expression(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.within(r"(?<![\w.])(event|events|result|state|inputs|config|error|response)(?=\.)"):
        yield from slips(source, chance, site, ("unknown-name",), {"event", "events"})


@mutation
def misspelt_field_in_an_expression(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.within(r"\b(?:event|result|state|inputs|config|error)\.(\w+)"):
        known = {key for address, _ in source.everything for key in address if isinstance(key, str)}
        yield from slips(source, chance, site, ("unknown-field",), known)


@mutation
def misspelt_filter(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.within(r"\| *(\w+)"):
        yield from slips(source, chance, site, ("unknown-filter",), {"sort", "sum"})


@mutation
def misspelt_test_of_an_expression(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.within(r"\bis (?:not )?(\w+)"):
        yield from slips(
            source, chance, site, ("unknown-test", "unknown-event", "unexpected-token"), {"note"}
        )


@mutation
def misspelt_word_of_an_enumeration(source: Source, chance: Random) -> Iterator[Mutant]:
    words = {
        word
        for address, value in source.everything
        if address[-1] == "enum" and isinstance(value, list)
        for word in value
    }
    for site in source.expressions():
        for found in re.finditer(r"== (['\"])(\w+)\1", site.value):
            if found[2] in words:
                yield from (
                    Mutant(each.name, each.text, each.codes, each.start - 1, each.end + 1, each.meant)
                    for each in slips(
                        source, chance,
                        Site(site.address, found[2], site.start + found.start(2), site.start + found.end(2)),
                        ("no-such-value",), words,
                    )
                )  # fmt: skip
    for site in source.scalars():
        given = {"with", "start", "default", "mock"} & set(map(str, site.address))
        if site.value in words and given and not {"enum", "form"} & set(site.address):
            yield from slips(
                source, chance, site, ("bad-enum-value", "wrong-value", "default-does-not-fit"), words
            )


@mutation
def misspelt_state_field(source: Source, chance: Random) -> Iterator[Mutant]:
    state = source.declared("state")
    for site in source.all_keys():
        if site.address[-2:-1] == ("save",) and site.address[-1] in state:
            yield from slips(source, chance, site, ("unknown-state-field",), state)


@mutation
def misspelt_word(source: Source, chance: Random) -> Iterator[Mutant]:
    """A word of a fixed set, and the name of an error."""
    for site in source.scalars():
        if site.address[-1] in {"when_running", "rest", "on_item_error", "method", "on_timeout"} and site.value in {
            "reject", "queue", "replace", "join", "parallel", "cancel", "finish", "skip", "null", "POST", "DELETE",
            "proceed",
        }:  # fmt: skip
            yield from slips(source, chance, site, ("unknown-value", "unknown-event"), {"finish"})
        if {"errors", "retry_on"} & set(site.address[-2:-1]) and "." not in site.value:
            yield from slips(source, chance, site, ("unknown-error",), set())


@mutation
def wrong_case(source: Source, chance: Random) -> Iterator[Mutant]:
    events = source.declared("events")
    for site in references(source, events):
        wrong = chance.choice(
            [site.value.lower(), site.value.upper(), site.value[0].lower() + site.value[1:]]
        )
        if wrong != site.value and wrong not in events:
            yield changed(source, site, wrong, ("unknown-event",), meant=site.value)
    for site in source.scalars():
        if len(site.address) == 3 and site.address[0] == "steps" and site.address[-1] == "kind":
            wrong = chance.choice([site.value.upper(), site.value.capitalize()])
            yield changed(source, site, wrong, ("unknown-kind",), meant=site.value)
    for site in source.language_keys():
        yield changed(
            source, site, str(site.address[-1]).capitalize(), ("unknown-key",), meant=str(site.address[-1])
        )


@mutation
def misspelt_declaration(source: Source, chance: Random) -> Iterator[Mutant]:
    """The name of an event, a type or a model where it is declared; it is used at least twice."""
    for site in source.all_keys():
        if len(site.address) == 2 and site.address[0] in {"events", "types", "models"}:
            names = source.declared(str(site.address[0]))
            if len(re.findall(rf"\b{re.escape(str(site.address[-1]))}\b", source.text)) > 2:
                codes = ("misspelt-declaration", "not-pascal-case", "not-snake-case")
                yield from slips(source, chance, site, codes, names)


@mutation
def changed_join(source: Source, chance: Random) -> Iterator[Mutant]:
    """A step that uses `events` accepts its events one by one, or lacks one of them."""
    for address, value in source.everything:
        if address[-1] != "accepts" or not isinstance(value, dict) or list(value) != ["all"]:
            continue
        start, end = source.document.stretch(Place(address))
        step = source.data["steps"][address[1]]
        if "\n" in source.text[start:end] or source.text[start] != "{" or "events." not in str(step):
            continue
        listed = f"[{', '.join(value['all'])}]"
        site = Site(address, value, start, end)
        yield changed(source, site, listed, ("no-join",))


# --- keys


@mutation
def dropped_key(source: Source, chance: Random) -> Iterator[Mutant]:
    """A key that a step, an entry or a test cannot do without."""
    for address, _ in source.everything:
        needed = len(address) == 3 and address[0] == "steps" and address[2] in {
            "kind", "accepts", "emit", "tool", "model", "prompt", "title", "url", "method", "within", "form", "do",
            "to", "workflow",
        }  # fmt: skip
        lines = source.lines_of(address) if needed else None
        if lines is not None:
            owner = source.document.stretch(place_of_key(address[:-1]))
            if lines[0] > owner[1]:
                text = source.with_text(*lines, "")
                name = f"{source.name}: {'.'.join(map(str, address))} dropped"
                codes = ("missing-key", "no-such-form", "endless-wait", "wait-for-what", "send-to-whom")
                yield Mutant(name, text, codes, *owner)


@mutation
def dropped_section(source: Source, chance: Random) -> Iterator[Mutant]:
    for key in ("start", "end", "steps", "events", "wfc", "workflow"):
        lines = source.lines_of((key,)) if key in source.data else None
        if lines is not None:
            text = source.with_text(*lines, "")
            yield Mutant(f"{source.name}: {key} dropped", text, ("missing-key",), 0, len(text), loose=True)


@mutation
def duplicate_key(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.all_keys():
        lines = source.lines_of(site.address)
        if lines is not None:
            block = source.text[slice(*lines)]
            block = block if block.endswith("\n") else f"\n{block}"
            text = source.with_text(lines[1], lines[1], block)
            start = lines[1] + site.start - lines[0] + (not source.text[slice(*lines)].endswith("\n"))
            name = f"{source.name}: {'.'.join(map(str, site.address))} twice"
            yield Mutant(name, text, ("duplicate-key",), start, start + site.end - site.start)


@mutation
def key_of_another_place(source: Source, chance: Random) -> Iterator[Mutant]:
    """A key that belongs to something else."""
    for site in source.language_keys():
        if len(site.address) == 3 and site.address[0] == "steps" and site.address[-1] == "kind":
            wrong = chance.choice(["deadline", "receives", "expect", "max_attempts"])
            line = source.lines_of(site.address)
            if line is not None:
                indent = " " * (site.start - line[0])
                text = source.with_text(line[1], line[1], f"{indent}{wrong}: 3\n")
                start = line[1] + len(indent)
                name = f"{source.name}: {'.'.join(map(str, site.address[:-1]))}: {wrong}"
                yield Mutant(name, text, ("unknown-key",), start, start + len(wrong))


@mutation
def block_moved_out(source: Source, chance: Random) -> Iterator[Mutant]:
    """A key of a step and what belongs to it, one level less deep: it becomes a step of its own."""
    for site in source.language_keys():
        lines = source.lines_of(site.address)
        last = list(source.data["steps"].get(site.address[1], {}))[-1:] if len(site.address) == 3 else []
        if lines is not None and site.address[0] == "steps" and last == [site.address[-1]]:
            block = source.text[slice(*lines)]
            if all(line.startswith("    ") or not line.strip() for line in block.splitlines()):
                text = source.with_text(*lines, "".join(f"{line}\n"[2:] for line in block.splitlines()))
                name = f"{source.name}: {'.'.join(map(str, site.address))} moved out"
                owner = source.document.stretch(place_of_key(site.address[:-1]))
                codes = ("unknown-key", "missing-key", "wrong-type", "step-without-action", "misplaced-key")
                yield Mutant(name, text, codes, owner[0], lines[1], loose=True)


@mutation
def block_moved_in(source: Source, chance: Random) -> Iterator[Mutant]:
    """A line indented one level too far."""
    for site in source.language_keys():
        lines = source.lines_of(site.address)
        if lines is not None and len(site.address) == 3 and site.address[0] == "steps":
            block = source.text[slice(*lines)]
            if (
                block.count("\n") == 1
                and next(iter(source.data["steps"][site.address[1]])) != site.address[-1]
            ):
                text = source.with_text(*lines, f"  {block}")
                name = f"{source.name}: {'.'.join(map(str, site.address))} moved in"
                before = source.text.rfind("\n", 0, lines[0] - 1)
                yield Mutant(
                    name,
                    text,
                    ("syntax-error", "unknown-key", "text-cut-by-colon"),
                    before,
                    lines[1] + 2,
                    loose=True,
                )


def place_of_key(address: Address) -> Place:
    return Place(address, "key")


# --- expressions


def in_expressions(
    source: Source, pattern: str, new: str, codes: tuple[str, ...], limit: int = 100
) -> Iterator[Mutant]:
    """A change of expressions; the finding may be anywhere in the expression."""
    for site in source.expressions():
        for found in list(re.finditer(pattern, site.value))[:limit]:
            value = site.value[: found.start()] + found.expand(new) + site.value[found.end() :]
            if value != site.value:
                yield Mutant(
                    f"{source.name}: {'.'.join(map(str, site.address))}: {site.value.strip()} → {value.strip()}",
                    source.with_text(site.start, site.end, value),
                    codes, site.start, site.start + len(value), loose=True,
                )  # fmt: skip


@mutation
def missing_operator(source: Source, chance: Random) -> Iterator[Mutant]:
    yield from in_expressions(
        source,
        r" (==|!=|<=|>=|<|>|\+|-|and|or) ",
        " ",
        (
            "unexpected-token",
            "unfinished-expression",
            "not-a-condition",
            "wrong-index",
            "wrong-value",
            "method-call",
        ),
    )


@mutation
def missing_operand(source: Source, chance: Random) -> Iterator[Mutant]:
    yield from in_expressions(source, r"(==|!=|<=|>=|\+) ['\"\w.]+$", r"\1", ("unfinished-expression",))


@mutation
def missing_parenthesis(source: Source, chance: Random) -> Iterator[Mutant]:
    yield from in_expressions(source, r"\)", "", ("unclosed-bracket", "unexpected-token"))
    yield from in_expressions(source, r"(?<![\w])\(", "", ("unexpected-token", "unclosed-bracket"))


@mutation
def missing_quote(source: Source, chance: Random) -> Iterator[Mutant]:
    codes = ("unclosed-text", "stray-character", "syntax-error", "expression-needs-quotes", "unclosed-braces")
    yield from in_expressions(source, r"(['\"])(\w+)\1", r"\1\2", codes, 1)


@mutation
def foreign_operator(source: Source, chance: Random) -> Iterator[Mutant]:
    yield from in_expressions(source, r" and ", " && ", ("foreign-operator",))
    yield from in_expressions(source, r" or ", " || ", ("foreign-operator",))
    yield from in_expressions(source, r" == ", " = ", ("foreign-operator",))
    yield from in_expressions(source, r"\bnot ", "!", ("foreign-operator",))


@mutation
def missing_braces(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, value in source.everything:
        if isinstance(value, str) and value.count("${{") == 1:
            site = next((each for each in source.expressions() if each.address == address), None)
            if site is not None and source.text[site.end : site.end + 2] == "}}":
                codes = ("unclosed-braces",)
                text = source.with_text(site.end, site.end + 2, "")
                name = f"{source.name}: {'.'.join(map(str, address))}: without }}}}"
                yield Mutant(name, text, codes, site.start - 3, site.end + 80, loose=True)


@mutation
def wrong_operand(source: Source, chance: Random) -> Iterator[Mutant]:
    codes = (
        "not-comparable",
        "not-ordered",
        "no-arithmetic",
        "no-such-value",
        "cannot-order",
        "wrong-type",
        "decimal-with-number",
    )
    yield from in_expressions(source, r"(==|!=) (['\"])\w+\2", r"\1 3", codes)
    yield from in_expressions(source, r"(<=|>=|<|>|\+) \d+\b(?!\.)", r"\1 'x'", codes)
    yield from in_expressions(source, r"(==|!=) \d+\b(?!\.)", r"\1 'x'", codes)


@mutation
def no_condition(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.expressions():
        if site.address[-1] == "when" and (
            found := re.fullmatch(r"((?:event|result|state|inputs)\.\w+) .*", site.value)
        ):
            yield changed(source, site, found[1], ("not-a-condition", "condition-may-be-null"))


# --- values


WRONG = {
    "max_runs": ["many", "[3]", "true"],
    "timeout": ["soon", "[1s]", "30"],
    "within": ["soon", "30", "{}"],
    "deadline": ["tomorrow", "90"],
    "accepts": ["5", "true"],
    "end": ["5", "{}"],
    "start": ["[A]", "5"],
    "temperature": ["hot", "[0]"],
    "concurrency": ["many", "1.5"],
    "prompt": ["5", "[a]"],
    "max_attempts": ["many", "2.5"],
    "quorum": ["two", "[2]"],
    "secrets": ["KEY", "5"],
    "description": ["[a]", "{a: b}"],
    "emit": ["5", "true"],
    "count": ["many", "[2]"],
}


@mutation
def wrong_type_of_value(source: Source, chance: Random) -> Iterator[Mutant]:
    codes = ("wrong-type", "bad-duration", "unknown-event", "unknown-name", "nothing-in-it", "unknown-type")
    for site in source.language_keys():
        lines = source.lines_of(site.address)
        if site.address[-1] in WRONG and site.address[0] != "tests" and lines is not None:
            start, end = source.document.stretch(Place(site.address))
            if "\n" not in source.text[start:end]:
                for wrong in WRONG[str(site.address[-1])]:
                    yield changed(source, Site(site.address, site.value, start, end), wrong, codes)


@mutation
def wrong_duration(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.scalars():
        if site.address[-1] in {
            "timeout",
            "within",
            "deadline",
            "delay",
            "max_delay",
            "for",
            "total_timeout",
        } and re.fullmatch(r"\d+ ?\w+", site.value):
            for wrong in ("2m", "5 minuts", "-3s", "3 d ays", "1 month", "h4"):
                yield changed(source, site, wrong, ("bad-duration",))


@mutation
def wrong_value_in_a_test(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, value in source.everything:
        if address[0] == "tests" and len(address) == 4 and address[2] == "start":
            start, end = source.document.stretch(Place(address))
            if (
                isinstance(value, (int, str))
                and not isinstance(value, bool)
                and "\n" not in source.text[start:end]
            ):
                yield changed(source, Site(address, value, start, end), "[[x]]", ("wrong-value",))


# --- exits


def entries(source: Source) -> Iterator[tuple[Address, list[object]]]:
    for address, value in source.everything:
        if isinstance(value, list) and address[-1] == "emit" and len(value) > 1:
            yield address, value


@mutation
def missing_fallback(source: Source, chance: Random) -> Iterator[Mutant]:
    """The last entry, which has no `when`, is gone."""
    for address, value in entries(source):
        start, end = source.document.stretch(Place((*address, len(value) - 1)))
        begin = source.text.rfind("\n", 0, start)
        stop = source.text.find("\n", end - 1)
        if source.text[begin:start].strip() == "-" and stop > 0:
            name = f"{source.name}: {'.'.join(map(str, address))} without its last entry"
            text = source.with_text(begin, stop, "")
            step = source.document.stretch(place_of_key(address[:2]))
            yield Mutant(
                name,
                text,
                (
                    "emit-falls-through",
                    "event-never-emitted",
                    "run-without-end",
                    "unused-event",
                    "unreachable-end",
                ),
                step[0],
                begin,
                loose=True,
            )


@mutation
def swapped_entries(source: Source, chance: Random) -> Iterator[Mutant]:
    """The entry without `when` comes first."""
    for address, value in entries(source):
        pieces = [
            source.document.stretch(Place((*address, index))) for index in (len(value) - 2, len(value) - 1)
        ]
        (a, b), (c, d) = pieces
        text = source.text[:a] + source.text[c:d] + source.text[b:c] + source.text[a:b] + source.text[d:]
        if "when" not in str(value[-1]) and "when" in str(value[-2]):
            name = f"{source.name}: {'.'.join(map(str, address))}: entries swapped"
            yield Mutant(name, text, ("entry-never-taken", "emit-falls-through"), a, d, loose=True)


# --- YAML


@mutation
def tab_for_spaces(source: Source, chance: Random) -> Iterator[Mutant]:
    for found in re.finditer(r"^( {2,})(?=[\w-])", source.text, re.M):
        text = source.with_text(found.start(), found.end(), "\t" * (len(found[0]) // 2))
        name = f"{source.name}: {source.text.count(chr(10), 0, found.start()) + 1} begins with tabs"
        before = source.text.rfind("\n", 0, found.start() - 1) + 1
        yield Mutant(name, text, ("syntax-error",), before, len(source.text), loose=True)


@mutation
def missing_colon(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.language_keys():
        lines = source.lines_of(site.address)
        if lines is not None and len(site.address) == 3 and source.text[site.end : site.end + 2] == ": ":
            text = source.with_text(site.end, site.end + 1, "")
            name = f"{source.name}: {'.'.join(map(str, site.address))} without a colon"
            before = source.text.rfind("\n", 0, lines[0] - 1) + 1
            after = source.text.find("\n", lines[1] + 1)
            yield Mutant(
                name, text, ("syntax-error", "wrong-type", "text-cut-by-colon"), before, after, loose=True
            )


@mutation
def missing_bracket(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, value in source.everything:
        start, end = source.document.stretch(Place(address))
        if (
            isinstance(value, (dict, list))
            and source.text[start] in "[{"
            and "\n" not in source.text[start:end]
        ):
            text = source.with_text(end - 1, end, "")
            name = f"{source.name}: {'.'.join(map(str, address))} not closed"
            yield Mutant(
                name,
                text,
                ("syntax-error", "unclosed-bracket", "unclosed-braces"),
                start,
                len(text),
                loose=True,
            )


@mutation
def missing_quote_of_a_value(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, value in source.everything:
        start, end = source.document.stretch(Place(address))
        if isinstance(value, str) and source.text[start:end] == f'"{value}"':
            text = source.with_text(end - 1, end, "")
            name = f"{source.name}: {'.'.join(map(str, address))}: no quote at its end"
            yield Mutant(name, text, ("syntax-error", "unclosed-text"), start, len(text), loose=True)


@mutation
def unquoted_sign(source: Source, chance: Random) -> Iterator[Mutant]:
    """A text with a colon or a number sign without quotes."""
    for site in source.scalars():
        described = site.address[-1] in {"description", "title", "say", "name", "reason", "text"}
        if described and source.text[site.start - 1] not in "'\"" and " " in site.value:
            head, _, rest = site.value.partition(" ")
            colon = f"{head}: {rest}"
            start = site.start
            codes = (
                "text-cut-by-colon",
                "text-cut-by-comment",
                "text-cut-by-comma",
                "expression-needs-quotes",
            )
            yield Mutant(
                f"{source.name}: {'.'.join(map(str, site.address))}: {colon}",
                source.with_text(start, site.end, colon),
                codes,
                start,
                start + len(colon),
                loose=True,
            )
            if "{" not in source.text[source.text.rfind("\n", 0, start) : start]:
                cut = f"{head} #{rest}"
                yield Mutant(
                    f"{source.name}: {'.'.join(map(str, site.address))}: {cut}",
                    source.with_text(start, site.end, cut),
                    codes,
                    start,
                    start + len(cut),
                    loose=True,
                )
