"""Every spec that the documentation shows is checked, and its tests are run; links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wfc.compiler.cli import main
from wfc.compiler.diagnostics.render import render
from wfc.compiler.passes import check_text

ROOT = Path(__file__).parent.parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "SECURITY.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/agents").glob("*.md")),
]
FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:|#)(?P<path>[^)#\s]+)(?P<anchor>#[^)]*)?\)")


def fences(page: Path, language: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return [match["text"] for match in FENCE.finditer(text) if match["language"] == language]


FILE = re.compile(r"# (?P<name>\w+\.yaml)\n")
"""The first line of a spec that is one of several on its page which know each other."""

SPECS = [
    pytest.param(text, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, text in enumerate(fences(page, "yaml"), start=1)
    if re.search(r"^wfc: 1$", text, re.MULTILINE) and not FILE.match(text)
]


@pytest.mark.parametrize("text", SPECS)
def test_a_spec_shown_is_good_and_its_tests_pass(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "shown.yaml").write_text(text, encoding="utf-8")
    checked = check_text(text.encode(), "shown.yaml")
    assert not checked.diagnostics, render(checked.diagnostics, {"shown.yaml": text})
    if "\ntests:\n" in text:
        status = main(["test", str(tmp_path / "shown.yaml")])
        assert status == 0, "".join(capsys.readouterr())


def test_files_shown_that_know_each_other_are_good_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [text for text in fences(ROOT / "docs/guide.md", "yaml") if FILE.match(text)]
    assert len(texts) == 3
    for text in texts:
        (tmp_path / text.split()[1]).write_text(text, encoding="utf-8")
    for command in ("check", "test"):
        status = main([command, str(tmp_path)])
        assert status == 0, "".join(capsys.readouterr())


PATH = re.compile(r"`((?:compiler|runtime|schemas|docs|specs|tests)/[\w./-]*)`")


def test_every_path_in_the_guide_for_contributors_exists() -> None:
    text = (ROOT / "docs/contributing.md").read_text(encoding="utf-8")
    paths = [path for path in PATH.findall(text) if "some-" not in path and "some_" not in path]
    assert len(paths) > 40
    assert not [path for path in paths if not (ROOT / path).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    for match in LINK.finditer(page.read_text(encoding="utf-8")):
        path = page.parent / match["path"]
        assert path.exists(), match[0]
        if match["anchor"] and path.suffix == ".md":
            assert match["anchor"][1:] in anchors(path), match[0]


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_finding_in_the_readme_is_what_is_shown() -> None:
    page = ROOT / "README.md"
    (text,) = (text for text in fences(page, "yaml") if "workflow: refund" in text)
    wrong = text.replace("when: event.amount", "when: event.amuont")
    checked = check_text(wrong.encode(), "refund.yaml")
    assert fences(page, "text") == [render(checked.diagnostics, {"refund.yaml": wrong}).rstrip("\n") + "\n"]


def test_the_readme_has_two_commands() -> None:
    first, second = fences(ROOT / "README.md", "sh")
    assert first.count("\n") == second.count("\n") == 1
    assert "specs/release_notes.yaml" in first
    assert second.strip() in (ROOT / ".ci/run").read_text(encoding="utf-8")
