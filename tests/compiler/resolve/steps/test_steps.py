"""Steps: what they accept, do, and how they leave."""

from __future__ import annotations

import pytest

from wfc.compiler import model as nodes

MODELS = {"fast": {"use": "openai:gpt-4o-mini"}}
HELLO = {"event": "Greeted", "with": {"text": "hello"}}


def transform(resolved, **more: object):
    sections = {key: more.pop(key) for key in ("events", "end", "state", "config", "types") if key in more}
    step = {"kind": "transform", "accepts": "Asked", "emit": HELLO, **more}
    return resolved(steps={"greet": step}, **sections)


def llm(resolved, **more: object):
    sections = {key: more.pop(key) for key in ("events", "end", "state", "config", "retries") if key in more}
    step = {"kind": "llm", "accepts": "Asked", "model": "fast", "prompt": "Hi.", "emit": HELLO, **more}
    return resolved(models=MODELS, steps={"greet": step}, **sections)


def http(resolved, **more: object):
    sections = {key: more.pop(key) for key in ("events", "config", "secrets") if key in more}
    step = {
        "kind": "http",
        "accepts": "Asked",
        "method": "GET",
        "url": "https://a.example",
        "emit": HELLO,
        **more,
    }
    return resolved(steps={"greet": step}, **sections)


@pytest.mark.parametrize(
    ("more", "code", "at"),
    [
        ({"accepts": ["Asked", "Asked"]}, "accepted-twice", "Asked"),
        ({"accepts": ["Asked", "Greeted"]}, "end-event-accepted", "Greeted"),
        ({"emit": {"event": "Asked", "with": {"name": "x"}}}, "start-event-emitted", "Asked"),
        ({"accepts": {"any": ["Asked"], "count": 2}}, "count-out-of-range", "2"),
        ({"accepts": {"all": ["Asked"], "within": "2m", "on_timeout": "proceed"}}, "bad-duration", "2m"),
        ({"accepts": {"all": ["Asked"], "within": "2s"}}, "key-without-companion", "within"),
        ({"accepts": {"all": ["Asked"], "on_timeout": HELLO}}, "key-without-companion", "on_timeout"),
        ({"accepts": {"each": "Asked"}}, "each-outside-batch", "Asked"),
        ({"on_limit": HELLO}, "key-without-companion", "on_limit"),
        ({"max_runs": "${{ inputs.name }}"}, "wrong-value", "${{ inputs.name }}"),
        ({"max_runs": "${{ state.count }}"}, "unknown-name", "state"),
        ({"retry": {"max_attempts": 2}}, "no-action", "retry"),
        ({"timeout": "3s"}, "no-action", "timeout"),
        ({"on_error": [HELLO]}, "no-action", "on_error"),
        ({"require": [{"that": "event.name != ''", "say": "x"}]}, "no-result", "require"),
    ],
)
def test_what_a_transform_cannot_say(resolved, more, code, at) -> None:
    assert transform(resolved, **more).found == [(code, at)]


@pytest.mark.parametrize(
    ("more", "code", "at"),
    [
        ({"on_error": [{"errors": ["htp"], **HELLO}]}, "unknown-error", "htp"),
        ({"on_error": [{"errors": ["http.6xx"], **HELLO}]}, "unknown-error", "http.6xx"),
        ({"on_error": [{"errors": ["expression"], **HELLO}]}, "uncaught-error", "expression"),
        ({"on_error": [{"errors": ["limit"], **HELLO}]}, "uncaught-error", "limit"),
        ({"retry": {"max_attempts": 2, "retry_on": ["http", "timeot"]}}, "unknown-error", "timeot"),
        (
            {"retry": {"max_attempts": 2, "delay": "5 min", "max_delay": "1 min"}},
            "delay-over-max-delay",
            "5 min",
        ),
        ({"timeout": "30x"}, "bad-duration", "30x"),
        ({"output": {"mood": "string"}}, "unused-result", "output"),
        ({"prompt": "${{ result }}"}, "unknown-name", "result"),
        ({"prompt": "${{ error.message }}"}, "unknown-name", "error"),
        ({"on_error": [{"event": "Greeted", "with": {"text": "${{ result }}"}}]}, "unknown-name", "result"),
        ({"require": [{"that": "result", "say": "x"}]}, "not-a-condition", "result"),
        (
            {"emit": {"each": {"in": "result", "as": "part", "event": "Greeted", "max": 3}}},
            "each-not-a-list",
            "result",
        ),
        ({"emit": {"each": {"in": "[1]", "as": "event", **HELLO, "max": 3}}}, "name-in-use", "event"),
    ],
)
def test_what_a_step_with_an_action_cannot_say(resolved, more, code, at) -> None:
    result = llm(resolved, **more)
    found = [(each, text) for each, text in result.found if each != "unfilled-field"]
    assert found == [(code, at)]


