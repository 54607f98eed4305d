"""`wfc check --import-tools`: what Python functions take and return, held against the bindings that name them."""

from __future__ import annotations

import contextlib
import io
import re
import time
from pathlib import Path

import pytest

from wfc.compiler.cli import main
from wfc.compiler.cli.import_tools import findings
from wfc.compiler.cli.import_tools.processes import Function, ask

SPEC = """\
wfc: 1
workflow: shop
start: Asked
end: Told
secrets: [KEY]
types:
  Order: {id: string, count: integer, note: optional string}
events:
  Asked: {id: string}
  Told: {text: string}
resources: {db: {python: "orders:connect"}}
tools:
  find:
    python: "orders:find"
    args: {ARGS}
    OUTPUT
    secrets: {key: {secret: KEY}}
steps:
  find: {kind: tool, accepts: Asked, tool: find, with: {id: "${{ event.id }}"}, emit: {event: Told, with: {text: x}}}
"""
MODULE = """\
from __future__ import annotations
from collections.abc import *
from dataclasses import dataclass
from datetime import *
from decimal import Decimal
from enum import Enum
from typing import *
from pydantic import BaseModel

if TYPE_CHECKING:
    from nowhere import Unseen

@dataclass
class Data:
    id: str
    count: int = 0

class Model(BaseModel):
    id: str
    count: int
    note: str | None = None

class Fields(TypedDict):
    id: str
    count: int
    note: NotRequired[str | None]

class Words(TypedDict):
    id: int

class Mood(Enum):
    GOOD = "good"
    BAD = "bad"

def connect(): return object()

"""


@pytest.fixture
def check(wfc, tmp_path: Path):
    """The concise findings of a spec with a tool, of the function given."""

    def run(
        function: str, args: str = "id: string", output: str = "", module: str = MODULE, spec: str = SPEC
    ):
        (tmp_path / "wfc.toml").touch()
        (tmp_path / "orders.py").write_text(module + function + "\n")
        text = spec.replace("ARGS", args).replace("    OUTPUT\n", f"    output: {output}\n" if output else "")
        (tmp_path / "shop.yaml").write_text(text)
        done = wfc("check", "shop.yaml", "--import-tools", "--format", "concise")
        return [line for line in done.out.splitlines() if "[function-" in line]

    return run


GOES_TOGETHER = [
    ("def find(id, key): ...", "id: string", ""),
    ("async def find(id: str, key: str, context: Any, db: object) -> None: ...", "id: string", "optional string"),
    ("def find(*, id: str, key: str, other: int = 3, **more: int) -> str: ...", "id: string", "string"),
    ("def find(**everything) -> Any: ...", "id: string", "string"),
    ("def find(id: Unseen, key: str) -> Unseen: ...", "id: string", "string"),
    ("def find(id: str | int, key: str) -> int: ...", "id: string", "number"),
    ("def find(id: dict[str, Any], key) -> Model: ...", "id: Order", "Order"),
    ("def find(id: Mapping[str, object], key) -> dict: ...", "id: Order", "Order"),
    ("def find(id: Fields, key) -> Fields: ...", "id: Order", "Order"),
    ("def find(id: Sequence[str], key) -> tuple[int, ...]: ...", "id: list of string", "list of integer"),
    ("def find(id: Optional[str], key) -> Optional[Model]: ...", "id: {type: optional string, default: a}", "any"),
    ("def find(id: str | None = None, key='') -> Mood: ...", "id: optional string", "{enum: [good, bad, fair]}"),
    ("def find(id: Literal['a', 'b'], key) -> str: ...", "id: {enum: [a, b]}", "{enum: [a, b]}"),
    ("def find(id: str, key) -> Literal[1, 2]: ...", "id: {enum: [a, b]}", "integer"),
    ("def find(id: date, key) -> str: ...", "id: date", "datetime"),
    ("def find(id: Decimal, key) -> Awaitable[Decimal]: ...", "id: decimal", "decimal"),
    ("def find(id: Annotated[int, 'x'], key) -> NewType('N', int): ...", "id: integer", "integer"),
    ("def find(id: str | None, key): ...", "id: optional string", ""),
    ("def find(id, key, n=3): ...", "id: string, n: optional string", ""),
    ("def find(id, key, n): ...", "id: string, n: {type: string, default: a}", ""),
    ("find = max", "id: string", "integer"),
]  # fmt: skip
DIFFERS = [
    ("def fnd(id, key): ...", "id: string", "", "14:13: function-not-found has no function `find`"),
    ("find = 3", "id: string", "", "14:13: function-not-found is not a function"),
    ("def find(key): ...", "id: string", "", "15:12: function-differs has no parameter `id`"),
    ("def find(ident, key): ...", "id: string", "", "15:12: function-differs has no parameter `id`"),
    ("def find(id, /, key): ...", "id: string", "", "15:12: function-differs has no parameter `id`"),
    ("def find(id): ...", "id: string", "", "16:15: function-differs has no parameter `key`"),
    ("def find(id, key, limit): ...", "id: string", "", "14:13: function-differs wants `limit`"),
    ("def find(id, key, n): ...", "id: string, n: optional string", "", "15:24: function-differs needs `n`"),
    ("def find(id: int, key): ...", "id: string", "", "15:16: function-types-differ wants `int` for `id`"),
    ("def find(id: str, key): ...", "id: {type: optional string, default: a}", "", "wants `str` for `id`"),
    ("def find(id: int, key): ...", "id: number", "", "wants `int` for `id`, and is given number"),
    ("def find(id: list[int], key): ...", "id: list of string", "", "wants `list[int]` for `id`"),
    ("def find(id: set[str], key): ...", "id: list of string", "", "wants `set[str]` for `id`"),
    ("def find(id: Model, key): ...", "id: Order", "", "wants `orders.Model` for `id`, and is given Order"),
    ("def find(id: Data, key): ...", "id: Order", "", "wants `orders.Data` for `id`, and is given Order"),
    ("def find(id: Words, key): ...", "id: Order", "", "wants `orders.Words` for `id`"),
    ("def find(id: Literal['a'], key): ...", "id: {enum: [a, b]}", "", "for `id`"),
    ("def find(id, key) -> str: ...", "id: string", "integer", "16:13: function-types-differ returns `str`"),
    ("def find(id, key) -> str | None: ...", "id: string", "string", "returns `str | None`"),
    ("def find(id, key) -> None: ...", "id: string", "string", "returns `None`"),
    ("def find(id, key) -> float: ...", "id: string", "integer", "returns `float`"),
    ("def find(id, key) -> Data: ...", "id: string", "list of Order", "returns `orders.Data`"),
    ("def find(id, key) -> Words: ...", "id: string", "Order", "returns `orders.Words`"),
    ("def find(id, key) -> list[str]: ...", "id: string", "list of integer", "returns `list[str]`"),
    ("def find(id, key) -> Mood: ...", "id: string", "{enum: [good, fair]}", "returns `orders.Mood`"),
    ("def find(id, key) -> int: ...", "id: string", "{enum: [good, fair]}", "returns `int`"),
]  # fmt: skip


