"""A model's options are named in the schema and in the runtime's `Model`, and nowhere else."""

from __future__ import annotations

from dataclasses import fields

from wfc.compiler.passes import compile_text
from wfc.compiler.resolve.declarations.models import NOT_PLAIN
from wfc.compiler.schema.expansion import schema
from wfc.runtime.calls import bindings, llm

SPEC = """\
wfc: 1
workflow: ask
start: Asked
end: Told
events:
  Asked: {}
  Told: {text: string}
models:
  fast: {use: "openai:gpt-4o-mini", temperature: 0.5, max_tokens: 7, timeout: 30s}
steps:
  ask:
    kind: llm
    accepts: Asked
    model: fast
    prompt: Say something.
    emit: {event: Told, with: {text: "${{ result }}"}}
"""


def test_the_runtime_has_a_field_for_each_option_of_the_schema() -> None:
    named = schema()["$defs"]["model"]["properties"].keys()
    once = {"top_p", "seed"}  # generated modules of earlier formats give them by themselves
    assert {each.name for each in fields(llm.Model)} == named | once
    assert named - NOT_PLAIN == named - bindings.NOT_SENT - {"timeout"}


def test_each_option_is_generated_and_sent() -> None:
    text = compile_text(SPEC.encode(), "ask.yaml", source="ask.yaml").python
    for argument in ("temperature=0.5", "max_tokens=7", "timeout=30"):
        assert argument in text, text
    model = llm.Model("openai:gpt-4o-mini", temperature=0.5, max_tokens=7, top_p=1, seed=3, timeout=30)
    assert model.options() == {"temperature": 0.5, "max_tokens": 7, "top_p": 1, "seed": 3, "timeout": 30}
    assert llm.Model("openai:gpt-4o-mini").options() == {}
