"""Triggers of the specs of a folder: the topics that they know, and the addresses that they share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wfc.compiler.cli import main

TOLD = """\
wfc: 1
workflow: NAME
start: NewsCame
end: Told
secrets: [SENDERS]
triggers:
  news: TRIGGER
events: {NewsCame: {text: string}, Told: {}}
steps:
  go: {kind: transform, accepts: NewsCame, emit: Told}
"""
SENDING = """\
wfc: 1
workflow: sending
start: Asked
end: Sent
events: {Asked: {text: string}, NewsCame: {text: string}, Sent: {}}
steps:
  send: {kind: send, accepts: Asked, topic: prices, event: NewsCame, emit: Sent}
"""
HOOK = "{webhook: PATH, auth: {bearer: SENDERS}}"


def findings(folder: Path, capsys: Any, *names: str) -> list[tuple[str, str]]:
    main(["check", *(str(folder / name) for name in names or (".",)), "--format", "json"])
    told = json.loads(capsys.readouterr().out)
    found = [(Path(each["path"]).name, each["code"]) for each in told]
    return [each for each in found if each[1] != "unused-declaration"]


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [
        ("{topic: prices}", []),
        ("{topic: weather}", [("sending.yaml", "topic-without-receiver")]),
        (HOOK.replace("PATH", "prices"), [("sending.yaml", "topic-without-receiver")]),
    ],
)
def test_a_trigger_of_a_topic_receives_what_is_sent_under_it(
    tmp_path: Path, capsys: Any, trigger: str, expected: Any
) -> None:
    (tmp_path / "told.yaml").write_text(TOLD.replace("NAME", "told").replace("TRIGGER", trigger))
    (tmp_path / "sending.yaml").write_text(SENDING)
    assert findings(tmp_path, capsys) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("orders", "returns", []),
        ("orders", "orders", [("b.yaml", "webhook-twice")]),
    ],
)
def test_two_specs_have_two_addresses(
    tmp_path: Path, capsys: Any, first: str, second: str, expected: Any
) -> None:
    for name, path in (("a", first), ("b", second)):
        (tmp_path / f"{name}.yaml").write_text(
            TOLD.replace("NAME", f"told_{name}").replace("TRIGGER", HOOK.replace("PATH", path))
        )
    assert findings(tmp_path, capsys) == expected
    assert findings(tmp_path, capsys, "b.yaml") == expected
    assert findings(tmp_path, capsys, "a.yaml") == []
