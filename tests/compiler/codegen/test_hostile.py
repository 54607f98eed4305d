"""Names and texts chosen to break out of the generated Python stay data: it is parsed, compared, and run."""

from __future__ import annotations

import ast
import asyncio
import builtins
import itertools
import json
import keyword
import sys
from types import ModuleType
from typing import Any
from unicodedata import normalize

import pydantic
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

import wfc.runtime
from wfc.compiler.diagnostics import Severity
from wfc.compiler.passes import compile_text

NUMBERS = itertools.count()


def compiled(spec: dict[str, Any]) -> str:
    """The module of a spec that is written as JSON, which is YAML too; a spec with mistakes is not of interest."""
    raw = json.dumps(spec, ensure_ascii=False).encode("utf-8", "surrogatepass")
    found = compile_text(raw, "hostile.yaml", source="hostile.yaml")
    assume(all(each.severity is not Severity.ERROR for each in found.diagnostics))
    return found.python


def loaded(text: str) -> ModuleType:
    module = ModuleType(f"hostile_{next(NUMBERS)}")
    module.__dict__["__file__"] = "/nowhere/hostile_workflow.py"
    sys.modules[module.__name__] = module
    exec(compile(text, "hostile_workflow.py", "exec"), module.__dict__)  # noqa: S102  this is what is tested
    return module


def shape(text: str) -> tuple[set[str], set[str]]:
    """The names at the top of a module, and what it calls."""
    tree = ast.parse(text)
    top: set[str] = set()
    for node in tree.body:
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                top.add(node.name)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                top.add(name)
            case ast.ImportFrom():
                pass
            case ast.Expr(value=ast.Constant() | ast.Call()):
                pass
            case _:
                raise AssertionError(ast.dump(node))
    calls = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return top, calls


def texts_spec(text: str) -> dict[str, Any]:
    return {
        "wfc": 1,
        "workflow": "hostile",
        "description": text,
        "start": "Asked",
        "end": "Done",
        "config": {"setting": {"type": "string", "default": text, "description": text}},
        "models": {"fast": {"use": "openai:x", "settings": {"extra": text}}},
        "tools": {
            "look": {"python": "tools:look", "description": text, "args": {"what": "string"}, "output": "string"}
        },
        "types": {"Level": {"enum": [text, "other"]}},
        "events": {
            "Asked": {
                "text": {"type": "string", "default": text, "description": text},
                "level": {"type": "Level", "default": text},
            },
            "Found": {"text": "string"},
            "Done": {"plain": "string", "mixed": "string", "record": "map of string"},
        },
        "state": {"kept": {"type": "string", "default": text}},
        "steps": {
            "look": {
                "kind": "tool",
                "description": text,
                "accepts": "Asked",
                "tool": "look",
                "with": {"what": text},
                "require": [{"that": "result != ''", "say": text}],
                "save": {"kept": text},
                "stream": {"before": text},
                "emit": {"event": "Found", "with": {"text": "${{ result }}"}},
                "on_error": [{"fail": text}],
            },
            "answer": {
                "kind": "llm",
                "accepts": "Found",
                "model": "fast",
                "system": text,
                "prompt": text + "${{ event.text }}" + text,
                "emit": {
                    "event": "Done",
                    "with": {"plain": text, "mixed": text + "${{ inputs.level }}" + text, "record": {text: text}},
                },
            },
        },
    }  # fmt: skip


HARMLESS = "a"
PIECES = (
    *('"""', "'''", '"', "'", "\\", "\n", "{", "}", "}}", "{{", "\\N{BULLET}", "{x}", "%s", "\\x22", "#"),
    *("\u2028", "\u202e", "\xad", "import os", "__import__('os')", "word " * 20, "é", "工", "😀", " ", "\t"),
)
EVIL = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="\"'\\{}\n #$%", max_size=40),
    st.lists(
        st.sampled_from(PIECES),
        max_size=8,
    ).map("".join),
)


