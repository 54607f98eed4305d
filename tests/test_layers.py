"""Imports run one way, third parties come in by one door each, and a check loads nothing slow."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Each room may import itself and those above it.
COMPILER_ROOMS = (
    "slotted",
    "on_demand",
    "late_patterns",
    "limits",
    "diagnostics",
    "rules",
    "python",
    "types",
    "yaml",
    "expressions",
    "model",
    "schema",
    "proof",
    "resolve",
    "workspace",
    "recovery",
    "codegen",
    "draw",
    "review",
    "passes",
    "lsp",
    "cli",
)

RUNTIME_ROOMS = (
    "errors",
    "values",
    "events",
    "records",
    "plan",
    "core",
    "tracing",
    "authoring",
    "calls",
    "store",
    "driver",
    "workflow",
    "agents",
    "drawing",
    "testing",
    "server",
    "llama_index",
    "integrations",
)

DOORS = {
    "yaml": {"compiler/late_patterns", "compiler/yaml"},
    "jinja2": {"compiler/codegen", "compiler/expressions"},
    "click": {"compiler/cli"},
    "pydantic": {"runtime", "compiler/cli"},
    "pydantic_core": {"runtime", "compiler/types"},
    "typing_extensions": {  # for type checkers alone
        "runtime/driver/context/__init__",
        "runtime/driver/handler",
    },
    "httpx2": {"runtime/calls/http"},
    "jsonschema": {"runtime/calls/foreign_schemas"},
    "referencing": {"runtime/calls/foreign_schemas"},
    "griffe": {"runtime/agents/docstrings"},
    "genai_prices": {"runtime/calls/budget"},
    "openai": {"runtime/calls/chat_requests", "runtime/calls/model_connections"},
    "pydantic_ai": {"runtime/calls", "runtime/tracing/model_calls"},
    "lsprotocol": {"compiler/lsp/server"},
    "anyio": {"compiler/cli/drafting/mcp_server"},
    "mcp": {"compiler/cli/drafting/mcp_server", "runtime/calls/mcp", "runtime/server/mcp_door"},
    "mcp_types": {"compiler/cli/drafting/mcp_server", "runtime/server/mcp_door"},
    "pygls": {"compiler/lsp/server"},
    "numpy": {"runtime/calls/knowledge/vectors"},
    "openpyxl": {"runtime/calls/knowledge/sheets"},
    "pytest": {"compiler/cli/pytest_plugin"},
    "pypdf": {"runtime/calls/knowledge/pdf"},
    "semantic_text_splitter": {"runtime/calls/knowledge/splitting"},
    "pydantic_monty": {"runtime/calls/sandbox"},
    "opentelemetry": {"runtime/tracing/opentelemetry"},
    "dbos": {"runtime/driver/dbos"},
    "psycopg": {"runtime/calls/knowledge/postgresql", "runtime/store/postgresql"},
    "starlette": {"runtime/llama_index/server/api", "runtime/server/application"},
    "uvicorn": {"runtime/server/process"},
    "llama_index_instrumentation": {"runtime/llama_index/instrumentation"},
}

SLOW = {
    "asyncio",
    "click",
    "concurrent.futures",
    "dataclasses",
    "difflib",
    "importlib.metadata",
    "inspect",
    "jsonschema",
    "pydantic",
    "rich",
    "typing_extensions",
    "unittest",
    "urllib.request",
    "wfc.runtime",
}

GOOD_SPEC = """\
wfc: 1
workflow: greet
start: Asked
end: Greeted
events:
  Asked: {name: string}
  Greeted: {text: string}
steps:
  greet:
    kind: transform
    accepts: Asked
    emit: {event: Greeted, with: {text: "Hello ${{ event.name }}"}}
