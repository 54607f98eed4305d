"""Random chains of conditions, and what they mean by a plain evaluator that knows nothing of the compiler.

Every condition and every value is made as a pair: its text for the spec, and a function of the data. What the compiler
accepts is judged by trying all data there are of the small world below.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Chain", "Step", "mistakes", "random_step", "spec_of"]

Data = Mapping[str, Any]
Fits = Callable[[Any], bool]


@dataclass(frozen=True)
class Paid:
    """A value of one of two record types."""

    by: str
    number: str | None = None


class NoValueError(Exception):
    """An expression asks for what is not there, where the compiler has promised that it is."""


@dataclass(frozen=True)
class Pair:
    text: str
    of: Callable[[Data], Any]


@dataclass(frozen=True)
class Leaf:
    """A path of the world: its type in the spec, its values, and the conditions that ask about it.

    An item of a map is a path too: the type is that of the whole map.
    """

    path: str
    type: str
    values: tuple[Any, ...]
    tests: tuple[str, ...]

    @property
    def field(self) -> str:
        """The field that is declared."""
        return self.path.partition("[")[0]


@dataclass(frozen=True)
class Chain:
    """The entries of one `emit`: a condition or none, and a value for a field that wants a type."""

    entries: tuple[tuple[Pair | None, Pair, str, Fits], ...]


@dataclass(frozen=True)
class Step:
    """A step with what `require` says before its `emit`."""

    require: tuple[Pair, ...]
    chain: Chain


KINDS = ("gift", "sale", "swap")
CARD, NO_CARD, INVOICE = Paid("Card", "1"), Paid("Card"), Paid("Invoice")
LEAVES = (
    Leaf("kind", "{enum: [gift, sale, swap]}", KINDS, ("value",)),
    Leaf("size", "optional Size", ("low", "high", None), ("value", "null")),
    Leaf("amount", "optional integer", (0, 1, None), ("number", "null")),
    Leaf("note", "optional string", ("", "a", None), ("text", "null", "empty")),
    Leaf("sure", "boolean", (True, False), ("truth",)),
    Leaf("maybe", "optional boolean", (True, False, None), ("null", "equal truth")),
    Leaf("pay", "{one_of: [Card, Invoice]}", (CARD, NO_CARD, INVOICE), ("record", "inside")),
    Leaf("perhaps", "optional Payment", (CARD, INVOICE, None), ("record", "null", "inside")),
    Leaf('prices["pen"]', "map of integer", (0, 1, None), ("number", "null")),
    Leaf('prices["ink"]', "map of integer", (0, 1, None), ("number", "null")),
    Leaf('counts["pen"]', "map of optional integer", (0, 1, None), ("number", "null")),
    Leaf('names["pen"]', "map of string", ("", "a", None), ("text", "null", "empty")),
    Leaf("thing", "any", (None, "a", 1, True, (), ("x",)), ("kind", "null", "empty")),
)
BY_PATH = {leaf.path: leaf for leaf in LEAVES}


def get(path: str) -> Callable[[Data], Any]:
    return lambda data: data[path]


def literal(value: object) -> str:
    return (
        {True: "true", False: "false"}.get(value, f'"{value}"')
        if isinstance(value, (str, bool))
        else str(value)
    )


def compared(leaf: Leaf, values: tuple[Any, ...], chance: random.Random) -> Pair:
    one, some = chance.choice(values), tuple(chance.sample(values, min(2, len(values))))
    listed = ", ".join(map(literal, some))
    read = get(leaf.path)
    return chance.choice(
        [
            Pair(f"result.{leaf.path} == {literal(one)}", lambda data: read(data) == one),
            Pair(f"result.{leaf.path} != {literal(one)}", lambda data: read(data) != one),
            Pair(f"result.{leaf.path} in [{listed}]", lambda data: read(data) in some),
            Pair(f"result.{leaf.path} not in [{listed}]", lambda data: read(data) not in some),
        ]
    )


def is_kind(value: object, kind: str) -> bool:
    if kind in ("integer", "number"):
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, {"string": str, "boolean": bool, "list": tuple, "map": dict}[kind])


def is_empty(value: object) -> bool:
    return value is None or value in ("", ())


def asked(leaf: Leaf, chance: random.Random) -> Pair:
    """A single question about a path."""
    read, path = get(leaf.path), f"result.{leaf.path}"
    negated = chance.random() < 0.5
    word = "is not" if negated else "is"

    def turned(holds: Callable[[Any], bool]) -> Callable[[Data], bool]:
        return lambda data: holds(read(data)) != negated

    match chance.choice(leaf.tests):
        case "value":
            return compared(leaf, tuple(each for each in leaf.values if each is not None), chance)
        case "number":
            most = chance.choice((0, 1))
            return chance.choice(
                [
                    Pair(f"{path} > {most}", lambda data: number(read(data)) > most),
                    compared(leaf, (0, 1), chance),
                ]
            )
        case "text":
            return compared(leaf, ("", "a"), chance)
        case "null":
            return Pair(f"{path} {word} none", turned(lambda value: value is None))
        case "empty":
            return Pair(f"{path} {word} empty", turned(is_empty))
        case "truth":
            return Pair(f"not {path}" if negated else path, turned(lambda value: value is True))
        case "equal truth":
            return Pair(f"{path} == {literal(not negated)}", lambda data: read(data) is (not negated))
        case "record":
            name = chance.choice(("Card", "Invoice"))
            return Pair(
                f"{path} {word} {name}", turned(lambda value: isinstance(value, Paid) and value.by == name)
            )
        case "inside":
            return Pair(f"{path}.number {word} none", lambda data: (number_of(read(data)) is None) != negated)
        case "kind":
            kind = chance.choice(("string", "integer", "number", "boolean", "list", "map"))
            return Pair(f"{path} {word} {kind}", turned(lambda value: is_kind(value, kind)))
    raise AssertionError(leaf)


def number(value: Any) -> int:
    if value is None:
        raise NoValueError
    return int(value)


def number_of(value: Any) -> str | None:
    if not isinstance(value, Paid) or value.by != "Card":
        raise NoValueError
    return value.number


def condition(leaves: tuple[Leaf, ...], chance: random.Random, depth: int = 0) -> Pair:
    """A condition about some paths: often two about the same, so that one makes the other partly redundant."""
    roll = chance.random()
    if depth > 1 or roll < 0.5:
        return asked(chance.choice(leaves), chance)
    if roll < 0.55:
        inner = condition(leaves, chance, depth + 1)
        return Pair(f"not ({inner.text})", lambda data: not inner.of(data))
    if roll < 0.62:
        test, first, other = (condition(leaves, chance, depth + 1) for _ in range(3))
        return Pair(
            f"(({first.text}) if ({test.text}) else ({other.text}))",
            lambda data: first.of(data) if test.of(data) else other.of(data),
        )
    parts = [condition(leaves, chance, depth + 1) for _ in range(chance.choice((2, 2, 3)))]
    if chance.random() < 0.5:
        return Pair(
            " and ".join(f"({each.text})" for each in parts), lambda data: all(e.of(data) for e in parts)
        )
    return Pair(" or ".join(f"({each.text})" for each in parts), lambda data: any(e.of(data) for e in parts))


def among(*values: object) -> Fits:
    return lambda value: any(value == each and type(value) is type(each) for each in values)


WANTED: tuple[tuple[str, tuple[str, ...], Fits], ...] = (
    (
        "integer",
        ("amount", 'prices["pen"]', 'prices["ink"]', 'counts["pen"]', "thing"),
        lambda value: type(value) is int,
    ),
    (
        "string",
        ("note", "size", 'names["pen"]', "thing", "pay.number", "perhaps.number"),
        lambda value: isinstance(value, str),
    ),
    ("{enum: [sale]}", ("kind",), among("sale")),
    ("{enum: [sale, gift]}", ("kind",), among("sale", "gift")),
    ("{enum: [low]}", ("size",), among("low")),
    ("{enum: [low, high]}", ("size",), among("low", "high")),
    ("boolean", ("sure", "maybe", "thing"), lambda value: isinstance(value, bool)),
    ("Card", ("pay", "perhaps"), lambda value: isinstance(value, Paid) and value.by == "Card"),
    ("Invoice", ("pay", "perhaps"), lambda value: isinstance(value, Paid) and value.by == "Invoice"),
    ("list of any", ("thing",), lambda value: isinstance(value, tuple)),
)


def read_path(path: str) -> Pair:
    first, _, rest = path.partition(".")
    if rest:
        return Pair(f"result.{path}", lambda data: number_of(data[first]))
    return Pair(f"result.{path}", get(first))


def wanted_value(leaves: tuple[Leaf, ...], chance: random.Random) -> tuple[Pair, str, Fits]:
    """A value that may or may not fit where it is put: a path, or one of two by a condition."""
    here = {leaf.path for leaf in leaves}
    fields = [each for each in WANTED if any(path.split(".")[0] in here for path in each[1])]
    type_, paths, fits = chance.choice(fields)
    choices = [path for path in paths if path.split(".")[0] in here]
    value = read_path(chance.choice(choices))
    if chance.random() < 0.25:
        test, other = condition(leaves, chance, 1), read_path(chance.choice(choices))
        plain = value
        value = Pair(
            f"{plain.text} if ({test.text}) else {other.text}",
            lambda data: plain.of(data) if test.of(data) else other.of(data),
        )
    return value, type_, fits


def random_step(chance: random.Random) -> Step:
    leaves = tuple(chance.sample(LEAVES, chance.choice((1, 2, 2, 3))))
    entries: list[tuple[Pair | None, Pair, str, Fits]] = []
    for _ in range(chance.choice((1, 1, 2, 3))):
        entries.append((condition(leaves, chance), *wanted_value(leaves, chance)))
    if chance.random() < 0.2:
        entries.append((None, *wanted_value(leaves, chance)))
    else:
        entries.append((None, Pair('"rest"', lambda data: "rest"), "string", among("rest")))
    require = tuple(condition(leaves, chance, 1) for _ in range(chance.choice((0, 0, 1, 2))))
    return Step(require, Chain(tuple(entries)))


def spec_of(step: Step) -> str:
    """The step in a spec of its own."""
    ends = [f"  End{index}: {{it: {type_}}}" for index, (_, _, type_, _) in enumerate(step.chain.entries)]
    lines = [
        "wfc: 1",
        "workflow: branches",
        "start: Begun",
        f"end: [{', '.join(f'End{i}' for i in range(len(ends)))}]",
    ]
    lines += ["types:", "  Card: {number: optional string}", "  Invoice: {mail: optional string}"]
    lines += ["  Size: {enum: [low, high]}", "  Payment: {one_of: [Card, Invoice]}", "events:", "  Begun: {}"]
    lines += [
        *ends,
        "steps:",
        "  step:",
        "    kind: tool",
        "    accepts: Begun",
        "    tool:",
        '      python: "shop:look"',
    ]
    lines += ["      output:", *sorted({f"        {leaf.field}: {leaf.type}" for leaf in LEAVES})]
    if step.require:
        lines += ["    require:", *(f"      - {{that: '{each.text}', say: no}}" for each in step.require)]
    lines.append("    emit:")
    for index, (when, value, _, _) in enumerate(step.chain.entries):
        lines.append(f"      - event: End{index}")
        lines += [f"        when: '{when.text}'"] if when is not None else []
        lines.append(f"        with: {{it: '${{{{ {value.text} }}}}'}}")
    return "\n".join([*lines, ""])


def worlds(step: Step) -> Iterator[Data]:
    """All data that differ in what the step mentions."""
    text = spec_of(step).partition("    emit:")[2] + " ".join(each.text for each in step.require)
    used = [leaf for leaf in LEAVES if f"result.{leaf.path}" in text]
    for values in itertools.product(*(leaf.values for leaf in used)):
        yield {leaf.path: value for leaf, value in zip(used, values, strict=True)}


def mistakes(step: Step) -> Iterator[str]:
    """What goes wrong for some data: an expression without a value, or a value that does not fit."""
    for data in worlds(step):
        try:
            if not all(each.of(data) for each in step.require):
                continue
            for when, value, type_, fits in step.chain.entries:
                if when is None or when.of(data):
                    found = value.of(data)
                    if not fits(found):
                        yield f"{dict(data)}: {value.text} is {found!r}, no {type_}"
                    break
        except NoValueError:
            yield f"{dict(data)}: a value is asked for that is not there"
