"""`wfc index` keeps the indexes of specs' collections, and a run finds what it has indexed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SPEC = """
wfc: 1
workflow: desk
start: Asked
end: Found
knowledge:
  manuals: {files: ["./manuals/**/*.md", ./manuals/parts.csv], chunk: {size: 60}}
events:
  Asked: {question: string}
  Found: {sources: list of string}
steps:
  look_up:
    kind: retrieve
    accepts: Asked
    knowledge: manuals
    query: ${{ event.question }}
    that: passage.text != event.question
    emit: {event: Found, with: {sources: "${{ result | pluck('source') }}"}}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A spec in a folder below the settings, with manuals."""
    (tmp_path / "wfc.toml").write_text("")
    manuals = tmp_path / "specs/manuals"
    (manuals / "old").mkdir(parents=True)
    (manuals / "a.md").write_text("---\nproduct: C20\n---\nDescale it with acid.")
    (manuals / "old/b.md").write_text("Descale it with vinegar.")
    (manuals / "parts.csv").write_text("part,price\ntank,19\n")
    (manuals / "bad\nname.md").write_bytes(b"\xff")
    (tmp_path / "specs/desk.yaml").write_text(SPEC)
    return tmp_path / "specs"


def test_an_index_is_made_and_kept_up_to_date(wfc: Any, project: Path) -> None:
    spec = str(project / "desk.yaml")
    assert (wfc("index", "--check", spec).status, (project.parent / ".wfc").exists()) == (1, False)
    done = wfc("index", spec)
    assert done.status == 0
    counts, _, _, *files = done.out.splitlines()[1:]
    assert counts.split()[-7:] == ["3", "3", "0", "0", "1", "0", "0"]
    assert [" ".join(each.split()) for each in files] == [
        "manuals/a.md taken",
        "manuals/old/b.md taken",
        "manuals/parts.csv taken",
        "manuals/bad\\x0aname.md left out it is not text in UTF-8 (byte 0)",
    ]
    assert done.err == ""
    checked = wfc("index", "--check", str(project))
    assert (checked.status, checked.out) == (0, f"{spec}: manuals: up to date\n")
    (project / "manuals/old/b.md").unlink()
    assert "not up to date: `wfc index` mends it" in wfc("index", "--check", spec).out
    row = json.loads(wfc("index", spec, "--format", "json").out)
    assert (row["gone files"], row["same files"], row["left out"]) == (1, 2, 1)
    assert row["files"] == [
        {"file": "manuals/old/b.md", "what": "gone", "why": ""},
        {"file": "manuals/bad\nname.md", "what": "left out", "why": "it is not text in UTF-8 (byte 0)"},
    ]
    assert (project.parent / ".wfc/knowledge/.gitignore").read_text() == "*\n"


def test_a_run_finds_by_words_what_the_files_say(wfc: Any, project: Path) -> None:
    def found(question: str) -> list[str]:
        done = wfc("run", str(project / "desk.yaml"), "-i", f"question={question}")
        assert done.status == 0, done.err
        return json.loads(done.out)["with"]["sources"]  # type: ignore[no-any-return]

    assert sorted(found("descaling")) == ["manuals/a.md", "manuals/old/b.md"]
    assert found("tank price") == ["manuals/parts.csv"]
    assert found("quite another thing") == []


def test_a_module_elsewhere_searches_the_files_beside_the_spec(wfc: Any, project: Path) -> None:
    build = project.parent / "build/deep"
    assert wfc("compile", str(project / "desk.yaml"), "-o", str(build)).status == 0
    done = wfc("run", str(build / "desk_workflow.py"), "-i", "question=vinegar")
    assert json.loads(done.out)["with"] == {"sources": ["manuals/old/b.md"]}
    assert len([*(project.parent / ".wfc/knowledge").glob("*.db")]) == 1
    assert wfc("index", "--check", str(project / "desk.yaml")).status == 0


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        (("knowledge: manuals", "knowledge: manual"), 1, "unknown-knowledge"),
        (("./manuals/**/*.md", "../**/*.md"), 1, "file-outside-project"),
        (("./manuals/**/*.md", "/etc/*.md"), 1, "file-outside-project"),
        (("{size: 60}", "{size: 60, overlap: 31}"), 1, "from 0 to 30"),
        (("{size: 60}", "{size: 10}"), 1, "out-of-range"),
        (("{size: 60}", "{by: paragraph}"), 1, "unknown-value"),
        (("{size: 60}", "{size: 200, parent: 150}"), 1, "at least 200"),
        (("manuals/parts.csv]", "manuals/parts.csv], index: vector"), 1, "`index` needs `model`"),
        (("manuals/parts.csv]", "manuals/parts.csv], model: x"), 1, "key-without-companion"),
        (("that: passage.text != event.question", "expand: parent"), 1, "key-without-companion"),
        (('{files: ["./manuals/**/*.md", ./manuals/parts.csv], ', "{"), 1, "missing-key"),
        (("./manuals/parts.csv], ", "./manuals/parts.csv], urls: [ftp://x], "), 1, "web address"),
        (
            ("./manuals/parts.csv], ", "./manuals/parts.csv], sql: {query: SELECT 1}, "),
            1,
            "needs one of `file` or `database`",
        ),
        (("./manuals/parts.csv], ", "./manuals/parts.csv], sql: {database: SHOP}, "), 1, "needs `query`"),
        (
            ("./manuals/parts.csv], ", "./manuals/parts.csv], sql: {database: SHOP, query: SELECT 1}, "),
            1,
            "unknown-secret",
        ),
        (
            ("./manuals/parts.csv], ", "./manuals/parts.csv], sql: {database: SHOP, file: a.db, query: x}, "),
            1,
            "unknown-key",
        ),
        (("./manuals/parts.csv], ", "./manuals/parts.csv], loader: 'wiki:pages', "), 1, "wrong-type"),
        (("./manuals/parts.csv], ", "./manuals/parts.csv], loader: {python: wiki}, "), 1, "bad-python-tool"),
        (("./manuals/parts.csv], ", "./manuals/parts.csv], about: {a: list of string}, "), 1, "single value"),
        (('"./manuals/**/*.md", ./manuals/parts.csv', "./none/*.md"), 1, "no file fits `./none/*.md`"),
        (("knowledge:\n  manuals", "labels: {a: b}\nknowledge:\n  manuals"), 0, ""),
    ],
)
def test_what_is_wrong_is_told(
    wfc: Any, project: Path, change: tuple[str, str], status: int, said: str
) -> None:
    (project / "desk.yaml").write_text(SPEC.replace(*change))
    done = wfc("index", str(project / "desk.yaml"))
    assert done.status == status
    assert said in done.err + done.out


def test_specs_without_collections_have_nothing_to_index(wfc: Any, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "wfc: 1\nworkflow: a\nstart: A\nend: B\nevents: {A: {}, B: {}}\n"
        "steps: {go: {kind: transform, accepts: A, emit: B}}\n"
    )
    done = wfc("index", str(tmp_path))
    assert (done.status, done.out) == (0, "")
    assert "no collections" in done.err


def test_of_many_files_that_were_taken_the_first_are_named(wfc: Any, project: Path) -> None:
    for number in range(30):
        (project / f"manuals/m{number:02}.md").write_text("words")
        (project / f"manuals/u{number:02}.md").write_bytes(b"\xff")
    said = wfc("index", str(project / "desk.yaml")).out
    assert said.count(" taken") == 21 and "… and 13 more" in said
    assert said.count(" left out  ") == 31 + 1  # all of them, and the name of a column


MODEL = "models: {vectors: {use: USE}}\nknowledge:\n  manuals: {index: INDEX, model: vectors, "


@pytest.mark.parametrize(
    ("use", "index", "settings", "status", "said"),
    [
        (
            "openai:text-embedding-3-small",
            "vector",
            "",
            1,
            "3 texts are embedded by openai:text-embedding-3-small, some 16 tokens: about 0.0000",
        ),
        (
            "openai:text-embedding-3-small",
            "hybrid",
            "input = 1e6, output = 0",
            1,
            "some 16 tokens: about 16.0000 US dollars",
        ),
        (
            "openai:nobody-knows",
            "vector",
            "",
            1,
            "its price is not known; no model was asked, and the index stands as it was",
        ),
        (
            "openai:gpt-4o",
            "keyword_table, max_calls: 9",
            "input = 0, output = 1e4",
            1,
            "1 calls of openai:gpt-4o, some 166 tokens: about 2.5000",
        ),
    ],
)
def test_what_models_cost_is_foretold_and_bounded(
    wfc: Any, project: Path, use: str, index: str, settings: str, status: int, said: str
) -> None:
    spec = SPEC.replace("knowledge:\n  manuals: {", MODEL.replace("USE", use).replace("INDEX", index), 1)
    (project / "desk.yaml").write_text(spec)
    if settings:
        (project.parent / "wfc.toml").write_text(f'prices = {{"{use}" = {{{settings}}}}}')
    done = wfc("index", str(project / "desk.yaml"), "--max-cost", "0")
    assert done.status == status
    assert said in done.err and "(--max-cost)" in done.err
    assert wfc("index", "--check", str(project / "desk.yaml")).status == 1


def test_a_function_costs_nothing(wfc: Any, project: Path) -> None:
    model = '{index: vector, model: {python: "numbers_of:embed"}, '
    (project / "desk.yaml").write_text(SPEC.replace("manuals: {", f"manuals: {model}", 1))
    (project / "numbers_of.py").write_text("def embed(texts):\n    return [[1.0, 2.0] for _ in texts]\n")
    done = wfc("index", str(project / "desk.yaml"), "--max-cost", "0")
    assert done.status == 0 and "3 texts are embedded by python numbers_of:embed" in done.err


def test_what_a_run_has_searched_stands_in_its_stored_history(
    wfc: Any, project: Path, tmp_path: Path
) -> None:
    spec = SPEC.replace("that: passage", "top: 1\n    fetch: 3\n    that: passage")
    (project / "desk.yaml").write_text(spec)
    store = f"sqlite:///{tmp_path}/runs.db"
    question = "Descale it with vinegar."
    done = wfc(
        "run", str(project / "desk.yaml"), "-i", f"question={question}", "--store", store, "--run-id", "r1"
    )
    assert done.status == 0, done.err
    told = json.loads(wfc("runs", "show", "r1", "--store", store, "--format", "json").out)
    (search,) = told["searches"]
    assert (search["step"], search["query"], search["collections"]) == ("look_up", question, ["manuals"])
    considered = {each["id"]: each for each in search["considered"]}
    assert considered["manuals/a.md#1"]["cut_by"] == ""
    assert considered["manuals/a.md#1"]["score"] > 0 and considered["manuals/a.md#1"]["ranks"] == {"words": 2}
    assert considered["manuals/old/b.md#1"]["cut_by"] == "that"
    rows = [line.split() for line in wfc("runs", "show", "r1", "--store", store).out.splitlines()]
    assert ["look_up", "searched", "manuals", "for:", *question.split()] in rows
    assert any(row[:1] == ["manuals/old/b.md#1"] and row[-1] == "that" for row in rows)
    before = json.loads(wfc("runs", "show", "r1", "--at", "1", "--store", store, "--format", "json").out)
    assert before["searches"] == []