"""


def sources(*folders: str) -> list[Path]:
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return [path for path in found if "as_installed" not in path.parts and "node_modules" not in path.parts]


@functools.cache
def imports(path: Path) -> list[tuple[int, str]]:
    """Line and full name of each imported module; of ``from a import b`` it gives ``a.b``."""
    found = []
    for node in ast.walk(ast.parse(path.read_bytes(), str(path))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno}: relative import"
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    return found


def wrong_imports(paths: list[Path], may: Callable[[Path, str], bool]) -> list[str]:
    """The imports of some files that they may not have, with their places."""
    return [
        f"{place(path)}:{line} imports {name}"
        for path in paths
        for line, name in imports(path)
        if not may(path, name)
    ]


def place(path: Path) -> str:
    """``compiler/yaml`` for ``compiler/yaml.py`` and for ``compiler/yaml/scalars.py``."""
    return path.relative_to(ROOT).with_suffix("").as_posix()


def within(path: Path, rooms: set[str]) -> bool:
    return any(place(path) == room or place(path).startswith(room + "/") for room in rooms)


@pytest.mark.parametrize(("house", "rooms"), [("compiler", COMPILER_ROOMS), ("runtime", RUNTIME_ROOMS)])
def test_a_room_imports_only_rooms_above_it(house: str, rooms: tuple[str, ...]) -> None:
    def may(path: Path, name: str) -> bool:
        room = path.relative_to(ROOT / house).parts[0].removesuffix(".py")
        if not name.startswith(f"wfc.{house}."):
            return True
        return name.split(".")[2] in rooms[: rooms.index(room) + 1]

    inside = [path for path in sources(house) if path != ROOT / house / "__init__.py"]
    assert wrong_imports(inside, may) == []
    assert not imports(ROOT / "compiler/__init__.py")  # that of the runtime hands on the names of all rooms


def arrows(house: str) -> dict[str, set[str]]:
    """Which file imports which, by dotted names within the house; imports for annotations and late ones count too."""
    files = {
        ".".join(path.relative_to(ROOT / house).with_suffix("").parts)
        .removesuffix("__init__")
        .rstrip("."): path
        for path in sources(house)
    }
    uses: dict[str, set[str]] = {name: set() for name in files}
    for name, path in files.items():
        for _, imported in imports(path):
            target = (imported + ".").removeprefix(f"wfc.{house}.").rstrip(".")
            if target == imported:
                continue
            while target and target not in files:
                target = target.rpartition(".")[0]
            if target and target != name:
                uses[name].add(target)
    return uses


def circles(uses: dict[str, set[str]]) -> set[str]:
    """The names from which arrows lead back to them."""
    found = set()
    for start in uses:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            for other in uses[waiting.pop()] - seen:
                seen.add(other)
                waiting.append(other)
        if start in seen:
            found.add(start)
    return found


def between_rooms(uses: dict[str, set[str]]) -> dict[str, set[str]]:
    rooms: dict[str, set[str]] = {name.split(".")[0]: set() for name in uses}
    for name, others in uses.items():
        rooms[name.split(".")[0]] |= {other.split(".")[0] for other in others} - {name.split(".")[0]}
    return rooms


@pytest.mark.parametrize("house", ["compiler", "runtime"])
def test_no_files_and_no_rooms_import_each_other_in_a_circle(house: str) -> None:
    uses = arrows(house)
    assert not circles(uses)
    assert not circles(between_rooms(uses))


def test_nothing_but_its_door_imports_what_is_there_for_programs_of_llama_index() -> None:
    def may(path: Path, name: str) -> bool:
        doors = {"runtime/llama_index", "runtime/integrations/llama_index"}
        return within(path, doors) or not (name + ".").startswith("wfc.runtime.llama_index.")

    assert wrong_imports(sources("compiler", "runtime", "schemas", "specs"), may) == []


def test_every_room_is_in_its_place_and_on_the_map() -> None:
    page = (ROOT / "docs/contributing.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
    assert {name.strip("/") for cell in cells for name in re.findall(r"`(.*?)`", cell)} == {
        *COMPILER_ROOMS,
        *RUNTIME_ROOMS,
    }
    for house, rooms in (("compiler", COMPILER_ROOMS), ("runtime", RUNTIME_ROOMS)):
        there = {path.relative_to(ROOT / house).parts[0].removesuffix(".py") for path in sources(house)}
        assert there - {"__init__"} == set(rooms)


def test_a_house_has_no_more_rooms_than_a_newcomer_can_keep_in_mind() -> None:
    assert len(COMPILER_ROOMS) <= 22
    assert len(RUNTIME_ROOMS) <= 18


def test_only_the_command_line_knows_both_houses() -> None:
    def may(path: Path, name: str) -> bool:
        other = "wfc.runtime" if path.is_relative_to(ROOT / "compiler") else "wfc.compiler"
        return within(path, {"compiler/cli"}) or not (name + ".").startswith(other + ".")

    assert wrong_imports(sources("compiler", "runtime"), may) == []


def test_third_parties_come_in_by_their_door() -> None:
    def may(path: Path, name: str) -> bool:
        top = name.split(".", maxsplit=1)[0]
        if top in sys.stdlib_module_names or top == "wfc":
            return True
        return within(path, DOORS.get(top, {"runtime/integrations"}))

    assert wrong_imports(sources("compiler", "runtime", "schemas"), may) == []


def test_the_houses_are_imported_by_their_installed_names() -> None:
    # `import compiler` from a checkout would make twins of every class
    houses = {"compiler", "runtime", "schemas"}
    found = sources("compiler", "runtime", "schemas", "tests", "specs")
    assert wrong_imports(found, lambda _, name: name.split(".")[0] not in houses) == []


def test_what_tests_share_has_a_name_of_its_own() -> None:
    # it is imported by that name alone, so that of two the one that comes first would be taken for the other
    alone = {"errors", "golden", "programs", "bench", "as_installed", "node_modules"}
    shared = Counter(
        path.stem
        for path in (ROOT / "tests").rglob("*.py")
        if not alone.intersection(path.parts) and not path.stem.startswith(("test_", "conftest"))
    )
    assert not [name for name, times in shared.items() if times > 1]


MOST_MODULES = 145
"""How many of our modules a check of `GOOD_SPEC` may load. Each costs a quarter of a millisecond, at every check of any
spec: what only some specs need is loaded on demand (docs/contributing.md, Habits)."""


def test_a_check_of_a_good_spec_loads_nothing_slow_and_few_modules(tmp_path: Path) -> None:
    spec = tmp_path / "greet.yaml"
    spec.write_text(GOOD_SPEC)
    program = (
        "import sys, wfc.compiler.cli as cli\n"
        f"status = cli.main(['check', {str(spec)!r}])\n"
        "print(status, *sorted(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    status, *loaded = done.stdout.split()
    assert status == "0", done.stderr
    assert not {name for name in loaded if name in SLOW or name.split(".")[0] in SLOW}
    ours = [name for name in loaded if name.startswith("wfc")]
    assert len(ours) <= MOST_MODULES, "\n".join(ours)
    # without a finding no problem is loaded; `spelling` bounds what suggestions may cost
    assert [name for name in ours if name.startswith("wfc.compiler.rules.")] == [
        "wfc.compiler.rules.spelling"
    ]


def test_a_workflow_without_knowledge_loads_nothing_of_searching(tmp_path: Path) -> None:
    spec = tmp_path / "greet.yaml"
    spec.write_text(GOOD_SPEC)
    program = (
        "import sys, wfc.compiler.cli as cli\n"
        f"assert cli.main(['compile', {str(spec)!r}, '-o', {str(tmp_path)!r}]) == 0\n"
    )
    subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    program = (
        "import asyncio, sys, greet_workflow as made\n"
        "async def main(): return await made.Greet().run(name='Ada')\n"
        "print(asyncio.run(main()).text)\n"
        "print(*sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    greeting, loaded = done.stdout.strip().split("\n") if not done.returncode else (done.stderr, "")
    assert greeting == "Hello Ada"
    assert [name for name in loaded.split() if "knowledge" in name or name == "numpy"] == []


FOR_MODELS = {
    "pydantic_ai",
    "openai",
    "anthropic",
    "google",
    "httpx2",
    "httpcore2",
    "genai_prices",
    "mcp",
    "jsonschema",
}
"""What only specs with models, tools or agents need."""


@pytest.mark.parametrize("command", ["run", "check", "compile", "test"])
def test_of_a_spec_without_models_nothing_of_models_is_loaded(command: str, tmp_path: Path) -> None:
    spec = tmp_path / "greet.yaml"
    spec.write_text(GOOD_SPEC)
    more = {"run": ["-i", "name=Ada"], "compile": ["-o", str(tmp_path)]}.get(command, [])
    program = (
        "import sys, wfc.compiler.cli as cli\n"
        f"status = cli.main({[command, str(spec), *more]!r})\n"
        "print(file=sys.stderr)\n"
        "print(status, *sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    status, *loaded = done.stderr.strip().split("\n")[-1].split()
    assert status == "0", done.stderr
    assert "wfc.compiler.cli" in loaded
    assert not {name for name in loaded if name.split(".")[0] in FOR_MODELS}
    assert not {name for name in loaded if name.startswith(("wfc.runtime.agents", "wfc.runtime.calls.model"))}


@pytest.mark.parametrize("module", ["wfc.runtime"])
def test_importing_the_runtime_loads_no_compiler_and_no_integration(module: str) -> None:
    # names come when they are asked for, so it asks for all that an author may use
    program = f"import sys\nfrom {module} import *\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not {name for name in loaded if name.startswith("wfc.compiler")}
    assert not loaded & {
        "pydantic_ai",
        "httpx",
        "httpx2",
        "openai",
        "opentelemetry",
        "llama_index",
        "llama_index_instrumentation",
        "workflows",
        "anthropic",
        "jsonschema",
        "importlib.metadata",  # which pydantic loads to build a first model
        "wfc.runtime.values.filters",
        "yaml",
        "jinja2",
    }


def test_both_houses_mean_the_same_output_format() -> None:
    from wfc.compiler import codegen as generate
    from wfc.runtime.authoring import output_format

    # neither imports the other, so each has the number
    assert generate.OUTPUT_FORMAT == output_format.OUTPUT_FORMAT


def test_a_class_name_has_one_meaning_in_a_house() -> None:
    for house in ("compiler", "runtime"):
        names = Counter(
            name
            for path in sources(house)
            for name in re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        )
        assert {name for name, count in names.items() if count > 1} == set()
