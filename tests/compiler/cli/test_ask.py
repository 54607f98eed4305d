"""`wfc ask` answers from a folder by one command, and leaves the spec that did it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pytest
from pdf_files import pdf

from wfc.runtime.calls.llm import Model

TEXTS = {
    "messages.md": "# Messages\n\nE13: the pump runs dry. Fill the tank.",
    "prices.csv": "part,price\ntank,19\n",
    "bad.txt": b"\xff",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of mixed texts below the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WFC_ASK_MODEL", raising=False)
    (tmp_path / "manuals").mkdir()
    for name, said in TEXTS.items():
        (tmp_path / "manuals" / name).write_bytes(said if isinstance(said, bytes) else said.encode())
    return tmp_path


def test_passages_are_quoted_with_where_they_stand(wfc: Any, folder: Path) -> None:
    done = wfc("ask", "manuals", "What does E13 mean?")
    assert done.status == 0
    assert "[1] # Messages E13: the pump runs dry. Fill the tank." in done.out
    assert "manuals/messages.md, Messages, characters 0-50" in done.out
    assert "ask_manuals.yaml was written" in done.err
    row = wfc("ask", "manuals", "tank price", "--explain")
    assert "manuals/prices.csv, row 2" in row.out
    assert "look_up searched texts for: tank price" in row.out
    assert "was written" not in row.err
    tested = wfc("test", "ask_manuals.yaml")
    assert tested.status == 0, tested.out


def write_mixed(folder: Path) -> None:
    """Write a file of each kind, each with a word of its own."""
    folder.mkdir()
    (folder / "a.pdf").write_bytes(pdf("The violet lamp hums.", "The crimson lamp is silent."))
    document = docx.Document()
    document.add_heading("Cleaning", 1)
    document.add_paragraph("The turquoise filter is washed.")
    document.save(str(folder / "b.docx"))
    book = openpyxl.Workbook()
    page = book.create_sheet("Parts")
    page.append(["part", "price"])
    page.append(["ochre tank", 19])
    book.save(folder / "c.xlsx")
    (folder / "d.html").write_text("<title>Help</title><script>x()</script><p>The beige pump runs dry.")
    (folder / "e.csv").write_text("part,price\nmagenta hose,7\n")
    (folder / "f.jsonl").write_text('{"part": "lilac valve"}\n')
    (folder / "g.md").write_text("# Messages\n\n## E13\n\nThe indigo light blinks.\n")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nonsense")


@pytest.mark.parametrize(
    ("question", "said", "where"),
    [
        ("crimson", "The crimson lamp is silent.", "papers/a.pdf, page 2"),
        ("turquoise", "The turquoise filter is washed.", "papers/b.docx, Cleaning"),
        ("ochre", "part: ochre tank price: 19", "papers/c.xlsx, sheet Parts, row 2"),
        ("beige", "The beige pump runs dry.", "papers/d.html"),
        ("magenta", "part: magenta hose price: 7", "papers/e.csv, row 2"),
        ("lilac", "part: lilac valve", "papers/f.jsonl, row 1"),
        ("indigo", "The indigo light blinks.", "papers/g.md, Messages, characters 0-44"),
    ],
)
def test_one_command_answers_from_files_of_all_kinds(
    wfc: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, question: str, said: str, where: str
) -> None:
    """Without a service and without a key; a broken file keeps nothing from being found."""
    monkeypatch.chdir(tmp_path)
    for name in ("WFC_ASK_MODEL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    write_mixed(tmp_path / "papers")
    done = wfc("ask", "papers", question)
    assert done.status == 0, done.err
    assert said in done.out and where in done.out, done.out
    assert "was written" in done.err


def test_what_is_cut_is_explained(wfc: Any, folder: Path) -> None:
    for number in range(4):
        (folder / f"manuals/copy{number}.md").write_text("The pump of the machine is loud. The pump hums.")
    done = wfc("ask", "manuals", "pump", "--explain")
    assert done.out.count("unlike") == 3


def test_nothing_found_is_a_status(wfc: Any, folder: Path) -> None:
    done = wfc("ask", "manuals", "zebra")
    assert (done.status, done.out) == (1, "")
    assert "nothing was found" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("none", "x"), "does not exist"),
        (("manuals/messages.md", "x"), "is a file"),
        (("odd*name", "x"), "a folder of this name cannot be asked"),
        (("manuals", "x", "--model", "gpt"), "a model is written as `provider:name`"),
        (("manuals", "x", "--model", 'a:b"\n'), "a model is written as `provider:name`"),
    ],
)
def test_wrong_usage_is_told(wfc: Any, folder: Path, words: tuple[str, ...], said: str) -> None:
    (folder / "odd*name").mkdir()
    done = wfc("ask", *words)
    assert done.status == 2 and said in done.err


def test_an_empty_folder_is_told(wfc: Any, folder: Path) -> None:
    (folder / "empty").mkdir()
    done = wfc("ask", "empty", "x")
    assert done.status == 1 and "has no texts: no file fits" in done.err


def test_the_spec_that_lies_there_is_used(wfc: Any, folder: Path) -> None:
    wfc("ask", "manuals", "E13")
    spec = folder / "ask_manuals.yaml"
    spec.write_text(spec.read_text().replace("top: 5", "top: five"))
    done = wfc("ask", "manuals", "E13")
    assert done.status == 1 and "ask_manuals.yaml" in done.err and "`top`" in done.err


def answering(*replies: dict[str, Any]) -> Callable[..., Any]:
    """A model that gives these replies, one after the other, of the wanted type."""
    left = list(replies)

    async def ask(_self: Model, host: Any, _prompt: str, *, output: Any, **_more: Any) -> Any:
        from wfc.runtime.errors import StepError
        from wfc.runtime.values.outputs import from_python

        value = from_python(output, left.pop(0))
        unmet = host.unmet(value)
        if unmet:
            raise StepError("requirement", "; ".join(unmet))
        return value

    return ask


def test_a_model_answers_with_citations_that_hold(
    wfc: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = {"text": "The pump runs dry [1].", "citations": [{"number": 1, "quote": "the pump runs dry"}]}
    monkeypatch.setattr(Model, "ask", answering(good))
    done = wfc("ask", "manuals", "What does E13 mean?", "--model", "openai:gpt-4o-mini", "--explain")
    assert done.status == 0, done.err
    assert done.out.startswith("The pump runs dry [1].\n\n[1] the pump runs dry\n    manuals/messages.md")
    assert done.out.rstrip().endswith("words 1  yes    yes")
    assert wfc("test", "answer_manuals.yaml").status == 0


def test_a_made_up_citation_is_refused(wfc: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_up = {"text": "It is broken [7].", "citations": [{"number": 7, "quote": "the pump"}]}
    monkeypatch.setattr(Model, "ask", answering(made_up, made_up, made_up))
    monkeypatch.setenv("WFC_ASK_MODEL", "openai:gpt-4o-mini")
    done = wfc("ask", "manuals", "What does E13 mean?")
    assert done.status == 1 and done.out == ""
    assert "Name only numbers of passages that you were given" in done.err
