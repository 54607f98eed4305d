"""Twenty plain briefs: findings lead a model with slips out of them, to specs that pass tests which others wrote.

The scripted model mends a slip only when it is led to it: when what it is told shows the line that it wrote wrongly, or
names the test that fails by it. So a finding at another place, or none, leaves it where it is, and the draft fails.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from wfc.compiler.cli.drafting import drafter
from wfc.compiler.cli.drafting.drafter import Task, draft
from wfc.compiler.cli.drafting.looking import answer
from wfc.runtime import Model
from wfc.runtime.testing import ScriptedModel

BRIEFS = yaml.safe_load((Path(__file__).parent / "briefs.yaml").read_text(encoding="utf-8"))
FURTHER = list(BRIEFS)[8:]
"""Those that the full run alone tries."""


class Careless(ScriptedModel):
    """A model that has a spec in mind, and makes slips."""

    slips: list[list[str]]
    spec: str

    def __init__(self, spec: str, slips: list[list[str]]) -> None:
        super().__init__()
        object.__setattr__(self, "spec", spec)
        object.__setattr__(self, "slips", list(slips))

    async def ask(self, host: Any, prompt: str, **options: Any) -> Any:
        self.slips[:] = [slip for slip in self.slips if not self.is_led_to(slip, prompt)]
        text = self.spec
        for slip in self.slips:
            text = text.replace(slip[0], slip[1], 1)
        self._replies.append(f"```yaml\n{text}```")
        return await super().ask(host, prompt, **options)

    def is_led_to(self, slip: list[str], prompt: str) -> bool:
        """Whether a prompt shows the line of a slip, the step that lacks something, or the test that fails."""
        if "Write a spec for this" in prompt:
            return False
        if len(slip) > 2:
            return f"failed  {slip[2]}" in prompt
        shown = slip[1].strip().split("\n")[0]  # of a long line the part around the finding is shown
        return (shown != "" and shown in prompt) or any(line in prompt for line in self.lines_of(slip))

    def lines_of(self, slip: list[str]) -> list[str]:
        """The lines that are wrong; of what is missing, those of the step that lacks it."""
        written = self.spec.replace(slip[0], slip[1], 1)
        at = self.spec.index(slip[0])
        if slip[1].strip():
            first = written.rindex("\n", 0, at + 1) + 1
            return [line for line in written[first : at + len(slip[1])].split("\n") if line.strip()][:2]
        head = written.rindex("\n  ", 0, at)
        while written[head + 3] == " " or written[head + 3] == "-":
            head = written.rindex("\n  ", 0, head)
        end = written.find("\n  ", at)
        while end != -1 and written[end + 3] == " ":
            end = written.find("\n  ", end + 1)
        return [line for line in written[head:end].split("\n") if line.strip()]


@pytest.mark.slow
@pytest.mark.skipif("WFC_DRAFT_MODEL" not in os.environ, reason="no model is named, such as openai:gpt-4o")
@pytest.mark.parametrize("name", list(BRIEFS))
def test_a_real_model_does_so_too(name: str, tmp_path: Path) -> None:
    brief = BRIEFS[name]
    told: list[str] = []
    model = Model(os.environ["WFC_DRAFT_MODEL"], timeout=300.0)
    made = asyncio.run(draft(Task(brief["words"], model, tmp_path, tell=lambda _, said: told.append(said))))
    print(name, told, *made.usage.lines())
    assert made.problem == "", told
    own = made.text.partition("\ntests:\n")[0]
    judged = answer("test", {"text": f"{own}\n{brief['tests']}"})
    assert judged.get("failed") == 0, judged["report"]


def test_there_are_twenty() -> None:
    assert len(BRIEFS) == 20
    assert sum(len(each["slips"]) for each in BRIEFS.values()) >= 38


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.full if name in FURTHER else ()) for name in BRIEFS]
)
def test_a_brief_becomes_a_spec_that_passes_the_tests_of_others(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brief = BRIEFS[name]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(drafter, "ask", lambda folder, tool, arguments: answer(tool, arguments))
    model = Careless(brief["spec"], brief["slips"])
    told: list[str] = []
    made = asyncio.run(draft(Task(brief["words"], model, tmp_path, tell=lambda _, said: told.append(said))))
    assert made.problem == "", (told, model.prompts[-1])
    assert 1 < made.tries <= 5, told
    own = made.text.partition("\ntests:\n")[0]
    judged = answer("test", {"text": f"{own}\n{brief['tests']}"})
    assert (judged.get("failed"), judged.get("not_run")) == (0, 0), judged["report"]
    assert judged["passed"] == len(yaml.safe_load(brief["tests"])["tests"])
