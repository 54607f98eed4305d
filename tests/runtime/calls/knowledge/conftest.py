"""A folder with texts, and its collection."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from wfc.runtime.calls.bindings import PythonTool
from wfc.runtime.calls.knowledge import searching
from wfc.runtime.calls.knowledge.definition import Knowledge

Write = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder; nothing has been brought up to date in this process."""
    monkeypatch.setattr(searching, "_UP_TO_DATE", {})
    (tmp_path / "texts").mkdir()
    return tmp_path / "texts"


@pytest.fixture
def write(folder: Path) -> Write:
    """Write files, by their paths in the folder."""

    def written(files: dict[str, str | bytes]) -> Path:
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            raw = content.encode() if isinstance(content, str) else content
            (folder / path).write_bytes(raw)
        return folder

    return written


@pytest.fixture
def texts(folder: Path) -> Knowledge:
    """All files of the folder."""
    return Knowledge("texts", ["./**/*"], folder, size=200)


EMBEDDER = '''
"""Texts as counts of their words, synonyms taken together: meaning that anybody can work out by hand."""

import hashlib
import os
import re
from pathlib import Path

SAME = {"car": "auto", "automobile": "auto", "quick": "fast", "rapid": "fast"}
SIZE = 2048


def embed(texts):
    log = Path(__file__).with_name("embedded.log")
    with log.open("a") as file:
        file.write(f"{len(texts)}\\n")
    told = Path(__file__).with_name("mood")
    mood = told.read_text() if told.exists() else ""
    if mood.startswith("fail after ") and log.read_text().count("\\n") > int(mood.split()[-1]):
        raise ConnectionError("the line is down")
    size = 32 if mood == "other size" else SIZE
    found = []
    for text in texts:
        vector = [0.0] * size
        for word in re.findall(r"\\w+", text.lower()):
            number = int(hashlib.md5(SAME.get(word, word).encode()).hexdigest(), 16)
            vector[number % size] += 1.0
        found.append(vector)
    if mood == "nan":
        found[-1][0] = float("nan")
    return found[:-1] if mood == "too few" else found


twin = embed


def longest(query, texts):
    return [float(len(text)) for text in texts]


def nonsense(query, texts):
    return [1.0]
'''


@pytest.fixture
def meanings(folder: Path) -> Knowledge:
    """The text files of the folder, searched by meaning with a function beside them."""
    (folder / "words.py").write_text(EMBEDDER)
    model: PythonTool[list[list[float]]] = PythonTool("words:embed", output=list[list[float]], beside=folder)
    return Knowledge("meanings", ["./**/*.txt"], folder, size=200, index="vector", model=model)


OWN = """
import json
from pathlib import Path

HOME = Path(__file__).with_name("sets")


class Store:
    def write(self, name, vectors):
        HOME.mkdir(exist_ok=True)
        rows = [(number, list(vector)) for number, vector in vectors]
        if (HOME.parent / "full").exists():
            raise OSError("no room is left")
        (HOME / name).write_text(json.dumps(rows))

    def nearest(self, name, vector, most):
        if not (HOME / name).exists():
            raise KeyError(name)
        if (HOME.parent / "nonsense").exists():
            return [("a", None)]
        rows = json.loads((HOME / name).read_text())
        scored = [(number, sum(a * b for a, b in zip(one, vector))) for number, one in rows]
        return sorted(scored, key=lambda pair: -pair[1])[:most]

    def names(self):
        return [each.name for each in HOME.glob("*")]

    def drop(self, name):
        (HOME / name).unlink(missing_ok=True)


store = Store()
"""


@pytest.fixture
def own_store(folder: Path) -> str:
    """A store of vectors of one's own, in a module beside the texts."""
    (folder / "own.py").write_text(OWN)
    return "own:store"


@pytest.fixture(params=["python", pytest.param("postgresql", marks=pytest.mark.full)])
def choose(
    request: pytest.FixtureRequest, folder: Path, own_store: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], None]:
    """Return what chooses a store in the settings."""
    said = f'python = "{own_store}"'
    if request.param == "postgresql":
        monkeypatch.setenv("VECTORS", str(request.getfixturevalue("database")))
        said = 'database = "VECTORS"'

    def chosen() -> None:
        (folder / "wfc.toml").write_text(f"vectors = {{{said}}}")

    return chosen
