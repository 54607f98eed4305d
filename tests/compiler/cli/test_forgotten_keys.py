"""``wfc runs remembered`` shows what is kept of a key; ``wfc runs forget --remembered`` deletes that, and no more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SPEC = """\
wfc: 1
workflow: greeter
start: GuestCame
end: GuestServed
knowledge:
  wishes: {per: inputs.guest, about: {day: string}}
events:
  GuestCame: {guest: string, wish: {type: string, default: Tea.}, day: {type: string, default: today}}
  GuestServed: {id: string}
steps:
  note:
    kind: remember
    accepts: GuestCame
    knowledge: wishes
    text: ${{ event.wish }}
    about: {day: "${{ event.day }}"}
    emit: {event: GuestServed, with: {id: "${{ result }}"}}
"""


def test_one_key_is_forgotten(wfc: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "greeter.yaml").write_text(SPEC)
    monkeypatch.setenv("WFC_STORE", "sqlite:///runs.db?synchronous=normal")
    for guest, number in (("ann", 1), ("ann", 2), ("bob", 3)):
        assert wfc("run", "greeter.yaml", "-i", f"guest={guest}", "--run-id", f"r{number}").status == 0
    forget = "runs", "forget", "--remembered", "greeter.wishes", "--key"
    assert wfc(*forget, "ann", "--dry-run").out.strip() == "2"
    assert wfc(*forget, "ann").out.strip() == "2"
    assert wfc(*forget, "ann").out.strip() == "0"
    assert wfc(*forget, "bob", "--dry-run").out.strip() == "1"


def test_what_is_old_is_forgotten_of_all_keys(
    wfc: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "greeter.yaml").write_text(SPEC)
    monkeypatch.setenv("WFC_STORE", "sqlite:///runs.db?synchronous=normal")
    for guest in ("ann", "bob"):
        assert wfc("run", "greeter.yaml", "-i", f"guest={guest}").status == 0
    forget = "runs", "forget", "--remembered", "greeter.wishes", "--older-than"
    assert wfc(*forget, "1").out.strip() == "0"
    assert wfc("runs", "forget", "--remembered", "greeter.others", "--older-than", "0").out.strip() == "0"
    assert wfc(*forget, "0", "--dry-run").out.strip() == "2"
    assert wfc(*forget, "0").out.strip() == "2"
    assert wfc(*forget, "0").out.strip() == "0"


def test_what_is_kept_is_shown_and_one_entry_goes(
    wfc: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "greeter.yaml").write_text(SPEC)
    monkeypatch.setenv("WFC_STORE", "sqlite:///runs.db?synchronous=normal")
    long = "Cake. " * 100
    for guest, wish in (("ann", "Tea."), ("ann", long), ("bob", "\x1b[31mRum.\n")):
        assert wfc("run", "greeter.yaml", "-i", f"guest={guest}", "-i", f"wish={wish}").status == 0
    (all_of_it,) = map(json.loads, wfc("runs", "remembered", "--format", "json").out.splitlines())
    assert (all_of_it["collection"], all_of_it["keys"], all_of_it["entries"]) == ("greeter.wishes", 2, 3)
    assert all_of_it["first"] <= all_of_it["last"] and all_of_it["first"][:2] == "20"

    def shown(key: str) -> list[dict[str, Any]]:
        done = wfc("runs", "remembered", "greeter.wishes", "--key", key, "--format", "json")
        return [json.loads(line) for line in done.out.splitlines()]

    first, second = shown("ann")
    assert (first["text"], second["text"], first["about"]) == ("Tea.", long, {"day": "today"})
    table = wfc("runs", "remembered", "greeter.wishes", "--key", "ann").out
    assert "day: today" in table and "…" in table and len(table) < 1000
    assert "\x1b" not in wfc("runs", "remembered", "greeter.wishes", "--key", "bob").out
    assert shown("eve") == []
    forget = "runs", "forget", "--remembered", "greeter.wishes", "--key", "ann", "--entry"
    (of_bob,) = shown("bob")
    assert wfc(*forget, of_bob["id"]).out.strip() == "0"  # another key's
    assert wfc(*forget, first["id"], "--dry-run").out.strip() == "1" and len(shown("ann")) == 2
    assert wfc(*forget, first["id"]).out.strip() == "1"
    assert [each["id"] for each in (*shown("ann"), *shown("bob"))] == [second["id"], of_bob["id"]]


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--remembered", "greeter.wishes"], "goes with either `--key` or"),
        (["r1", "--remembered", "greeter.wishes", "--key", "ann"], "goes with either `--key` or"),
        (["--remembered", "greeter.wishes", "--key", "ann", "--older-than", "3"], "goes with either"),
        (["--remembered", "wishes", "--older-than", "3"], "name the collection with its workflow"),
        (["--remembered", "greeter.wishes", "--older-than", "3", "--entry", "wishes#1"], "`--entry` goes"),
        (["--remembered", "wishes", "--key", "ann"], "name the collection with its workflow"),
        (["r1", "--entry", "wishes#1"], "`--entry` goes with"),
        (["--remembered", "greeter.wishes", "--key", "ann", "--entry", "1"], "as `wishes#12`"),
        (["--remembered", "greeter.wishes", "--key", "ann", "--entry", "other#1"], "as `wishes#12`"),
    ],
)
def test_what_is_not_meant_is_refused(wfc: Any, args: list[str], told: str) -> None:
    done = wfc("runs", "forget", *args)
    assert (done.status, told in done.err) == (2, True), done.err


@pytest.mark.parametrize("args", [["greeter.wishes"], ["--key", "ann"], ["wishes", "--key", "ann"]])
def test_what_is_asked_for_by_half_is_refused(wfc: Any, args: list[str]) -> None:
    assert wfc("runs", "remembered", *args).status == 2
