"""What type checkers say of lines of code: each row of a table has the verdicts of mypy --strict and of pyright."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from wfc.compiler.passes import compile_text

SPEC = b"""\
wfc: 1
workflow: counting
start: Asked
end: [Counted, Refused]
events:
  Asked: {text: string, limit: {type: integer, default: 5}}
  Counted: {words: integer}
  Refused: {}
steps:
  count:
    kind: transform
    accepts: Asked
    emit:
      - {event: Refused, when: event.limit < 0}
      - {event: Counted, with: {words: "${{ event.text | length }}"}}
"""

PROGRAM = """\
from __future__ import annotations

from typing import Any, assert_type

from counting_workflow import Asked, Counted, Counting, Refused
from pydantic import Field, PrivateAttr

from wfc.runtime import (
    ClosedFields, Context, Event, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent
)
from wfc.runtime import Workflow, WorkflowHandler, step


class A(Event):
    n: int
    names: list[str] = Field(default_factory=list)
    _cached: int = PrivateAttr(default=0)


class Exact(ClosedFields, Event):
    n: int


class Loose(Event, init=False):
    pass


class Ok(StopEvent):
    age: int


class Flow(Workflow):
    @step
    async def begin(self, ctx: Context, ev: StartEvent) -> A | Ok:
        return A(n=ev.number)

    @step
    async def end(self, ctx: Context, ev: A) -> Ok:
        return Ok(age=ev.n)


async def lines(
    a: A, exact: Exact, loose: Loose, ok: Ok, event: Event, start: StartEvent, counted: Counted, flow: Flow
) -> None:
"""

Row = tuple[str, str, str]
"""A line of code, a part of what mypy says of it, and the rule by which pyright reports it; empty: nothing."""

HAND_WRITTEN: list[Row] = [
    ("A(n=1)", "", ""),
    ('A(n=1, names=["x"])', "", ""),
    ('A(n="x")', 'Argument "n" to "A" has incompatible type "str"', "reportArgumentType"),
    ("A()", 'Missing named argument "n" for "A"', "reportCallIssue"),
    ("A(1)", "Too many positional arguments", "reportCallIssue"),
    ("A(n=1, m=2)", 'Unexpected keyword argument "m" for "A"', "reportCallIssue"),
    ("Ok(age=1)", "", ""),
    ("Ok(agee=1)", 'Unexpected keyword argument "agee" for "Ok"; did you mean "age"?', "reportCallIssue"),
    ('Ok("done")', "Too many positional arguments", "reportCallIssue"),
    ('StopEvent("done")', "", ""),
    ('StopEvent(result="done")', "", ""),
    ("StopEvent()", "", ""),
    ("Event(payload=1)", "", ""),
    ('StartEvent(topic="x")', "", ""),
    ('InputRequiredEvent(prefix="Which?")', "", ""),
    ('HumanResponseEvent(response="this one")', "", ""),
    ("Loose(payload=1)", "", ""),
    ("assert_type(event.payload, Any)", "", ""),
    ("assert_type(start.topic, Any)", "", ""),
    ("assert_type(loose.payload, Any)", "", ""),
    ('assert_type(event["payload"], Any)', "", ""),
    ("assert_type(StopEvent(1).result, Any)", "", ""),
    ("assert_type(a.n, int)", "", ""),
    ("assert_type(ok.age, int)", "", ""),
    ("print(exact.n)", "", ""),
    ("print(exact.m)", '"Exact" has no attribute "m"', "reportAttributeAccessIssue"),
    ('Exact(n="x")', 'Argument "n" to "Exact" has incompatible type "str"', "reportArgumentType"),
    ("assert_type(await flow.run(number=3), Any)", "", ""),
    ('flow.run("text")', 'Argument 1 to "run" of "Workflow" has incompatible type', "reportArgumentType"),
    ("handler: WorkflowHandler[Ok] = flow.run(number=3)", "", ""),
    ("assert_type(await handler, Ok)", "", ""),
    ('Flow(timeout="10")', 'Argument "timeout" to "Flow" has incompatible type "str"', "reportArgumentType"),
]
GENERATED: list[Row] = [
    ('Asked(text="a b")', "", ""),
    ("Asked()", 'Missing named argument "text" for "Asked"', "reportCallIssue"),
    ("Asked(text=3)", 'Argument "text" to "Asked" has incompatible type "int"', "reportArgumentType"),
    ('Asked(text="a b", limits=1)', 'Unexpected keyword argument "limits"', "reportCallIssue"),
    ("Refused()", "", ""),
    ("Counted(word=1)", 'Unexpected keyword argument "word"', "reportCallIssue"),
    ("assert_type(counted.words, int)", "", ""),
    ("print(counted.word)", '"Counted" has no attribute "word"', "reportAttributeAccessIssue"),
    ('Counting().run(text="a b")', "", ""),
    ('Counting().run(text="a b", limit=3, run_id="r1")', "", ""),
    ("Counting().run(start_event=Asked(text='a b'))", "", ""),
    ("Counting().run(ctx=Context(Counting()))", "", ""),
    ("Counting().run()", 'All overload variants of "run"', "reportCallIssue"),
    ("Counting().run(text=3)", 'No overload variant of "run"', "reportArgumentType"),
    ('Counting().run(texts="a b")', 'Unexpected keyword argument "texts"', "reportCallIssue"),
    ('assert_type(await Counting().run(text="a b"), Counted | Refused)', "", ""),
]


def complaints(found: dict[int, list[str]], rows: list[Row], which: int) -> list[str]:
    """What a checker said otherwise than the table; rows begin on the line after the program's last."""
    wrong = []
    for number, row in enumerate(rows, PROGRAM.count("\n") + 1):
        said = " | ".join(found.get(number, []))
        if (row[which] not in said) if row[which] else said:
            wrong.append(f"{row[0]}: said {said!r}, expected {row[which]!r}")
    before = [f"line {line}: {said}" for line, said in found.items() if line <= PROGRAM.count("\n")]
    return before + wrong


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checked")
    compiled = compile_text(SPEC, "counting.yaml", source="counting.yaml")
    assert not compiled.diagnostics
    (folder / "counting_workflow.py").write_text(compiled.python, encoding="utf-8")
    lines = "".join(f"    {row[0]}\n" for row in HAND_WRITTEN + GENERATED)
    (folder / "program.py").write_text(PROGRAM + lines, encoding="utf-8")
    return folder / "program.py"


