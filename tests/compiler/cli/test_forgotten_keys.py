"""``wfc runs forget --remembered``: what is kept of one key in a collection is deleted, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

SPEC = """\
wfc: 1
workflow: greeter
start: GuestCame
end: GuestServed
knowledge:
  wishes: {per: inputs.guest}
events:
  GuestCame: {guest: string}
  GuestServed: {id: string}
steps:
  note:
    kind: remember
    accepts: GuestCame
    knowledge: wishes
    text: Tea.
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


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--remembered", "greeter.wishes"], "goes with `--key`"),
        (["r1", "--remembered", "greeter.wishes", "--key", "ann"], "goes with `--key`"),
        (["--remembered", "wishes", "--key", "ann"], "name the collection with its workflow"),
    ],
)
def test_what_is_not_meant_is_refused(wfc: Any, args: list[str], told: str) -> None:
    done = wfc("runs", "forget", *args)
    assert (done.status, told in done.err) == (2, True), done.err