@given(EVIL)
@example('"""\nimport os\n"""')
@example('\\"""')
@example('ends with a quote"')
@example("ends with a backslash\\")
@example("{__import__('os').system('x')}")
@example("a very long line of words, " * 20)
@example("two\nlines, the second ends with blanks   \nand a third\n")
@settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_texts_stay_texts(text: str) -> None:
    source = compiled(texts_spec(text))
    top, calls = shape(source)
    plain_top, plain_calls = shape(compiled(texts_spec(HARMLESS)))
    # where a text is long it becomes a constant or a function, but never a call of its own
    assert top - {"ANSWER_SYSTEM", "answer_prompt"} == plain_top - {"ANSWER_SYSTEM", "answer_prompt"}
    assert calls - {"answer_prompt"} <= plain_calls | {"parts.append", "''.join", "filters.text"}

    module = loaded(source)
    asked = module.Asked()
    assert asked.text == text
    assert asked.level == text
    assert module.Asked.model_fields["text"].description == (text or None)
    assert module.Config(setting="x").setting == "x"
    assert module.Config.model_fields["setting"].default == text
    assert module.State().kept == text
    found = module.Found(text="found")
    workflow = module.Hostile
    state = module.State(kept="")
    workflow.after_look(None, state, "x")
    assert state.kept == text
    assert workflow.before_look(None) == text
    assert list(workflow.require_look(None, "")) == [text]
    assert workflow.look_failed(None).text == text
    done = workflow.after_answer(None, asked)
    assert (done.plain, done.mixed, done.record) == (text, text * 3, {text: text})

    class Context:
        async def llm(self, model: Any, prompt: str, *, system: str | None = None) -> str:
            assert model.settings == {"extra": text}
            assert system == text
            return prompt

        async def tool(self, tool: Any, args: dict[str, str]) -> str:
            return args["what"]

    steps = workflow(), Context()
    assert asyncio.run(workflow.answer(*steps, found)) == f"{text}found{text}"
    assert asyncio.run(workflow.look(*steps, asked)) == text


# --- names

SMALL = sorted(
    {name for name in (*keyword.kwlist, *keyword.softkwlist) if name == name.lower() and name[0] != "_"}
    | {name for name in dir(builtins) if name == name.lower() and name[0] != "_"}
    | {name for name in dir(pydantic.BaseModel) if name[0] != "_"}
    | {name for name in dir(wfc.runtime.Workflow) + dir(wfc.runtime.StopEvent) if name[0] != "_"}
    | {"self", "cls", "ctx", "emitted", "parts", "item", "date", "datetime", "timedelta", "filters"}
    | {"step", "transform"}
    | {"after_go", "go_failed", "go", "look", "tail", "fast", "found", "größe", "工单", "ﬁne", "x", "state_", "class_"}
    | {"require_output_format", "wfc", "pydantic", "typing", "result", "event", "events", "inputs", "config", "run"}
)  # fmt: skip
LARGE = sorted(
    {name for name in wfc.runtime.__all__ if name[0].isupper()}
    | {name for name in dir(builtins) if name[0].isupper()}
    | {
        "Annotated",
        "Any",
        "Literal",
        "Field",
        "Decimal",
        "Iterator",
        "AwareDatetime",
        "Path",
        "UTC",
        "State",
        "Config",
    }
    | {"Hostile", "HostileWorkflow", "LookResult", "Größe", "工单", "X", "State_", "Context_"}
)
small, large = st.sampled_from(SMALL), st.sampled_from(LARGE)


