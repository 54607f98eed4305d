"""What the tables of `reference.md` say beyond what the schema and the compiler know."""

from __future__ import annotations

from typing import Final

__all__ = ["ERROR_WORDS", "OPERATORS", "PLACES", "SCALAR_WORDS", "SECTIONS", "UNIT_WORDS"]

SECTIONS: Final = {
    "type": "types",
    "state_field": "types",
    "record": "types",
    "duration": "durations",
    "condition": "expressions",
    "expression": "expressions",
    "template": "texts-with-expressions",
    "prompt": "texts-with-expressions",
    "value": "texts-with-expressions",
    "values": "texts-with-expressions",
    "accepts": "accepts",
    "exit": "emit",
    "error_exit": "on_error",
    "retry": "retry-policies",
    "secret_name": "config-and-secrets",
    "auth": "http",
    "request": "http",
    "save": "state-and-save",
    "stream": "stream",
    "requirement": "require",
    "model": "models",
    "tool_binding": "tools",
    "step": "steps",
    "test": "tests",
    "event": "events",
    "defaults": "defaults",
    "expect": "tests",
}
"""Where the reference says more about what stands at a key."""

SCALAR_WORDS: Final = {
    "string": ("text", "`Ada`"),
    "integer": ("whole number, of any size", "`42`"),
    "number": ("number, perhaps with a fraction; an `integer` is one too", "`2.5`"),
    "decimal": ("exact decimal number, for money; in quotes", '`"19.90"`'),
    "boolean": ("`true` or `false`; nothing else counts as one", "`true`"),
    "date": ("day", "`2026-01-31`"),
    "datetime": ("moment, with its offset; kept in UTC", '`"2026-01-31T10:00:00+01:00"`'),
    "duration": ("length of time", "`90 min`"),
    "any": (
        "anything; nobody can ask for its fields, and it [fills](#what-fills-an-events-fields) nothing",
        "",
    ),
}
UNIT_WORDS: Final = {
    "ms": ("milliseconds", "500 ms"),
    "s": ("seconds", "30s"),
    "min": ("minutes", "5 min"),
    "h": ("hours", "4h"),
    "days": ("days of 24 hours", "3 days"),
    "weeks": ("weeks of 7 days", "2 weeks"),
}
ERROR_WORDS: Final = {
    "http": "anything wrong with a request or its reply; narrower are all names below that begin with `http.`",
    "http.4xx": "a status of 400 to 499: the request is at fault; likewise for other hundreds",
    "http.5xx": "a status of 500 to 599: the service is at fault",
    "http.429": "one status, here: too many requests; likewise for any other",
    "http.invalid_request": "nothing was sent: what makes it up cannot be sent, or its address leads where it must not",
    "http.invalid_output": "the reply is not what `output` says",
    "http.too_large": "the reply has more than 16 MB",
    "http.redirect": "it was sent on to where it must not go, or too often",
    "command": "a command failed; `command.3` is one that ended with the number 3",
    "command.killed": "something ended it from outside",
    "command.too_large": "it printed more than 16 MB, and was killed",
    "command.invalid_output": "it printed something else than `output` says",
    "command.arguments": "it cannot be given this: an argument from data begins with `-`, or no program takes it",
    "timeout": "an attempt took longer than `timeout`, or a service did not reply in time",
    "connection": "a service could not be reached, or the connection broke",
    "model": "anything wrong with a model's answer, or a status that its service replied with",
    "model.refused": "the model refused to answer",
    "model.invalid_output": "the model's answer is not what `output` says",
    "model.cut_off": "the answer was longer than `max_tokens`, or than the model can write",
    "model.unsupported": "the model cannot be shown a file of this kind",
    "model.too_long": "what was sent is longer than the model can read",
    "items": "a `map` has more items than its `max`",
    "requirement": "the result is not as `require` wants it",
    "result": "a run that is kept in a store cannot keep the result: a number that is none, a text that is no Unicode",
    "result.too_large": "it takes more than 16 MB there",
    "tool": "a Python function failed, or gave something else than its `output` says",
    "python": "the same, by the name that Python has for it, as in `python.ValueError`",
    "run": "an event could not be sent to a run",
    "run.unknown": "there is no run under that key",
    "run.ended": "the run under that key is over",
    "workflow": "the other workflow, which a step runs, came to no end event",
    "workflow.failed": "it failed",
    "workflow.cancelled": "it was cancelled",
    "workflow.timeout": "it took longer than its `deadline`",
    "workflow.inputs": "what it was given does not fit its start event",
    "workflow.unknown": "there is no workflow of that name where the run takes place",
}
PLACES: Final = {
    "spec": "the file",
    "_step": "a step",
    "join_each": "a join of `each`",
    "join_": "a join",
    "restart_entry": "an entry of `emit`",
    "test": "a test",
    "long_state_field": "a field of `state`",
    "event": "an event",
    "_tool": "a tool",
    "stream": "`stream`",
}
"""What the keys of a shape are keys of; also by a part of the shape's name."""

OPERATORS: Final = (
    ("a field, an item, a part", "order.total", "order.tags[0]", "order.tags[1:]", "prices[name]"),
    ("arithmetic", "7 + 2 * 3", "7 / 2", "7 // 2", "7 % 2", "-order.count"),
    (
        "texts, lists and maps put together",
        '"no. " ~ order.count',
        "order.tags + [name]",
        'prices + {"pen": 2.5}',
    ),
    ("comparison", "order.count == 3", 'name != "pen"', 'order.total > "10"', "order.count <= 2"),
    ("is it in it", "name in order.tags", '"oo" in name', "name not in prices"),
    (
        "both, either, not",
        'order.count > 1 and name == "book"',
        "order.paid or order.count == 3",
        "not order.paid",
    ),
    ("one of two", '"many" if order.count > 2 else "few"'),
    ("is it null", "order.note is none", "order.note is not none"),
    ("is there nothing in it", "order.note is empty", "order.tags is not empty"),
    ("a list, a record written out", "[order.count, 4]", '{"name": name, "count": order.count}'),
    (
        "a list made of another",
        "[tag | upper for tag in order.tags]",
        "[k for k, price in prices if price > 2]",
        "[loop.index for tag in order.tags]",
    ),
    ("a filter", "order.tags | sort | first", 'order.note | default("nothing")'),
)
"""What the operators are for, with examples whose outcome is worked out here."""
