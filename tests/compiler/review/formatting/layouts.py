"""Plain data → YAML in layouts that chance chooses, with comments that can be counted afterwards."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from wfc.compiler.yaml.scalars import plain

WORDS = 'red it\'s a: b|no|10s|${{ event.x }}|say "so"|C:\\x|é 漢|# no comment|- dash|x # y|end:|1.50|true|two  blanks'
TEXTS = (
    *WORDS.split("|"),
    "",
    "one\ntwo\n",
    "one\n\n  two\nthree",
    "\n\nlate\n",
    "kept\n\n\n",
    "  led\nby blanks\n",
    " ",
)
SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")
STEP_KEYS = ("kind", "accepts", "emit", "with", "retry", "save", "prompt", "own_key", "on_error", "timeout")


def random_spec(chance: Random) -> dict[str, Any]:
    """Return data with steps, whatever they may mean."""
    steps = {f"step{n}": random_step(chance) for n in range(chance.randrange(1, 5))}
    data: dict[str, Any] = {"wfc": 1, "workflow": "some"}
    for name in chance.sample(["events", "tools", "texts", "tests"], chance.randrange(4)):
        data[name] = random_value(chance, 3)
    data["steps"] = steps
    return data


def random_step(chance: Random) -> Any:
    keys = chance.sample(STEP_KEYS, chance.randrange(1, len(STEP_KEYS)))
    return {key: random_value(chance, 3) for key in keys}


def random_value(chance: Random, depth: int) -> Any:
    kind = chance.randrange(8 if depth else 4)
    if kind == 0:
        return chance.choice((1, -7, 2.5, True, None, 10_000))
    if kind < 4:
        return chance.choice(TEXTS) if chance.random() < 0.6 else " ".join(["word"] * chance.randrange(1, 40))
    if kind < 6:
        return {f"k{n}": random_value(chance, depth - 1) for n in range(chance.randrange(6))}
    return [random_value(chance, depth - 1) for _ in range(chance.randrange(6))]


class Layout:
    """A writer of plain data, in a layout that chance chooses.

    Args:
        comments: Those written so far; each is in the text once.
    """

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.comments: list[str] = []
        self.lines: list[str] = []
        self.anchors: list[tuple[str, Any]] = []
        self.keeps = False

    def document(self, data: dict[str, Any]) -> str:
        """Return the data as YAML."""
        self.noise(0)
        if self.chance.random() < 0.15:
            self.lines.append("---" + self.behind())
        self.map(data, 0, [])
        text = "\n".join(self.lines)
        block = text.endswith("\n") or not self.lines[-1].strip() or self.lines[-1].startswith(" ")
        if block or self.chance.random() < 0.8:
            text += "\n" * (1 if block else self.chance.randrange(1, 4))
        return text

    def comment(self, *, clear: bool = False) -> str:
        """Return a comment; one that is clear cannot be taken for a part of the text before it."""
        space = " " if clear else self.chance.choice((" ", ""))
        said = self.chance.choice(("x: y", "[", "漢", "#", "- a", "it's", *(() if clear else ("${{", "b}"))))
        self.comments.append(f"#{space}note {len(self.comments)} {said}!")
        return self.comments[-1]

    def behind(self, *, clear: bool = False) -> str:
        if self.chance.random() >= 0.12:
            return ""
        return " " * self.chance.randrange(1, 5) + self.comment(clear=clear)

    def noise(self, indent: int) -> None:
        for _ in range(self.chance.choice((0, 0, 0, 1, 2))):
            empty = self.chance.random() < 0.5
            if not empty:
                self.lines.append(" " * indent + self.comment())
                self.keeps = False
            elif not self.keeps:  # an empty line would belong to the block above
                self.lines.append("")

    def map(self, data: dict[str, Any], indent: int, first: list[str]) -> None:
        for key, value in data.items():
            if not first:
                self.noise(indent)
            start = first.pop() if first else " " * indent
            name = self.chance.choice((key, key, key, f'"{key}"', f"'{key}'"))
            self.value(value, indent, f"{start}{name}:", dash=False)

    def list(self, data: list[Any], indent: int, first: list[str]) -> None:
        for value in data:
            if not first:
                self.noise(indent)
            start = first.pop() if first else " " * indent
            self.value(value, indent, f"{start}-", dash=True)

    def value(self, value: Any, indent: int, start: str, *, dash: bool) -> None:
        chance = self.chance
        anchor = ""
        self.keeps = False
        if chance.random() < 0.04:
            anchor = f" &a{len(self.anchors)}"
            self.anchors.append((anchor.replace("&", "*"), value))
        else:
            for alias, same in self.anchors:
                if same == value and same.__class__ is value.__class__ and chance.random() < 0.5:
                    self.lines.append(start + alias)
                    return
        if isinstance(value, (dict, list)):
            self.collection(value, indent, start, anchor, dash=dash)
        elif isinstance(value, str) and "\n" in value and (written := self.block(value, indent)):
            head, *rest = written
            self.lines += [f"{start}{anchor} {head}", *rest]
        else:
            gap = " " * chance.randrange(1, 3)
            if chance.random() < 0.06:
                gap = self.behind(clear=True) + "\n" + " " * (indent + chance.randrange(1, 4))
            said = self.scalar(value, flow=False)
            behind = self.behind(clear=said[:1] not in {'"', "'"})
            self.lines += f"{start}{anchor}{gap}{said}{behind}".split("\n")

    def collection(self, value: Any, indent: int, start: str, anchor: str, *, dash: bool) -> None:
        chance = self.chance
        if not value or chance.random() < 0.4:
            said = self.flow(value, indent + 2, broken=chance.random() < 0.3)
            self.lines += f"{start}{anchor} {said}{self.behind()}".split("\n")
            return
        flat = isinstance(value, list) and not dash and chance.random() < 0.3
        inner = indent if flat else indent + chance.randrange(1, 5)
        first: list[str] = []
        if dash and not anchor and chance.random() < 0.7:
            first = [start + " " * (inner - indent - 1 or 1)]
            inner = len(first[0])
        else:
            self.lines.append(start + anchor + self.behind())
        (self.map if isinstance(value, dict) else self.list)(value, inner, first)

    def flow(self, value: Any, indent: int, *, broken: bool) -> str:
        if not isinstance(value, (dict, list)):
            return self.scalar(value, flow=True)
        begin, end = "{}" if isinstance(value, dict) else "[]"
        if isinstance(value, dict):
            parts = [f"{key}: {self.flow(each, indent + 1, broken=broken)}" for key, each in value.items()]
        else:
            parts = [self.flow(each, indent + 1, broken=broken) for each in value]
        if not broken:
            return begin + ", ".join(parts) + end
        space = "\n" + " " * indent
        comma = [space + part + "," + self.behind() for part in parts]
        if comma and self.chance.random() < 0.1:
            comma.append(space + self.comment())
        return begin + "".join(comma) + space + end

    def scalar(self, value: Any, *, flow: bool) -> str:
        if value is None or isinstance(value, (bool, int, float)):
            return "null" if value is None else json.dumps(value)
        chance = self.chance
        bare = (
            value and set(value) <= SAFE | {" "} and value.strip() == value and isinstance(plain(value), str)
        )
        if bare and chance.random() < 0.6:
            if not flow and " " in value and "  " not in value and chance.random() < 0.1:
                return value.replace(" ", "\n" + " " * 60, 1)
            return str(value)
        if "\n" not in value and chance.random() < 0.5:
            return "'" + value.replace("'", "''") + "'"
        return json.dumps(value, ensure_ascii=chance.random() < 0.2)

    def block(self, value: str, indent: int) -> list[str]:
        """Return a text as a literal block; empty if chance wants it in quotes."""
        if self.chance.random() < 0.3 or not value.strip():
            return []
        body = value.rstrip("\n")
        ends = len(value) - len(body)
        chomping = "-" if not ends else "" if ends == 1 else "+"
        depth = self.chance.randrange(1, 5)
        led = body.lstrip("\n").startswith(" ")
        header = f"|{depth}{chomping}" if led else f"|{chomping}"
        lines = [" " * (indent + depth) + line if line else "" for line in body.split("\n")]
        self.keeps = chomping == "+"
        return [header + self.behind(), *lines, *[""] * (ends - 1)]