def by_line(pairs: list[tuple[int, str]]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for line, said in pairs:
        found.setdefault(line, []).append(said)
    return found


@pytest.mark.full
def test_mypy_says_what_the_table_says(program: Path, run_mypy: Callable[..., str]) -> None:
    printed = run_mypy(program)
    errors = re.findall(r"^(.*?):(\d+): error: (.*)$", printed, re.MULTILINE)
    elsewhere = [said for said in errors if not said[0].endswith("program.py")]
    found = by_line([(int(line), said) for path, line, said in errors if path.endswith("program.py")])
    assert elsewhere + complaints(found, HAND_WRITTEN + GENERATED, 1) == []


@pytest.mark.full
def test_pyright_says_what_the_table_says(program: Path, root: Path) -> None:
    settings = {
        "include": ["program.py"],
        "extraPaths": [str(root / "tests/as_installed")],
        "pythonVersion": f"{sys.version_info.major}.{sys.version_info.minor}",
    }
    program.with_name("pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        # `--outputjson` also keeps it from asking for a newer version of itself
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable],
        cwd=program.parent,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"},
    )
    reported = json.loads(done.stdout)["generalDiagnostics"]
    assert "reportMissingImports" not in done.stdout, done.stdout
    found = by_line(
        [
            (one["range"]["start"]["line"] + 1, one.get("rule", one["message"]))
            for one in reported
            if one["severity"] == "error"
        ]
    )
    assert complaints(found, HAND_WRITTEN + GENERATED, 2) == []