@pytest.mark.parametrize(
    "name",
    ["http", "http.404", "http.4xx", "http.5xx", "timeout", "connection", "model", "model.refused",
     "model.invalid_output", "requirement", "tool", "python.ValueError", "python"],
)  # fmt: skip
def test_errors_that_can_be_named(resolved, name) -> None:
    result = llm(
        resolved, on_error=[{"errors": [name], **HELLO}], retry={"max_attempts": 2, "never_on": [name]}
    )
    assert not result.found
    assert result.step("greet").on_error.entries[0].errors == (name,)


@pytest.mark.parametrize(
    ("more", "code", "at"),
    [
        ({"url": "${{ event.name }}/x"}, "url-base-not-config", "event.name"),
        ({"url": "${{ event.name }}"}, "url-base-not-config", "event.name"),
        ({"query": {"q": {"a": 1}}}, "wrong-value", "a: 1"),
        ({"query": {"q": "${{ inputs }}"}}, "wrong-value", "${{ inputs }}"),
        ({"auth": {"bearer": "KEY"}}, "unknown-secret", "KEY"),
        ({"auth": {"basic": {"user": "me", "password": "KEY"}}}, "unknown-secret", "KEY"),
        ({"headers": {"X-Key": {"secret": "KEY"}}}, "unknown-secret", "KEY"),
        ({"headers": {"X-Key": "${{ inputs }}"}}, "wrong-value", "${{ inputs }}"),
    ],
)
def test_requests(resolved, more, code, at) -> None:
    assert [(each, text.strip()) for each, text in http(resolved, **more).found] == [(code, at)]


def test_a_request_that_is_fine(resolved) -> None:
    result = http(
        resolved,
        config={"base": "string"},
        secrets=["KEY", "WORD"],
        method="POST",
        url="${{ config.base }}/a/${{ event.name }}",
        query={"limit": 3, "name": "${{ event.name }}", "tags": ["a", "${{ event.name }}"], "none": None},
        headers={"X-Key": {"secret": "KEY"}, "X-Name": "${{ event.name }}"},
        auth={"basic": {"user": "${{ event.name }}", "password": "WORD"}},
        body={"name": "${{ event.name }}", "all": "${{ inputs }}"},
        emit={"event": "Greeted", "with": {"text": "${{ response.status }}-${{ run.id }}"}},
    )
    assert not result.found
    action = result.step("greet").action
    assert isinstance(action, nodes.HttpCall)
    assert action.request.auth == nodes.Auth("basic", nodes.Secret("WORD"), action.request.auth.user)
    assert action.request.headers[0] == nodes.Header("X-Key", nodes.Secret("KEY"))
    assert action.output.name == "any"


def test_one_whole_expression_that_is_no_text_becomes_one(resolved) -> None:
    result = llm(resolved, emit={"fail": "${{ event.name | length }}"})
    assert not result.found
    text = result.step("greet").emit.entries[0].emission.text
    assert (text.whole, text.type.name) == (None, "string")


def test_retries_and_their_defaults(resolved) -> None:
    result = llm(resolved, retries={"standard": {"max_attempts": 5}}, retry="standard")
    assert not result.found
    retry = result.step("greet").retry
    assert retry is result.workflow.retries[0]
    assert (retry.max_attempts, retry.delay, retry.backoff, retry.max_delay, retry.jitter) == (
        5,
        1.0,
        2.0,
        60.0,
        0.0,
    )
    inline = llm(resolved, retry={"max_attempts": 2, "delay": "5 min", "within": "1h"}).step("greet").retry
    assert (inline.name, inline.delay, inline.max_delay, inline.within) == (
        "greet_retry",
        300,
        300,
        3600,
    )
    short = llm(resolved, retry={"max_attempts": 2, "max_delay": "500 ms"}).step("greet").retry
    assert (short.delay, short.max_delay) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("emit", "exhaustive"),
    [
        (HELLO, True),
        ([{**HELLO, "when": "event.name == 'a'"}, HELLO], True),
        ([{**HELLO, "when": "event.name == 'a'"}], False),
        ([{**HELLO, "when": "event.mood == 'good'"}, {**HELLO, "when": "event.mood == 'bad'"}], True),
        ([{**HELLO, "when": "event.mood == 'good'"}, {**HELLO, "when": "event.mood == 'so'"}], False),
        ([{**HELLO, "when": "event.note is none"}, {**HELLO, "when": "event.note is not none"}], True),
    ],
)
def test_whether_the_conditions_leave_a_case(resolved, emit, exhaustive) -> None:
    asked = {
        "name": "string",
        "note": "optional string",
        "mood": {"enum": ["good", "bad", "so"] if not exhaustive else ["good", "bad"]},
    }
    result = transform(resolved, events={"Asked": asked}, emit=emit)
    assert not result.found
    made = result.step("greet").emit
    assert made.exhaustive is exhaustive
    assert bool(made.left) is not exhaustive