def names_spec(small: list[str], large: list[str]) -> dict[str, Any]:
    field, other, kept, more, go, look, tool, binding, item, setting = small
    asked, found, part, done, record = large
    return {
        "wfc": 1,
        "workflow": "hostile",
        "start": asked,
        "end": done,
        "config": {setting: {"type": "string", "default": "set"}},
        "models": {binding: {"use": "openai:x"}},
        "retries": {binding: {"max_attempts": 2}},
        "tools": {
            binding: {"python": "tools:look", "args": {field: "string"}, "output": {field: "string", other: "integer"}},
        },
        "types": {record: {field: "string", other: {"type": "list of string", "default": []}}},
        "events": {
            asked: {
                field: {"type": "string", "default": "asked"},
                other: {"type": "list of string", "default": ["a", "b"]},
            },
            found: {field: record, other: "integer"},
            part: {field: "string", other: "string"},
            done: {field: "string", other: "integer"},
        },
        "state": {kept: {"type": "string", "default": ""}, more: {"type": "integer", "default": 0, "min": 0}},
        "steps": {
            go: {
                "kind": "transform",
                "accepts": asked,
                "save": {kept: f"${{{{ event.{field} }}}}", more: f"${{{{ state.{more} + 1 }}}}"},
                "emit": {
                    "each": {
                        "in": f"event.{other}",
                        "as": item,
                        "event": part,
                        "with": {field: f"${{{{ {item} }}}}", other: f"${{{{ state.{kept} }}}}"},
                        "max": 5,
                    }
                },
            },
            look: {
                "kind": "transform",
                "accepts": {"each": part},
                "save": {more: "${{ events | length }}"},
                "emit": [
                    {
                        "event": found,
                        "when": f"config.{setting} == 'set' and state.{more} > 1",
                        "with": {
                            field: {
                                field: f"${{{{ state.{kept} }}}}",
                                other: f"${{{{ events | pluck('{field}') }}}}",
                            },
                            other: f"${{{{ state.{more} }}}}",
                        },
                    },
                    {"fail": "no"},
                ],
            },
            tool: {
                "kind": "transform",
                "accepts": found,
                "emit": {
                    "event": done,
                    "with": {
                        field: f"${{{{ event.{field}.{other} | join('+') }}}} ${{{{ inputs.{field} }}}}",
                        other: f"${{{{ event.{other} }}}}",
                    },
                },
            },
        },
    }  # fmt: skip


@given(
    st.lists(small, min_size=10, max_size=10),
    st.lists(large, min_size=5, max_size=5, unique=True),
)
@example(
    ["class", "list", "model_dump", "event", "run", "validate", "self", "fast", "filters", "copy"],
    ["Event", "Context", "Field", "StopEvent", "Record"],
)
@example(
    ["date", "get", "state", "emitted", "step", "transform", "after_go", "go", "parts", "schema"],
    ["State", "Config", "Workflow", "Hostile", "Literal"],
)
@example(
    ["abs", "ﬁne", "abs", "add_step", "abs", "add_step", "get", "abs", "abs", "abs"],
    ["All", "Annotated", "Any", "ArithmeticError", "AssertionError"],
)
@settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_any_name_may_be_used_and_keeps_its_own_in_data(small: list[str], large: list[str]) -> None:
    field, other, kept, more, go, look, tool, *_ = small
    assume(field != other and kept != more and len({go, look, tool}) == 3)
    source = compiled(names_spec(small, large))
    module = loaded(source)
    (workflow,) = (
        each
        for each in vars(module).values()
        if isinstance(each, type)
        and issubclass(each, wfc.runtime.Workflow)
        and each.__module__ == module.__name__
    )
    done = asyncio.run(run(workflow))
    data = done.model_dump(by_alias=True, mode="json")
    assert data == {normalize("NFKC", field): "a+b asked", normalize("NFKC", other): 2}
    assert type(done).model_validate(data) == done
    assert set(type(done).model_json_schema()["properties"]) == {field, other}


async def run(workflow: type[wfc.runtime.Workflow]) -> Any:
    return await workflow().run()


@pytest.mark.parametrize(
    "name", ["spec.yaml", "a\nimport os\n.yaml", 'a"b.yaml', "工.yaml", "\u202eb.yaml", "x" * 300]
)
def test_a_file_name_stays_a_text(name: str) -> None:
    spec = json.dumps(texts_spec("a")).encode()
    source = compile_text(spec, "x.yaml", source=name).python
    tree = ast.parse(source)
    required = next(node for node in ast.walk(tree) if isinstance(node, ast.Call))
    assert ast.unparse(required.func) == "require_output_format"
    assert ast.literal_eval(required.args[1]) == name
    assert source.splitlines()[2].startswith("# Generated from ")
    assert source.splitlines()[3].startswith("# sha256:")
