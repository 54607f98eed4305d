"""Where the cursor stands, in whole texts and in unfinished ones; ``^`` is the cursor."""

from __future__ import annotations

import pytest

from wfc.compiler.lsp.cursor import cursor_at

PLACES = {
    "wo^": ((), "key", "wo"),
    "start: A^": (("start",), "value", "A"),
    "end: [A, B^": (("end",), "value", "B"),
    "end:\n- A\n- ^": (("end",), "value", ""),
    "events:\n  A: {x: str^": (("events", "A", "x"), "value", "str"),
    "events:\n  A: {}\n  ^": (("events",), "key", ""),
    "steps:\n  a:\n    ki^": (("steps", "a"), "key", "ki"),
    "steps:\n  a:\n    kind: l^\n    emit: B": (("steps", "a", "kind"), "value", "l"),
    "steps:\n  a:\n    emit:\n      - event: B\n        wh^": (("steps", "a", "emit"), "key", "wh"),
    "steps:\n  a:\n    emit:\n      - ^": (("steps", "a", "emit"), "value", ""),
    "steps:\n  a:\n    emit:\n      - event: ^": (("steps", "a", "emit", "event"), "value", ""),
    "steps:\n  a:\n    emit:\n    - event: B\n      wh^": (("steps", "a", "emit"), "key", "wh"),
    "steps:\n  a:\n    emit: {event: B, with: {x^": (("steps", "a", "emit", "with"), "key", "x"),
    "steps:\n  a:\n    emit: {event: B, wh^": (("steps", "a", "emit"), "key", "wh"),
    "steps:\n  a:\n    emit: {event: B^": (("steps", "a", "emit", "event"), "value", "B"),
    "steps:\n  a:\n    accepts: {any: [A, ^": (("steps", "a", "accepts", "any"), "value", ""),
    "steps:\n  a:\n    prompt: Hello ${{ event.na^": (("steps", "a", "prompt"), "expression", "event.na"),
    "steps:\n  a:\n    prompt: |\n      Hello ${{ ev^ }}": (("steps", "a", "prompt"), "expression", "ev"),
    'steps:\n  a:\n    emit: {event: B, with: {x: "${{ result.^': (
        ("steps", "a", "emit", "with", "x"),
        "expression",
        "result.",
    ),
    "steps:\n  a:\n    emit:\n      - event: B\n        when: event.x > 1 and ev^": (
        ("steps", "a", "emit", "when"),
        "expression",
        "ev",
    ),
    "steps:\n  a:\n    emit: [{event: B, when: not res^": (
        ("steps", "a", "emit", "when"),
        "expression",
        "res",
    ),
    "a: ${{ x }} wo^": (("a",), "value", "wo"),
    "# about\nsteps:\n  a:\n\n    # more\n    ^": (("steps", "a"), "key", ""),
    "steps:\n  a:\n    kind: llm\n  ^": (("steps",), "key", ""),
    "steps:\n  a:\n    kind: llm\n^": ((), "key", ""),
}


@pytest.mark.parametrize("marked", PLACES)
def test_where_the_cursor_stands(marked: str) -> None:
    offset = marked.index("^")
    text = marked.replace("^", "")
    cursor = cursor_at(text, offset)
    assert (cursor.path, cursor.kind, cursor.word) == PLACES[marked]
    assert text[cursor.start : offset] == cursor.word