def test_every_form_of_entry(resolved) -> None:
    result = transform(
        resolved,
        events={"Asked": {"name": "string", "names": "list of string"}, "Named": {"name": "string"}},
        emit=[
            {"fail": "no ${{ event.name }}", "when": "event.name == 'a'"},
            {"event": "nothing", "when": "event.name == 'b'"},
            {"all": [HELLO, "Named", {"each": {"in": "event.names", "as": "name", "event": "Named", "max": 3}}],
             "when": "event.name == 'c'"},
            {"each": {"in": "event.names", "as": "name", "event": "Named", "max": 3}, "when": "event.name == 'd'"},
            "nothing",
        ],
    )  # fmt: skip
    assert not result.found
    kinds = [type(entry.emission).__name__ for entry in result.step("greet").emit.entries]
    assert kinds == ["Fail", "Nothing", "EmitAll", "EmitEach", "Nothing"]


def test_each_entry_knows_that_those_before_it_did_not_match(resolved) -> None:
    result = transform(
        resolved,
        events={"Asked": {"note": "optional string"}},
        emit=[
            {"event": "Greeted", "when": "event.note is not none", "with": {"text": "${{ event.note }}"}},
            {"event": "Greeted", "with": {"text": "${{ event.note }}"}},
        ],
    )
    assert [text for _, text in result.found] == ["${{ event.note }}"]
    assert result.document.span(result.findings[0].place)[0].line > 20


def test_requirements_build_on_each_other(resolved) -> None:
    result = llm(
        resolved,
        output="optional string",
        require=[
            {"that": "result is not none", "say": "Write something."},
            {"that": "result | length < 9", "say": "Shorter than ${{ result | length }}."},
        ],
    )
    assert not result.found


def test_a_timed_out_join_may_lack_any_event(resolved) -> None:
    def leave(value: str):
        accepts = {
            "all": ["Asked"],
            "within": "3s",
            "on_timeout": {"event": "Greeted", "with": {"text": value}},
        }
        return transform(
            resolved, accepts=accepts, emit={"event": "Greeted", "with": {"text": "${{ events.name }}"}}
        )

    assert leave("${{ events.name }}").found == [("wrong-value", "${{ events.name }}")]
    assert not leave("${{ events.name | default('x') }}").found
    join = leave("x").step("greet").accepts
    assert (join.within, join.proceed, join.fork) == (3.0, False, None)


def test_tools_take_what_they_say(resolved) -> None:
    def call(args: object, output: object = None):
        step = {"kind": "tool", "accepts": "Asked", "tool": "find", "with": args, "emit": HELLO}
        if output is not None:
            step["output"] = output
            step["emit"] = {"event": "Greeted", "with": {"text": "${{ result }}"}}
        tools = {
            "find": {
                "python": "names:find",
                "args": {"name": "string", "n": "optional integer"},
                "output": "string",
            }
        }
        return resolved(tools=tools, steps={"greet": step})

    assert not call({"name": "${{ event.name }}"}).found
    assert call({}).found[0][0] == "missing-entry"
    assert call({"name": "x", "m": 1}).found == [("unknown-entry", "m")]
    assert call({"name": 1}).found == [("wrong-value", "1")]
    assert not call({"name": "a"}, "string").found
    assert [code for code, _ in call({"name": "a"}, "integer").found] == ["wrong-value"]


def test_a_tool_that_does_not_say_what_it_takes_may_be_given_anything(resolved) -> None:
    result = resolved(
        tools={"find": {"python": "names:find"}},
        steps={
            "greet": {"kind": "tool", "accepts": "Asked", "tool": "find", "with": {"x": 1}, "emit": HELLO}
        },
    )
    assert not result.found
    assert [name for name, _ in result.step("greet").action.args] == ["x"]


def test_a_tool_written_in_place(resolved) -> None:
    result = resolved(
        secrets=["KEY"],
        config={"base": "string"},
        steps={
            "greet": {
                "kind": "tool",
                "accepts": "Asked",
                "tool": {
                    "http": {
                        "method": "GET",
                        "url": "${{ config.base }}/${{ args.city }}",
                        "auth": {"bearer": "KEY"},
                    },
                    "args": {"city": "string"},
                    "output": {"text": "string"},
                },
                "with": {"city": "${{ event.name }}"},
                "emit": "Greeted",
            }
        },
    )
    assert not result.found
    assert result.workflow.outputs[0].name == "GreetOutput"


def test_what_is_streamed(resolved) -> None:
    result = transform(
        resolved,
        stream={"before": "${{ event.name }} asked", "after": {"event": "Greeted", "with": {"text": "x"}}},
    )
    assert not result.found
    assert result.step("greet").stream.after.event.name == "Greeted"
