"""Random expressions in every place that takes one: what is accepted compiles, and the module can be imported."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from wfc.compiler.cli.programs import workflow_of
from wfc.compiler.passes import check_text, compile_text

SPEC = Path(__file__).with_name("places.yaml").read_text(encoding="utf-8")


class Grammar:
    """Texts of expressions of a few types, over the fields of an event."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def of(self, kind: str, depth: int = 2) -> str:
        forms: dict[str, list[Callable[[], str]]] = {
            "boolean": [
                lambda: f"({self.of('integer', depth - 1)}) > inputs.n{self.chance.randrange(40)}",
                lambda: f"({self.of('string', depth - 1)}) in inputs.names",
                lambda: f"({self.of('boolean', depth - 1)}) and ({self.of('boolean', depth - 1)})",
                lambda: f"({self.of('boolean', depth - 1)}) or ({self.of('boolean', depth - 1)})",
                lambda: f"not ({self.of('boolean', depth - 1)})",
                lambda: f"(({self.of('strings', depth - 1)}) | length) < inputs.n{self.chance.randrange(40)}",
            ],
            "strings": [
                lambda: f"({self.of('strings', depth - 1)}) + ({self.of('strings', depth - 1)})",
                lambda: f"({self.of('strings', depth - 1)}) | reverse",
                lambda: f"[{self.of('string', depth - 1)}]",
                lambda: f"({self.of('string', depth - 1)}) | split",
            ],
            "string": [
                lambda: f"({self.of('string', depth - 1)}) ~ ({self.of('integer', depth - 1)})",
                lambda: f"({self.of('string', depth - 1)}) | upper",
                lambda: f"({self.of('strings', depth - 1)}) | join('-')",
                lambda: "inputs.note | default('none')",
            ],
            "integer": [
                lambda: f"({self.of('integer', depth - 1)}) + ({self.of('integer', depth - 1)})",
                lambda: f"({self.of('strings', depth - 1)}) | length",
                lambda: f"-({self.of('integer', depth - 1)})",
            ],
            "lines": [lambda: f"({self.of('lines', depth - 1)}) + ({self.of('lines', depth - 1)})"],
        }
        plain = {
            "boolean": [f"inputs.b{self.chance.randrange(40)}"],
            "strings": ["inputs.names", "inputs.others", "['a', 'b']"],
            "string": ["inputs.text", "'x'"],
            "integer": ["inputs.n", "inputs.m", "3"],
            "lines": ["inputs.lines", "inputs.more", "[{'id': 'a', 'n': 1}]"],
        }
        roll = self.chance.random()
        if depth < 1 or roll < 0.2:
            return self.chance.choice(plain[kind])
        if roll < 0.5:
            one, test, other = (
                self.of(kind, depth - 1),
                self.of("boolean", depth - 1),
                self.of(kind, depth - 1),
            )
            return f"({one}) if ({test}) else ({other})"
        return self.chance.choice(forms[kind])()


def filled(chance: random.Random) -> str:
    """The spec with an expression of its own in each hole."""
    grammar = Grammar(chance)
    spec = SPEC
    for kind in ("boolean", "strings", "string", "integer", "lines"):
        while f"<{kind}>" in spec:
            spec = spec.replace(f"<{kind}>", grammar.of(kind), 1)
    flags = "".join(f"b{index}: boolean, n{index}: integer, " for index in range(40))
    return spec.replace("<flags>", flags)


@pytest.mark.parametrize("specs", [20, pytest.param(60, marks=pytest.mark.full)])
def test_what_is_accepted_compiles_and_can_be_imported(seed: str, tmp_path: Path, specs: int) -> None:
    chance = random.Random(f"{seed} places")  # noqa: S311
    accepted = 0
    for _ in range(specs):
        spec = filled(chance).encode()
        path = str(tmp_path / "places.yaml")
        checked = check_text(spec, path)
        if any(each.severity.word == "error" for each in checked.diagnostics):
            continue
        made = compile_text(spec, path)
        assert not made.failed
        assert workflow_of(made).__name__ == "Places"
        accepted += 1
    assert accepted > specs / 6
