"""Imports and parts, end to end: what other files declare is found, printed, executed, and refused where it must be."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

FILES = {
    "shared/types.yaml": "wfc: 1\ntypes:\n  Mood: {enum: [good, bad]}\nevents:\n  Looked: {mood: Mood, found: Found}\n"
    "imports: [deeper/found.yaml]\n",
    "shared/deeper/found.yaml": "wfc: 1\ntypes:\n  Found: {text: string, by: string}\n",
    "shared/models.yaml": 'wfc: 1\nsecrets: [KEY]\nmodels: {fast: {use: "openai:gpt-4o-mini", api_key: KEY}}\n'
    "retries: {thrice: {max_attempts: 3, delay: 1s}}\ntexts: {mood: {file: ./mood.md}}\n",
    "shared/mood.md": "How does ${{ inputs.name }} feel?",
    "shared/tools.yaml": """\
wfc: 1
imports: [deeper/found.yaml]
resources: {book: {python: "books:open_book"}}
tools:
  look: {python: "orders:look", args: {name: string}, output: Found}
""",
    "shared/orders.py": "from names import polite\n\ndef look(name, book):\n    book.append(name)\n"
    "    return {'text': polite(name), 'by': f'{__name__.rpartition(\".\")[2]} {len(book)}'}\n",
    "shared/names.py": "def polite(name):\n    if name == 'Eve':\n        raise ValueError(name)\n"
    "    return f'Dear {name}'\n",
    "shared/books.py": "def open_book():\n    return []\n",
    # the same names beside the spec: nobody may take these for the others
    "orders.py": "raise RuntimeError('this is the wrong one')\n",
    "books.py": "raise RuntimeError('this is the wrong one')\n",
    "part.yaml": """\
wfc: 1
part: asking
accepts: Looked
emits: Told
steps:
  ask:
    kind: llm
    accepts: Looked
    model: fast
    retry: thrice
    prompt: {use: mood}
    output: {mood: Mood}
    emit: {event: Told, with: {text: "${{ event.found.text }} is ${{ result.mood }}, says ${{ event.found.by }}"}}
""",
    "main.yaml": """\
wfc: 1
workflow: greet
start: Asked
end: [Told, Failed]
imports: [shared/types.yaml, ./shared/models.yaml, shared/tools.yaml]
parts: [part.yaml]
events:
  Asked: {name: string}
  Told: {text: string}
  Failed: {why: string}
steps:
  look:
    kind: tool
    accepts: Asked
    tool: look
    on_error: [{event: Failed, with: {why: "${{ error.name }}"}}]
    with: {name: "${{ event.name }}"}
    emit: {event: Looked, with: {found: "${{ result }}", mood: good}}
tests:
  - name: all of it
    start: {name: Ada}
    real: [look]
    mock: {ask: {mood: good}}
    expect: {end: Told, with: {text: "Dear Ada is good, says orders 1"}}
  - name: a tool's own error
    start: {name: Eve}
    real: [look]
    expect: {end: Failed, with: {why: python.ValueError}}
""",
}
MAIN = FILES["main.yaml"]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """A project of several files and folders."""
    before = set(sys.modules)
    (tmp_path / "wfc.toml").touch()
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def test_everything_that_can_be_imported_is_used_in_a_run(wfc, project: Path) -> None:
    assert wfc("check", ".").status == 0
    done = wfc("test", "main.yaml")
    assert done.status == 0, done.out + done.err


FAILED = '{"event": "Failed", "with": {"why": "python.ValueError"}}'


@pytest.mark.parametrize("output", [".", "out", "far/away", "in_package"])
def test_a_module_finds_its_tools_wherever_it_is_written(wfc, project: Path, output: str) -> None:
    if output == "in_package":
        (project / output).mkdir()
        (project / output / "__init__.py").touch()
    assert wfc("compile", "main.yaml", "-o", output).status == 0
    text = (project / output / "greet_workflow.py").read_text()
    assert str(project) not in text
    done = wfc("run", f"{output}/greet_workflow.py", "-i", "name=Eve")
    assert done.out.strip() == FAILED, done.err


def test_a_spec_in_a_linked_folder_finds_its_tools(wfc, project: Path) -> None:
    """The link's own `..` is another folder than that of what it leads to."""
    (project / "a/b").mkdir(parents=True)
    for name in ("shared", "main.yaml", "part.yaml"):
        (project / name).rename(project / "a/b" / name)
    os.symlink(project / "a/b", project / "linked")
    assert wfc("test", "linked/main.yaml").status == 0
    assert wfc("compile", "linked/main.yaml", "-o", "out").status == 0
    assert wfc("run", "out/greet_workflow.py", "-i", "name=Eve").out.strip() == FAILED


