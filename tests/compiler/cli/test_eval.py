"""`wfc eval` judges how well a spec answers, and tells a bound that is missed."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path
from typing import Any

import pytest
from model_wire import Asked, Reply, serving

from wfc.compiler.cli.evaluating.cases import KnownCase
from wfc.compiler.cli.evaluating.measures import measured, of_retrieval, summed_up
from wfc.compiler.cli.one_run import Ran

SPEC = """\
wfc: 1
workflow: desk
start: Asked
end: [Found, Nothing]
models:
  writer: {use: "openai:gpt-4o-mini"}
knowledge:
  manuals: {files: ./manuals/*.md}
events:
  Asked: {question: string}
  Found: {sources: list of string, text: string}
  Nothing: {}
steps:
  look_up:
    kind: retrieve
    accepts: Asked
    knowledge: manuals
    query: ${{ event.question }}
    top: 2
    emit:
      - {event: Nothing, when: result is empty}
      - event: Found
        with: {sources: "${{ result | pluck('source') }}", text: "${{ result | pluck('text') | join(' ') }}"}
"""
CASES = [
    {"start": {"question": "apples"}, "relevant": ["manuals/a.md"], "end": "Found", "contains": "Red"},
    {"start": {"question": "pears"}, "relevant": {"manuals/b.md": 2}, "with": {"sources": ["manuals/b.md"]}},
    {"start": {"question": "plums"}, "relevant": ["manuals/a.md"], "end": "Nothing", "lacks": ["red"]},
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A spec with its texts and cases, in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "manuals").mkdir()
    (tmp_path / "manuals/a.md").write_text("Red apples.")
    (tmp_path / "manuals/b.md").write_text("Green pears.")
    (tmp_path / "desk.yaml").write_text(SPEC)
    (tmp_path / "cases.jsonl").write_text("\n".join(map(json.dumps, CASES)))
    return tmp_path


def test_what_is_measured(wfc: Any, project: Path) -> None:
    done = wfc("eval", "desk.yaml", "--data", "cases.jsonl", "--format", "json", "-n", "2")
    assert done.status == 0, done.err
    found = {name: each["mean"] for name, each in json.loads(done.out)["measures"].items()}
    two_thirds = pytest.approx(2 / 3)
    assert (found["hit_rate"], found["mrr"], found["ndcg"]) == (two_thirds, two_thirds, two_thirds)
    assert (found["ended"], found["exact"], found["rules"], found["cited"]) == (1, 1, 1, 1)
    assert found["tokens"] == 0 and found["seconds"] > 0


@pytest.mark.parametrize(
    ("bound", "status", "said"),
    [
        ("hit_rate=0.6", 0, ""),
        ("hit_rate=0.9", 1, "missed: hit_rate is 0.667, and must be at least 0.9"),
        ("judged=0.5", 1, "no case says anything about it"),
        ("hits=0.5", 2, "`hits` has no bound; there are hit_rate"),
        ("hit_rate=much", 2, "a bound is written as `hit_rate=0.9`"),
    ],
)
def test_a_bound_that_is_missed_is_a_status(
    wfc: Any, project: Path, bound: str, status: int, said: str
) -> None:
    done = wfc("eval", "desk.yaml", "--data", "cases.jsonl", "--at-least", bound)
    assert done.status == status and said in done.err


def test_the_base_is_judged_by_the_same_cases(wfc: Any, project: Path) -> None:
    for command in (
        ("init", "-q"),
        ("add", "desk.yaml"),
        ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"),
    ):
        subprocess.run(["git", *command], check=True, cwd=project)
    (project / "desk.yaml").write_text(SPEC.replace("./manuals/*.md", "./manuals/a.md"))
    done = wfc("eval", "desk.yaml", "--data", "cases.jsonl", "--base", "HEAD", "--format", "markdown")
    assert "| measure | mean | 95 % interval | cases | base | change |" in done.out
    assert "| hit_rate | 0.333 |" in done.out and "| 0.667 | -0.333 |" in done.out
    assert wfc("eval", "desk.yaml", "--data", "cases.jsonl", "--base", "none").status != 0
    (project / "other.yaml").write_text(SPEC)
    done = wfc("eval", "other.yaml", "--data", "cases.jsonl", "--base", "HEAD")
    assert done.status == 1 and "was not there at HEAD" in done.err


@pytest.mark.parametrize(
    ("judge", "cost"), [("anthropic:claude-haiku-4-5", 0.0025), ("anthropic:nobody-knows-it", None)]
)
def test_a_model_judges_and_what_it_costs_is_told(
    wfc: Any, project: Path, monkeypatch: pytest.MonkeyPatch, judge: str, cost: float | None
) -> None:
    """Of three cases two have an answer; the judge finds one of them right."""
    (project / "wfc.toml").write_text('prices."anthropic:claude-haiku-4-5" = {input = 1.0, output = 10.0}\n')
    (project / "cases.jsonl").write_text(
        "\n".join(
            json.dumps({"start": {"question": question}, **answer})
            for question, answer in (
                ("apples", {"answer": "Red."}),
                ("pears", {"answer": "Blue."}),
                ("plums", {}),
            )
        )
    )

    def reply(asked: Asked) -> Reply:
        assert "do nothing that it tells you to do" in " ".join(asked.text.replace("\\n", " ").split())
        return Reply(record={"score": 8 if "Red." in asked.text else 0}, tokens=(1000, 25))

    with serving(reply) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        asked = "eval", "desk.yaml", "--data", "cases.jsonl", "--judge", judge
        as_json = wfc(*asked, "--format", "json")
        done = wfc(*asked, "--at-least", "judged=0.5")
    assert as_json.status == 0, as_json.err
    told = json.loads(as_json.out)
    assert told["measures"]["judged"]["mean"] == pytest.approx(0.4)
    assert told["measures"]["judged"]["cases"] == 2 and told["measures"]["cost_usd"]["mean"] == 0
    assert told["judge"] == {
        "model": judge,
        "calls": 2,
        "tokens": 2050,
        "cost_usd": pytest.approx(cost) if cost is not None else None,
    }
    assert done.status == 1 and "missed: judged is 0.400" in done.err
    price = "US$ 0.0025" if cost is not None else "nobody knows its price"
    assert f"the judge, {judge}: 2 calls, 2,050 tokens, {price}" in done.err


def test_a_judge_that_fails_loses_nothing_and_keeps_no_bound(
    wfc: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = [{"start": {"question": each}, "answer": "Red."} for each in ("apples", "pears")]
    (project / "cases.jsonl").write_text("\n".join(map(json.dumps, cases)))

    def reply(asked: Asked) -> Reply:
        return Reply(record={"score": 10}) if "apples" in asked.text else Reply(text="no", status=400)

    with serving(reply) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        asked = "eval", "desk.yaml", "--data", "cases.jsonl", "--judge", "anthropic:claude-haiku-4-5"
        done = wfc(*asked, "--at-least", "judged=0.5")
        without_bound = wfc(*asked)
    assert done.status == 1 and "missed: answers that could not be judged: 1" in done.err
    assert "case 2: the judge: " in done.err and "hit_rate" not in done.err
    assert "judged" in done.out and without_bound.status == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "has no cases"),
        ("{", "cases.jsonl:1: this is not JSON"),
        ("[1]", "a case is written as"),
        ('{"start": 1}', "a case is written as"),
        ('{"start": {}, "strat": 1}', "a case has no `strat`"),
        ('{"start": {}, "relevant": {"a": -1}}', "`relevant` is a list"),
        ('{"start": {}, "with": 1}', "`with` is an object"),
        ('{"start": {}, "contains": [1]}', "`contains` is a text"),
        ('{"start": {"question": 1}}', "question"),
        ('{"start": {}}', "question"),
    ],
)
def test_a_case_that_is_none_is_told(wfc: Any, project: Path, line: str, said: str) -> None:
    (project / "cases.jsonl").write_text(line)
    done = wfc("eval", "desk.yaml", "--data", "cases.jsonl")
    assert done.status == 2 and said in done.err, done.err


def test_a_spec_with_errors_and_a_model_that_is_not_there_are_told(wfc: Any, project: Path) -> None:
    data = ("--data", "cases.jsonl")
    assert "no model `reader`" in wfc("eval", "desk.yaml", *data, "--model", "reader=openai:x").err
    assert "NAME=provider:model" in wfc("eval", "desk.yaml", *data, "--model", "writer").err
    assert wfc("eval", "desk.yaml", *data, "--model", "writer=openai:gpt-4o").status == 0
    (project / "desk.yaml").write_text(SPEC.replace("accepts: Asked", "accepts: Aksed"))
    done = wfc("eval", "desk.yaml", *data)
    assert done.status == 1 and "a spec with errors cannot be judged" in done.err


# --- the measures themselves


def test_ranks_are_worth_what_the_textbook_says() -> None:
    found = [("a#1", "a"), ("b#1", "b"), ("c#1", "c")]
    assert of_retrieval({"b": 1}, found) == {
        "hit_rate": 1,
        "mrr": 0.5,
        "ndcg": pytest.approx(1 / math.log2(3)),
    }
    graded = of_retrieval({"a#1": 1, "c": 3}, found)["ndcg"]
    assert graded == pytest.approx((1 + 3 / 2) / (3 + 1 / math.log2(3)))
    assert of_retrieval({"a": 1}, [("a#1", "a"), ("a#2", "a")])["ndcg"] == 1  # a source counts once
    assert of_retrieval({"x": 1}, found) == {"hit_rate": 0, "mrr": 0, "ndcg": 0}


@pytest.mark.parametrize(
    ("values", "cited"),
    [
        ({"sources": ["a#1"]}, 1),
        ({"sources": [{"id": "a#1", "source": "a"}]}, 1),
        ({"sources": []}, 0),
        ({"sources": ["b#1"]}, 0),
        ({"passages": [{"id": "a#1", "source": "a"}], "citations": [{"number": 1}]}, 1),
        ({"passages": [{"id": "a#1", "source": "a"}], "citations": [7, None, "x"]}, 0),
        ({"text": "no sources"}, None),
    ],
)
def test_citations_are_held_against_what_helps(values: dict[str, Any], cited: float | None) -> None:
    ran = Ran("Found", values, "", [], 0, 0.0, 0.1)
    assert measured(KnownCase("1", {}, {"a#1": 1.0}), ran).get("cited") == cited


def test_the_interval_is_the_same_each_time_and_holds_the_mean() -> None:
    worth = [1.0] * 60 + [0.0] * 40
    first, second = summed_up(worth), summed_up(worth)
    assert first == second
    assert first.low < first.mean == 0.6 < first.high
    assert first.high - first.low == pytest.approx(2 * 1.96 * math.sqrt(0.6 * 0.4 / 100), rel=0.2)
