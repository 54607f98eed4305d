"""The pages of `docs/agents/`: each is found from the first one, shows a spec that is shipped, and says what is so."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import pytest
from model_wire import SHAPES, Asked, Call, Reply, answering_at, serving

from wfc.compiler.cli import main

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs/agents"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")
FIRST = (FOLDER / "README.md").read_text(encoding="utf-8")
PATTERNS = dict(re.findall(r"^\| \[[^\]]+\]\((\w+\.md)\) \|.*\| `(\w+)` \|$", FIRST, re.MULTILINE))
"""Pages of patterns, with the specs by which they are shown."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_found_and_shows_a_spec(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert f"]({page.name})" in FIRST
    shown = re.findall(r"^<!-- generated: shown (\S+)", text, re.MULTILINE)
    assert shown
    if page.name in PATTERNS:
        assert {each.removeprefix("specs/") for each in shown} == {PATTERNS[page.name]}
        assert f"wfc new {PATTERNS[page.name]}" in text or page.stem == "kept_functions"
    assert len(text.splitlines()) < 130, "pages are short"


def test_every_pattern_of_agents_has_a_page() -> None:
    assert len(PATTERNS) == 20
    agents = {
        path.stem
        for path in (ROOT / "specs").glob("*.yaml")
        if re.search(r"^    kind: agent$", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    others = {"account_desk", "travel_chat", "first_agent"}  # named on other pages
    assert agents - set(PATTERNS.values()) <= others
    whole = (
        "".join(page.read_text(encoding="utf-8") for page in [*PAGES, ROOT / "docs/moving_agents.md"]) + FIRST
    )
    assert all(name in whole for name in others)


@pytest.mark.parametrize("name", sorted(PATTERNS.values()))
def test_its_spec_can_be_copied_and_passes_its_tests(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (f"new {name}", f"check {name}.yaml", f"test {name}.yaml"):
        assert main(shlex.split(words)) == 0, "".join(capsys.readouterr())


def test_python_that_is_shown_can_be_read() -> None:
    found = [
        text
        for page in PAGES
        for text in re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
    ]
    assert found
    for text in found:
        ast.parse(text)


def test_the_first_agent_needs_one_variable_and_one_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command of the page, word for word; model and Wikipedia are a server of the test."""
    (block,) = [
        each for each in re.findall(r"^```console\n(.*?)^```$", FIRST, re.M | re.S) if "first_agent" in each
    ]
    export, command = (line.removeprefix("$ ") for line in block.splitlines())
    variable, _, _ = export.removeprefix("export ").partition("=")
    replies = [
        Reply(calls=[Call("search", {"words": "Eiffel Tower"})]),
        Reply(calls=[Call("read", {"title": "Eiffel Tower"})]),
        Reply(calls=[Call("final_result", {"text": "330 metres", "titles": ["Eiffel Tower"]})]),
    ]
    read: list[str] = []

    def get(path: str) -> object:
        read.append(path)
        if path.startswith("/w/api.php"):
            return {"query": {"search": [{"title": "Eiffel Tower", "size": 1}]}}
        return {"title": "Eiffel Tower", "extract": "It is 330 metres high."}

    def answer(asked: Asked) -> Reply:
        return replies[asked.turns]

    monkeypatch.chdir(ROOT)
    monkeypatch.setenv(variable, "sk-test")
    with serving(answer) as service, answering_at(service.url, SHAPES["openai"]):
        service.get = get
        monkeypatch.setenv("WFC_WIKI", service.url)
        status = main(shlex.split(command)[1:])
    said = capsys.readouterr()
    assert status == 0, said
    assert "330 metres" in said.out
    assert [each.partition("?")[0] for each in read] == [
        "/w/api.php",
        "/api/rest_v1/page/summary/Eiffel%20Tower",
    ]
    assert service.asked[0].headers["authorization"] == "Bearer sk-test"
    assert "330 metres high" in service.asked[-1].text