def test_the_module_runs_with_and_without_a_package_around_it(wfc, project: Path) -> None:
    program = (
        "import asyncio, sys; sys.path.insert(0, {folder!r})\n"
        "from {module} import Greet\n"
        "async def main(): return await Greet().run(name='Eve')\n"
        "print(asyncio.run(main()))\n"
    )
    for folder, module in (("plain", "greet_workflow"), ("package", "package.greet_workflow")):
        (project / folder).mkdir()
        if "." in module:
            (project / folder / "__init__.py").touch()
        assert wfc("compile", "main.yaml", "-o", folder).status == 0
        where = project if "." in module else project / folder
        done = subprocess.run(
            [sys.executable, "-c", program.format(folder=str(where), module=module)],
            capture_output=True,
            text=True,
            check=False,
            cwd=project.parent,
        )
        assert "python.ValueError" in done.stdout, done.stderr
    texts = {name: (project / name / "greet_workflow.py").read_text() for name in ("plain", "package")}
    assert "\nfrom types_shared import Looked" in texts["plain"]
    assert "\nfrom .types_shared import Looked" in texts["package"]


@pytest.mark.parametrize(
    ("section", "here", "first", "name"),
    [
        ("types", "{Mood: {enum: [a]}}", "shared/types.yaml:3", "Mood"),
        ("events", "{Looked: {a: string}}", "shared/types.yaml:5", "Looked"),
        ("models", '{fast: {use: "openai:x"}}', "shared/models.yaml:3", "fast"),
        ("retries", "{thrice: {max_attempts: 2}}", "shared/models.yaml:4", "thrice"),
        ("texts", "{mood: hello}", "shared/models.yaml:5", "mood"),
        ("tools", '{look: {python: "a:b"}}', "shared/tools.yaml:5", "look"),
        ("resources", '{book: {python: "a:b"}}', "shared/tools.yaml:3", "book"),
    ],
)
def test_a_name_that_two_files_declare_is_shown_at_both_places(
    wfc, project: Path, section: str, here: str, first: str, name: str
) -> None:
    text = MAIN
    if section == "events":
        text = text.replace("events:\n", "events:\n  Looked: {a: string}\n")
        line = text.splitlines().index("  Looked: {a: string}") + 1
    else:
        text += f"{section}: {here}\n"
        line = len(text.splitlines())
    (project / "main.yaml").write_text(text)
    done = wfc("check", "main.yaml", "--format", "concise")
    assert done.status == 1
    (found,) = [each for each in done.out.splitlines() if "name-declared-twice" in each]
    assert found.startswith(f"main.yaml:{line}:"), done.out
    assert f"`{name}`" in found
    assert first in wfc("check", "main.yaml").out


def test_a_name_that_two_imported_files_declare_is_shown_at_both_places(wfc, project: Path) -> None:
    (project / "more.yaml").write_text("wfc: 1\ntypes:\n  Mood: {enum: [x]}\n")
    (project / "main.yaml").write_text(MAIN.replace("shared/tools.yaml]", "shared/tools.yaml, more.yaml]"))
    done = wfc("check", "main.yaml")
    assert done.out.count("[name-declared-twice]") == 1
    assert "main.yaml:5:" in done.out
    assert "shared/types.yaml:3:" in done.out


def test_a_resource_of_an_imported_file_is_unused_without_a_tool_that_could_ask(wfc, project: Path) -> None:
    (project / "book.yaml").write_text('wfc: 1\nresources: {name: {python: "books:open_book"}}\n')
    (project / "main.yaml").write_text(MAIN.replace("shared/tools.yaml]", "shared/tools.yaml, book.yaml]"))
    assert "[unused-import]" in wfc("check", "main.yaml").out


# --- paths

OUT = (
    "../../outside.yaml",
    "../../../../etc/passwd",
    "/etc/passwd",
    "C:\\\\x.yaml",
    "\\\\\\\\host\\\\x.yaml",
    "file:x",
)


