"""Specs that search, with real indexes: what their own tests mock is here embedded, found, kept and found again."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from model_wire import SHAPES, Asked, Reply, answering_at, serving

from wfc.compiler.cli import main
from wfc.compiler.cli.programs import execute
from wfc.runtime import Engine
from wfc.runtime.events.internal import Searched

SPECS = Path(__file__).parents[2] / "specs"

EMBEDDER = """
MEANINGS = {"loud": "noise", "noise": "noise", "cost": "price", "pay": "price", "tank": "tank", "container": "tank"}
NAMES = sorted(set(MEANINGS.values()))
def embed(texts):
    found = [[MEANINGS.get(word.strip("?,.!")) for word in text.lower().split()] for text in texts]
    return [[float(words.count(name)) for name in NAMES] for words in found]
"""


@pytest.fixture
def workflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Compiles a spec beside a copy of what it reads; its embedder is one without a service."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")

    def compiled(name: str) -> Any:
        for folder in SPECS.glob("coffee_*"):
            if folder.is_dir():
                shutil.copytree(folder, tmp_path / folder.name)
        text = (SPECS / f"{name}.yaml").read_text(encoding="utf-8")
        text = text.replace("model: embedder\n", 'model: {python: "meanings:embed"}\n')
        text = "\n".join(line for line in text.split("\n") if not line.startswith("  embedder:"))
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
        (tmp_path / "meanings.py").write_text(EMBEDDER)
        assert main(["compile", str(tmp_path)]) == 0
        path = tmp_path / f"{name}_workflow.py"
        module = execute(path.stem, str(path), path.read_text(encoding="utf-8"))
        return getattr(module, "".join(word.capitalize() for word in name.split("_")))

    return compiled


async def run(workflow: Any, engine: Engine, **inputs: str) -> Any:
    """Run a workflow; give its end and the names of the steps that have searched."""
    made = workflow(engine=engine)
    handler = made.run(start_event=made.start_event_class.model_validate(inputs))
    steps = [
        event.step_name
        async for event in handler.stream_events(expose_internal=True)
        if isinstance(event, Searched)
    ]
    return await handler, steps


@pytest.mark.parametrize(
    ("question", "collection", "asks_a_model"),
    [
        ("What does E13 mean?", "manuals", False),
        ("Which price has the tank?", "parts", False),
        ("What would I pay for a container?", "parts", False),  # no word of it is among the questions
        ("Is that noise usual, and what is descaling?", "manuals", False),
        ("Which coffee beans are best?", "parts", True),
    ],
)
def test_a_question_goes_by_rule_by_meaning_or_by_a_model(
    workflow: Any, question: str, collection: str, asks_a_model: bool
) -> None:
    router = workflow("question_router")
    with serving(lambda _: Reply(record={"collection": "parts"})) as server:
        with answering_at(server.url, SHAPES["openai"]):
            end, searched = asyncio.run(run(router, Engine(), question=question))
        assert len(server.asked) == asks_a_model
    assert searched[-1] == f"search_{collection}"
    if type(end).__name__ == "PassagesGiven":
        ending = ".csv" if collection == "parts" else ".md"
        assert all(each.source.endswith(ending) for each in end.passages)


LETTERS = {
    "The lamp in Mill Lane is broken. Ann Lee, 2021": {
        "writer": "Ann Lee",
        "kind": "complaint",
        "year": 2021,
    },
    "Thank you for the lamp. Ann Lee, 2022": {"writer": "Ann Lee", "kind": "thanks", "year": 2022},
    "The lamp in Hill Road is broken. Bob Ray, 2021": {
        "writer": "Bob Ray",
        "kind": "complaint",
        "year": 2021,
    },
}


@pytest.mark.parametrize(
    ("question", "label", "found"),
    [
        ("What about the lamp?", {"writer": "", "kind": "other", "year": 0}, {0, 1, 2}),
        ("Which lamp has Ann Lee complained of?", {"writer": "Ann Lee", "kind": "complaint", "year": 0}, {0}),
        ("Whose lamp was broken in 2021?", {"writer": "", "kind": "other", "year": 2021}, {0, 2}),
    ],
)
def test_letters_are_found_by_what_a_model_has_read_in_them(
    workflow: Any, question: str, label: dict[str, Any], found: set[int]
) -> None:
    desk, known = workflow("labelled_letters"), {**LETTERS, question: label}

    def reply(asked: Asked) -> Reply:
        said = str(asked.body["messages"][-1]["content"])
        return Reply(record=next(record for text, record in known.items() if text in said))

    async def work() -> Any:
        engine = Engine()
        for text, read in LETTERS.items():
            kept, _ = await run(desk, engine, archive="town", letter=text)
            assert json.loads(kept.label.model_dump_json()) == read
        other, _ = await run(desk, engine, archive="village", question=question)
        assert other.passages == []  # nothing is seen under another key
        return await run(desk, engine, archive="town", question=question)

    with serving(reply) as server, answering_at(server.url, SHAPES["openai"]):
        end, _ = asyncio.run(work())
    texts = list(LETTERS)
    assert {texts.index(each.text) for each in end.passages} == found