@pytest.fixture(scope="module")
def found_at_once(tmp_path_factory: pytest.TempPathFactory) -> dict[int, list[str]]:
    """The findings of all specs with such a tool, by its number; their functions stand in one module: one process."""
    folder = tmp_path_factory.mktemp("shops")
    (folder / "wfc.toml").touch()
    module = MODULE
    for number, (function, args, output, *_) in enumerate([*GOES_TOGETHER, *DIFFERS]):
        module += re.sub(r"\b(find|fnd)\b", rf"\1_{number}", function) + "\n"
        text = SPEC.replace("workflow: shop", f"workflow: shop_{number}").replace("ARGS", args)
        text = text.replace("orders:find", f"orders:find_{number}")
        text = text.replace("    OUTPUT\n", f"    output: {output}\n" if output else "")
        (folder / f"shop_{number}.yaml").write_text(text)
    (folder / "orders.py").write_text(module)
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        main(["check", str(folder), "--import-tools", "--format", "concise"])
    found: dict[int, list[str]] = {}
    for line in shown.getvalue().splitlines():
        if "[function-" in line:
            found.setdefault(int(re.search(r"shop_(\d+)\.yaml", line)[1]), []).append(line)
    return found


@pytest.mark.parametrize("number", range(len(GOES_TOGETHER)), ids=[each[0] for each in GOES_TOGETHER])
def test_what_goes_together_is_no_finding(found_at_once: dict[int, list[str]], number: int) -> None:
    assert number not in found_at_once


@pytest.mark.parametrize(
    ("number", "expected"),
    [(number, each[3]) for number, each in enumerate(DIFFERS, len(GOES_TOGETHER))],
    ids=[f"{each[0]} {each[3]}" for each in DIFFERS],
)
def test_what_does_not_go_together_is_one_finding(
    found_at_once: dict[int, list[str]], number: int, expected: str
) -> None:
    (found,) = found_at_once[number]
    expected = expected.replace("`find`", f"`find_{number}`")
    for word in expected.split(" ", 2) if expected[0].isdigit() else [expected]:
        assert word in found


