"""Long lines, broken as the formatter would have broken them, with the same meaning."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from wfc.compiler.codegen.layout.docstrings import docstring
from wfc.compiler.codegen.layout.imports import import_statements
from wfc.compiler.codegen.layout.statements import fit
from wfc.compiler.diagnostics import Severity
from wfc.compiler.passes import compile_text

words = st.sampled_from(
    ["event", "result", "state", "articles", "summary", "confidence", "maximum_value", "x", "工单"]
)
texts = st.lists(words, min_size=1, max_size=25).map(
    lambda many: json.dumps(" ".join(many), ensure_ascii=False)
)
paths = st.lists(words, min_size=1, max_size=3).map(".".join)
atoms = st.one_of(paths, paths, texts, st.integers(0, 999).map(str))


def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Expressions as spelled for generated code: operands that are no atoms stand in parentheses."""
    operand = st.one_of(
        atoms, inner.map(lambda code: f"({code})"), st.builds("filters.{}({})".format, words, inner)
    )
    some = st.lists(inner, min_size=1, max_size=3)
    further = some.flatmap(
        lambda args: st.sampled_from([", ".join(args), "default=" + args[0], f"{args[0]}, key={args[-1]}"])
    )
    chain = st.lists(operand, min_size=2, max_size=4)
    return st.one_of(
        st.builds(lambda name, args: f"filters.{name}({', '.join(args)})", words, some),
        st.builds(lambda name, args: f"Found({', '.join(f'{name}{n}={a}' for n, a in enumerate(args))})", words, some),
        some.map(lambda items: f"[{', '.join(items)}]"),
        some.map(lambda items: "{" + ", ".join(f'"k{n}": {item}' for n, item in enumerate(items)) + "}"),
        st.builds(lambda word, parts: f" {word} ".join(parts), st.sampled_from(["and", "or", "+", "*"]), chain),
        st.builds("{} {} {}".format, operand, st.sampled_from(["==", "<", "in"]), operand),
        st.builds(lambda item, name, items: f"any({item} for {name} in {items})", words, words, operand),
        st.builds("max(({} for x in {}), {})".format, operand, operand, further),
        st.builds(lambda one, test, other: f"{one} if {test} else {other}", operand, operand, operand),
        st.builds(lambda name, item, items: f"[{item} for {name} in {items}]", words, operand, operand),
    )  # fmt: skip


A, B = "A" * 50, "B" * 50

expressions = st.recursive(atoms, nested, max_leaves=12)
statements = st.sampled_from(
    ["return {}", "emitted = {}", "state.count = {}", "value: list[str] = {}", "if {}:", "yield {}"]
)


def formatted(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--isolated", "--diff", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[:5000] + done.stderr[-500:]


def test_broken_lines_mean_the_same_and_stay_as_they_are(tmp_path: Path) -> None:
    made: list[str] = []

    @given(expressions, statements)
    @settings(
        max_examples=3 * settings.default.max_examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def collect(expression: str, statement: str) -> None:
        flat = statement.format(expression)
        below = "\n            pass" if flat.endswith(":") else ""
        body = "\n".join("        " + line for line in fit(flat, 8)) + below
        text = f"class X:\n    def f(self):\n{body}\n"
        tree = ast.parse(text)
        assert ast.dump(tree) == ast.dump(ast.parse(f"class X:\n    def f(self):\n        {flat}{below}\n"))
        made.append(text)

    collect()
    for number, text in enumerate(made):
        (tmp_path / f"t{number}.py").write_text(text, encoding="utf-8")
    formatted(tmp_path)


@pytest.mark.parametrize(
    ("statement", "lines"),
    [
        ("return x", ["return x"]),
        ("@step(timeout=1.0)", ["@step(timeout=1.0)"]),
        (
            f"reason = Refused(why={json.dumps('word ' * 20)}, what=1)",
            [
                "reason = Refused(",
                "    why=(",
                "        " + json.dumps("word " * 15),
                "        " + json.dumps("word " * 5),
                "    ),",
                "    what=1,",
                ")",
            ],
        ),
        (
            f"def f(self, event: {A}, result: {B}) -> {A} | {B}:",
            [
                "def f(",
                "    self,",
                f"    event: {A},",
                f"    result: {B},",
                ") -> (",
                f"    {A}",
                f"    | {B}",
                "):",
            ],
        ),
        (
            f'level: Literal["{A}", "{B}"] = "x"',
            ["level: Literal[", f'    "{A}",', f'    "{B}",', '] = "x"'],
        ),
    ],
)
def test_statements_are_broken(statement: str, lines: list[str]) -> None:
    assert fit(statement) == lines


def test_a_text_of_several_lines_is_not_indented() -> None:
    found = fit('return call("""\\\none\n    two\n""", x)', 8)
    assert found == ["return call(", '    """\\\none\n    two\n""",', "    x,", ")"]


def test_imports_are_in_order() -> None:
    pairs = [("wfc.runtime", name) for name in ("step", "UNHANDLED", "Event", "filters", "All")]
    assert import_statements(
        [*pairs, ("typing", "Any"), ("datetime", "UTC"), ("datetime", "date"), ("pydantic", "Field")]
    ) == [
        "from datetime import UTC, date",
        "from typing import Any",
        "",
        "from pydantic import Field",
        "from wfc.runtime import UNHANDLED, All, Event, filters, step",
    ]


@given(
    st.text(alphabet=st.sampled_from("ab \n\t\"'\\{}\u2028\u202e\r工"), max_size=200),
    st.sampled_from([0, 4, 8]),
)
def test_a_docstring_says_what_the_author_said(text: str, indent: int) -> None:
    code = docstring(text, indent)
    if not code:
        assert not text.strip()
        return
    said = ast.literal_eval(code)
    assert "".join(said.split()) == "".join(text.split())


@pytest.mark.full
def test_descriptions_stay_as_the_formatter_leaves_them(tmp_path: Path) -> None:
    made: list[str] = []

    @given(
        st.lists(
            st.sampled_from(
                ['"', '"""', "\\", "\n", " ", "  ", "\n\n", "'", "word ", "long " * 16, "é", "工"]
            )
        )
    )
    @settings(
        max_examples=150,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def collect(parts: list[str]) -> None:
        text = "".join(parts)
        spec = {
            "wfc": 1,
            "workflow": "w",
            "description": text,
            "start": "A",
            "end": "B",
            "events": {
                "A": {"x": {"type": "string", "description": text, "default": text}},
                "B": {"x": "string"},
            },
            "steps": {
                "s": {
                    "kind": "transform",
                    "description": text,
                    "accepts": "A",
                    "emit": {"event": "B", "with": {"x": text}},
                }
            },
        }
        found = compile_text(json.dumps(spec).encode(), "w.yaml", source="w.yaml")
        if not any(each.severity is Severity.ERROR for each in found.diagnostics):
            made.append(found.python)

    collect()
    assert len(made) > 50
    for number, text in enumerate(made):
        (tmp_path / f"t{number}.py").write_text(text, encoding="utf-8")
    formatted(tmp_path)
