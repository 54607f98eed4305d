"""Which types may identify a run, or count runs apart: those of which equal values are one key, and none is null."""

from __future__ import annotations

import pytest

KEY = """\
wfc: 1
workflow: keyed
start: Begun
end: Done
key: inputs.field
receives: {Heard: {key: field}}
events: {Begun: {field: %(type)s}, Heard: {field: %(type)s}, Done: {}}
steps:
  hear: {kind: wait, accepts: Begun, event: Heard, within: 1 h, on_timeout: Done, emit: Done}
"""

PER = """\
wfc: 1
workflow: counted
start: Begun
end: Done
limits: {concurrent_runs: 1, per: inputs.field}
events: {Begun: {field: %(type)s}, Done: {}}
steps:
  go: {kind: transform, accepts: Begun, emit: Done}
"""

TYPES = [
    # type, may be a key, may be `per`
    ("string", True, True),
    ("{type: string, format: uri}", True, True),
    ("integer", True, True),
    ("date", True, True),
    ("{enum: [a, b]}", True, True),
    ("{enum: [1, 2]}", True, True),
    ("number", False, True),
    ("decimal", False, True),
    ("boolean", False, True),
    ("datetime", False, True),
    ("duration", False, True),
    ("list of string", False, False),
    ("map of string", False, False),
    ("optional string", False, False),
    ("optional date", False, False),
    ("any", False, False),
]


@pytest.mark.parametrize(("type", "may"), [(type, may) for type, may, _ in TYPES])
def test_a_key_has_one_text(wfc, tmp_path, monkeypatch: pytest.MonkeyPatch, type: str, may: bool) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spec.yaml").write_text(KEY % {"type": type})
    done = wfc("check", "spec.yaml", "--format", "concise")
    assert (done.status == 0) is may
    assert may or "spec.yaml:5:6: error: `key` must be a text, a whole number or a date" in done.out
    assert wfc("compile", "spec.yaml").status == (0 if may else 1)


@pytest.mark.parametrize(("type", "may"), [(type, may) for type, _, may in TYPES])
def test_what_runs_are_counted_by_can_be_written(
    wfc, tmp_path, monkeypatch: pytest.MonkeyPatch, type: str, may: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spec.yaml").write_text(PER % {"type": type})
    done = wfc("check", "spec.yaml", "--format", "concise")
    assert (done.status == 0) is may
    assert may or "wanted a text or a number, found" in done.out
    assert wfc("compile", "spec.yaml").status == (0 if may else 1)
