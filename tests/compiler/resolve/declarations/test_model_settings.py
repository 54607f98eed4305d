"""The settings of models that the check knows, against those of the installed library."""

from __future__ import annotations

from typing import Any

import pytest

from wfc.compiler.passes import check_text
from wfc.compiler.resolve.declarations.model_settings import COMMON, OWN

SPEC = """
wfc: 1
workflow: ask
start: Asked
end: Told
events: {Asked: {}, Told: {text: string}}
models:
  fast: {use: "USE", settings: {SETTINGS}}
steps:
  ask:
    kind: llm
    accepts: Asked
    model: fast
    prompt: Say something.
    emit: {event: Told, with: {text: "${{ result }}"}}
"""


@pytest.mark.full
def test_the_known_settings_are_those_of_the_library() -> None:
    # all of which takes seconds to import, and nobody else here needs it
    from pydantic_ai.models.anthropic import AnthropicModelSettings
    from pydantic_ai.models.google import GoogleModelSettings
    from pydantic_ai.models.openai import OpenAIChatModelSettings, OpenAIResponsesModelSettings
    from pydantic_ai.settings import ModelSettings

    def own(*kinds: Any) -> set[str]:
        return {name for kind in kinds for name in kind.__annotations__} - set(ModelSettings.__annotations__)

    assert set(ModelSettings.__annotations__) == COMMON
    assert own(AnthropicModelSettings) == OWN["anthropic"]
    assert own(GoogleModelSettings) == OWN["google"]
    assert own(OpenAIChatModelSettings, OpenAIResponsesModelSettings) == OWN["openai"]


@pytest.mark.parametrize(
    ("use", "settings", "hint"),
    [
        ("openai:gpt-5", "sead: 7", "did you mean `seed`?"),
        ("openai:gpt-5", "user: u1", "write `openai_user`"),
        ("openai-chat:gpt-5", "openai_reasoning_efort: low", "did you mean `openai_reasoning_effort`?"),
        ("anthropic:claude-sonnet-4-5", "thinking_budget: 100", "did you mean `thinking`?"),
        ("anthropic:claude-sonnet-4-5", "metadata: {a: b}", "write `anthropic_metadata`"),
        ("google:gemini-2.5-flash", "openai_user: u1", ""),
    ],
)
def test_a_setting_that_nobody_is_sent(use: str, settings: str, hint: str) -> None:
    (finding,) = found(use, settings)
    assert (finding.code, finding.hint) == ("unknown-setting", hint)


@pytest.mark.parametrize(
    ("use", "settings"),
    [
        ("openai:gpt-5", "seed: 7, thinking: high, openai_user: u1, extra_body: {a: b}"),
        ("anthropic:claude-sonnet-4-5", "thinking: low, cache: 1h, anthropic_effort: low"),
        ("google:gemini-2.5-flash", "google_thinking_config: {thinking_budget: 64}"),
        ("openrouter:a/b", "openrouter_reasoning: {effort: high}"),  # not one of those that are looked at
        ("gateway/openai:gpt-5", "sead: 7"),
    ],
)
def test_settings_that_are_sent(use: str, settings: str) -> None:
    assert found(use, settings) == []


def found(use: str, settings: str) -> list[Any]:
    text = SPEC.replace("USE", use).replace("SETTINGS", settings)
    return list(check_text(text.encode(), "ask.yaml").diagnostics)