@pytest.mark.parametrize("path", OUT)
@pytest.mark.parametrize("key", ["imports", "parts", "texts", "knowledge", "knowledge list"])
def test_a_path_out_of_the_project_is_refused(wfc, project: Path, key: str, path: str) -> None:
    (project.parent / "outside.yaml").write_text("wfc: 1\n")
    written = {
        "imports": f'imports: ["{path}"]\n',
        "parts": f'parts: ["{path}"]\n',
        "texts": f'texts: {{far: {{file: "{path}"}}}}\n',
        "knowledge": f'knowledge: {{far: {{files: "{path}"}}}}\n',
        "knowledge list": f'knowledge: {{far: {{files: [./a.md, "{path}"]}}}}\n',
    }[key]
    (project / "deep").mkdir()
    (project / "deep/here.yaml").write_text(f"wfc: 1\n{written}" if key != "parts" else PLAIN + written)
    done = wfc("check", "deep/here.yaml", "--format", "concise")
    assert done.status == 1
    assert done.out.count("[file-outside-project]") == 1, done.out
    assert "no-such-file" not in done.out


PLAIN = """\
wfc: 1
workflow: plain
start: Asked
end: Told
events: {Asked: {}, Told: {}}
steps:
  go: {kind: transform, accepts: Asked, emit: Told}
"""


def test_a_path_up_within_the_project_is_followed(wfc, project: Path) -> None:
    (project / "deep").mkdir()
    (project / "deep/here.yaml").write_text(PLAIN + "imports: [../shared/types.yaml]\n")
    assert "[unused-import]" in wfc("check", "deep/here.yaml").out


def test_a_link_back_into_the_project_does_not_make_a_folder_outside_a_part_of_it(
    wfc, project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The module of a tool is looked for beside the file, and so the file's folder counts too."""
    outside = tmp_path_factory.mktemp("outside")
    os.symlink(project / "shared/tools.yaml", outside / "tools.yaml")
    os.symlink(outside, project / "other")
    (project / "main.yaml").write_text(MAIN.replace("shared/tools.yaml]", "other/tools.yaml]"))
    done = wfc("check", "main.yaml")
    assert "[file-outside-project]" in done.out


# --- the cache

CALLER = """\
wfc: 1
workflow: caller
start: Asked
end: Told
tools: {other: {workflow: called}}
events: {Asked: {}, Told: {text: string}}
steps:
  go: {kind: tool, accepts: Asked, tool: other, with: {}, emit: {event: Told, with: {text: "${{ result.text }}"}}}
"""
CALLED = """\
wfc: 1
workflow: called
start: Begun
end: Over
parts: [called_part.yaml]
events: {Begun: {}, Next: {}, Over: {text: string}}
steps:
  go: {kind: transform, accepts: Begun, emit: Next}
"""
CALLED_PART = """\
wfc: 1
part: called_part
accepts: Next
emits: Over
steps:
  end: {kind: transform, accepts: Next, emit: {event: Over, with: {text: x}}}
"""


def test_what_a_tool_s_workflow_and_its_parts_say_is_seen_at_the_next_check(
    wfc, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WFC_NO_CACHE", raising=False)
    monkeypatch.setenv("WFC_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    (tmp_path / "wfc.toml").touch()
    (tmp_path / "caller.yaml").write_text(CALLER)
    (tmp_path / "called.yaml").write_text(CALLED)
    (tmp_path / "called_part.yaml").write_text(CALLED_PART)

    def codes() -> str:
        return wfc("check", "caller.yaml", "--format", "concise").out

    assert codes() == ""
    (tmp_path / "called.yaml").write_text(CALLED.replace("Begun: {}", "Begun: {id: string}"))
    assert "[missing-entry]" in codes()
    (tmp_path / "called.yaml").write_text(CALLED)
    assert codes() == ""
    back = "{kind: tool, accepts: Next, tool: {workflow: caller}, emit: Over}"
    (tmp_path / "called_part.yaml").write_text(f"{CALLED_PART.rpartition('  end:')[0]}  end: {back}\n")
    assert "[workflow-calls-itself]" in codes()
    (tmp_path / "called_part.yaml").write_text(CALLED_PART)
    assert codes() == ""
