"""The cache in a project of many files: whatever is changed of whichever of them, it answers as a check does."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from wfc.schemas import settings

FILES = {
    "p/main.yaml": """\
wfc: 1
workflow: main
start: Asked
end: Told
imports: [./shared.yaml, ./more/deep.yaml]
parts: [./part.yaml]
texts: {words: {file: ./words.md}}
models: {fast: {use: "openai:gpt-4o-mini"}}
events:
  Asked: {id: string, item: Item}
  Told: {text: string}
  Made: {x: Deep}
  ForPart: {n: integer}
  FromPart: {m: integer}
steps:
  say:
    kind: llm
    accepts: Asked
    model: fast
    prompt: {use: words}
    emit: {event: ForPart, with: {n: 1}}
  call:
    kind: workflow
    accepts: FromPart
    workflow: child
    with: {id: a}
    emit: {event: Told, with: {text: "${{ result.out }}"}}
""",
    "p/shared.yaml": "wfc: 1\nimports: [./more/deep.yaml]\ntypes: {Item: {name: string, d: optional Deep}}\n",
    "p/more/deep.yaml": "wfc: 1\ntypes: {Deep: {z: integer}}\n",
    "p/part.yaml": """\
part: team
accepts: [ForPart]
emits: [FromPart]
steps:
  inner:
    kind: transform
    accepts: ForPart
    emit: {event: FromPart, with: {m: "${{ event.n }}"}}
""",
    "p/words.md": "Say ${{ event.id }} ${{ event.item.name }}",
    "p/sub/child.yaml": """\
wfc: 1
workflow: child
start: Begun
end: Over
events: {Begun: {id: string}, Over: {out: string}}
steps:
  s: {kind: transform, accepts: Begun, emit: {event: Over, with: {out: "${{ event.id }}"}}}
""",
    "p/wfc.toml": "",
    "wfc.toml": "",
    "outside.yaml": "wfc: 1\ntypes: {Deep: {z: string}}\n",
}
FILES["p/child_2.yaml"] = FILES["p/sub/child.yaml"].replace("id: string", "id: integer")

WORDS = [
    *("string", "integer", "optional ", "Deep", "Item", "child", "main", "name", "id", "words", "out", "x", "m", "n"),
    *("Asked", "ForPart", "FromPart", "workflow", "types", "./more/deep.yaml", "./shared.yaml", "../outside.yaml"),
    *("${{ event.id }}", "${{ event.nope }}", '{% if event.id == "x" %}a{% endif %}', "\n"),
    "# wfc: ignore[unused-event] because\n",
]  # fmt: skip
SETTINGS = [
    "",
    '[severity]\nunused-event = "error"\n',
    '[severity]\nunused-event = "off"\n',
    "[severity\n",
    "[severity]\nunused-event = 3\n",
]
PATHS = [
    *(["."], ["p"], ["p/main.yaml"], ["p/main.yaml", "p/sub/child.yaml"], ["p/sub"]),
    *(["p/child_2.yaml", "p/main.yaml"], ["p/shared.yaml"]),
]  # fmt: skip
FORMS = ["full", "concise", "json", "github", "sarif", "junit"]


def change(folder: Path, chance: random.Random) -> str:
    """Change one of the files, and nothing that a look at sizes and times would show."""
    name = chance.choice(sorted(FILES))
    path = folder / name
    kind = chance.choice([*["word"] * 6, "fresh", "fresh", "fresh", "gone", "link", "folder", "settings"])
    if kind == "word" and path.is_file():
        text, old = path.read_text(), chance.choice(WORDS)
        places = [at for at in range(len(text)) if text.startswith(old, at)]
        if places:
            at, before = chance.choice(places), path.stat()
            path.write_text(text[:at] + chance.choice(WORDS) + text[at + len(old) :])
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        return f"{kind} {name}"
    if kind == "settings":
        path = folder / chance.choice(["wfc.toml", "p/wfc.toml"])
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    match kind:
        case "link":
            path.symlink_to(chance.choice([folder / "outside.yaml", "/etc/hostname", "nowhere", path.name]))
        case "folder":
            path.mkdir()
        case "settings":
            path.write_text(chance.choice(SETTINGS))
        case "gone":
            pass
        case _:
            path.write_text(FILES[name])
    return f"{kind} {path}"


def play(wfc, folder: Path, seed: int, turns: int) -> int:
    """How many different answers there were."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    chance, seen = random.Random(seed), set()  # noqa: S311
    for turn in range(turns):
        changed = change(folder, chance)
        more = chance.choice([[], [], ["--suppressed"]])
        args = [*more, "--format", chance.choice(FORMS), *chance.choice(PATHS)]
        settings.read.cache_clear()  # what a process has read stays as it is; here one is many
        cached = wfc("check", *args)
        settings.read.cache_clear()
        assert cached == wfc("check", "--no-cache", *args), f"seed {seed}, turn {turn}: {changed}"
        assert cached.status in {0, 1, 2}
        seen.add(cached.out)
    return len(seen)


@pytest.fixture(autouse=True)
def kept(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of this test's own."""
    monkeypatch.delenv("WFC_NO_CACHE", raising=False)
    monkeypatch.setenv("WFC_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


@pytest.mark.parametrize(
    "seed", [0, pytest.param(1, marks=pytest.mark.full), pytest.param(2, marks=pytest.mark.full)]
)
def test_no_answer_is_stale(wfc, tmp_path: Path, seed: int) -> None:
    assert play(wfc, tmp_path, seed, 50) > 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 110))
def test_no_answer_of_many_is_stale(wfc, tmp_path: Path, seed: int) -> None:
    assert play(wfc, tmp_path, seed, 500) > 100