def test_the_function_of_a_resource_may_not_ask_for_more_either(check) -> None:
    (found,) = check("def connect(url): ...\ndef find(id, key): ...")
    for word in ("11:26:", "function-differs", "wants `url`"):
        assert word in found


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("raise SystemExit(3)", "cannot be imported: SystemExit: 3"),
        pytest.param(
            "raise KeyboardInterrupt", "cannot be imported: KeyboardInterrupt", marks=pytest.mark.full
        ),
        pytest.param(
            "raise ValueError('no\\nway' * 1000)",
            "cannot be imported: ValueError: no way",
            marks=pytest.mark.full,
        ),
        ("import os; os._exit(0)", "ends without an answer"),
        pytest.param("import os; os._exit(7)", "ends with status 7", marks=pytest.mark.full),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "ends with status -9"),
        pytest.param("while True: pass", "its import takes longer than 2 s", marks=pytest.mark.full),
        pytest.param("def broken(:", "cannot be imported: SyntaxError", marks=pytest.mark.full),
        pytest.param(
            "import nowhere_at_all",
            "cannot be imported: ModuleNotFoundError: No module named 'nowhere_at_all'",
            marks=pytest.mark.full,
        ),
        pytest.param(
            "import sys\nopen(sys.argv[2], 'w').write('{' * 3000000)\nimport os; os._exit(0)",
            "without an answer",
            marks=pytest.mark.full,
        ),
        ("import sys\nopen(sys.argv[2], 'w').write('[3]')\nimport os; os._exit(0)", "without an answer"),
    ],
)
def test_a_hostile_module_is_one_finding(check, monkeypatch, module: str, expected: str) -> None:
    if "True" in module:
        monkeypatch.setattr(findings, "ask", lambda wanted, _: ask(wanted, 2.0))
    spec = SPEC.replace('resources: {db: {python: "orders:connect"}}\n', "")
    (found,) = check("def find(id, key): ...", module=module + "\n", spec=spec)
    assert "13:13: error: " in found
    assert expected in found
    assert len(found) < 600


@pytest.mark.parametrize(
    "module",
    [
        "print('[garbage]' * 500000)",
        pytest.param(
            "import sys; sys.stderr.write('x' * 5000000); sys.stdout.close()", marks=pytest.mark.full
        ),
        "import threading, time; threading.Thread(target=lambda: time.sleep(1000)).start()",
        pytest.param(
            "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)'])",
            marks=pytest.mark.full,
        ),
        pytest.param("import atexit, time; atexit.register(time.sleep, 1000)", marks=pytest.mark.full),
    ],
)
def test_a_module_that_only_makes_noise_is_no_finding(check, module: str) -> None:
    began = time.monotonic()
    assert check("def find(id, key): ...\ndef connect(): ...", module=module + "\n") == []
    assert time.monotonic() - began < 900  # nobody waits for it


def test_a_plain_check_imports_nothing(wfc, check, tmp_path: Path) -> None:
    check("def find(id, key): ...\nopen('touched', 'w').close()")
    assert (tmp_path / "touched").exists()
    (tmp_path / "touched").unlink()
    assert "shop.yaml" in wfc("check", "shop.yaml").out
    assert not (tmp_path / "touched").exists()


def test_the_settings_may_refuse_it(wfc, check, tmp_path: Path) -> None:
    check("def find(id, key): ...")
    (tmp_path / "wfc.toml").write_text("import_tools = false\n")
    done = wfc("check", "shop.yaml", "--import-tools")
    assert done.status == 2
    assert "import_tools = false" in done.err


def test_tools_of_imported_files_are_shown_there(wfc, tmp_path: Path) -> None:
    (tmp_path / "wfc.toml").touch()
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/tools.yaml").write_text(
        'wfc: 1\ntools:\n  find: {python: "orders:find", args: {id: string}}\n'
    )
    (tmp_path / "shared/orders.py").write_text("def find(ident): ...\n")
    head, _, _ = SPEC.partition("resources:")
    head = head.replace("secrets: [KEY]\n", "").replace(
        "types:\n  Order: {id: string, count: integer, note: optional string}\n", ""
    )
    steps = SPEC[SPEC.index("steps:") :]
    (tmp_path / "shop.yaml").write_text(f"{head}imports: [shared/tools.yaml]\n{steps}")
    for paths in (("shop.yaml",), ("shared/tools.yaml",), (".",)):
        done = wfc("check", *paths, "--import-tools")
        assert done.status == 1
        assert done.out.count("error: ") == 1
        assert done.out.startswith("shared/tools.yaml:3:40: error: `orders:find` has no parameter `id`")


def test_the_folder_of_the_check_hides_no_module(wfc, check, tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit")
    assert check("def find(id, key): ...") == []


def test_each_module_is_imported_once(tmp_path: Path) -> None:
    (tmp_path / "once.py").write_text("open(__file__ + '.log', 'a').write('x')\ndef a(): ...\ndef b(): ...\n")
    found = ask([Function(f"once:{name}", str(tmp_path)) for name in "abab"])
    assert [each["parameters"] for each in found.values()] == [[], []]
    assert (tmp_path / "once.py.log").read_text() == "x"
