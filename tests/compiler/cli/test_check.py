"""``wfc check``: what it prints, and its exit status."""

from __future__ import annotations

import gc
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wfc.compiler.cli import main

GREET = (Path(__file__).parents[1] / "greet.yaml").read_text()
BAD = GREET.replace("accepts: Asked", "accepts: Aksed")


def test_a_good_spec_has_no_findings(wfc, greet: Path) -> None:
    done = wfc("check", "greet.yaml")
    assert (done.status, done.out, done.err) == (0, "", "1 spec: no findings\n")


def test_without_a_path_the_current_folder_is_checked(wfc, greet: Path) -> None:
    assert wfc("check").err == "1 spec: no findings\n"
    greet.unlink()
    done = wfc("check")
    assert done.status == 2
    assert "no spec in `.`" in done.err


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("text", [GREET, BAD])
def test_garbage_is_collected_after_a_check_as_before(greet: Path, text: str, enabled: bool) -> None:
    greet.write_text(text)
    before = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        main(["check", str(greet)])
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()
        gc.unfreeze()


def test_a_finding_is_shown_with_its_line_and_a_hint(wfc, greet: Path) -> None:
    greet.write_text(BAD)
    done = wfc("check", "greet.yaml")
    assert done.status == 1
    assert "greet.yaml:13:14: error:" in done.out
    assert "  13 |     accepts: Aksed\n     |              ^^^^^\n" in done.out
    assert "did you mean `Asked`?" in done.out
    assert done.err.startswith("1 spec: ")


def test_concise_is_a_line_each(wfc, greet: Path) -> None:
    greet.write_text(BAD)
    done = wfc("check", "--format", "concise", "greet.yaml")
    assert done.status == 1
    assert all(line.startswith("greet.yaml:") for line in done.out.splitlines())


def test_json_is_a_list_of_findings_and_nothing_else(wfc, greet: Path) -> None:
    greet.write_text(BAD)
    done = wfc("check", "--format", "json", "greet.yaml")
    assert done.status == 1
    found = json.loads(done.out)
    assert found[0]["path"] == "greet.yaml"
    assert found[0]["start"] == {"line": 13, "column": 14, "offset": BAD.index("Aksed")}
    assert done.err == ""
    greet.write_text(GREET)
    assert wfc("check", "--format", "json", "greet.yaml").out == "[]\n"


def test_a_folder_is_checked_as_a_whole_and_each_spec_once(wfc, tmp_path: Path) -> None:
    for name in ("b.yaml", "a.yml", "deep/c.yaml", ".hidden/d.yaml", "node_modules/e.yaml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(BAD)
    (tmp_path / "data.yaml").write_text("colours: [red]\n")
    (tmp_path / "notes.txt").write_text(BAD)
    done = wfc("check", "--format", "concise", ".", "b.yaml")
    paths = list(dict.fromkeys(line.split(":")[0] for line in done.out.splitlines()))
    assert paths == ["a.yml", "b.yaml", os.path.join("deep", "c.yaml")]
    assert ".: passed over 1 YAML file that has no `wfc:` line" in done.err
    assert "3 specs: " in done.err


def test_where_a_path_is_wrong_nothing_else_is_said(wfc, greet: Path, tmp_path: Path) -> None:
    (tmp_path / "data.yaml").write_text("colours: [red]\n")
    done = wfc("check", ".", "nowhere.yaml")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("Usage: wfc check [OPTIONS] [PATH]...")
    assert done.err.count("\n") == 4
    assert "passed over" not in done.err


@pytest.mark.parametrize("args", [["--format", "concise", "."], [".", "--format", "concise"]])
def test_options_may_stand_anywhere(wfc, greet: Path, args: list[str]) -> None:
    greet.write_text(BAD)
    done = wfc("check", *args)
    assert (done.status, done.out.count("\n"), done.err) == (
        1,
        1,
        "1 spec: 1 error; 1 can be fixed with `wfc check --fix`\n",
    )


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["compile"], "Missing argument"),
        (["check", "nowhere.yaml"], "cannot read `nowhere.yaml`: no such file or directory"),
        (["check", "empty"], "no spec in `empty`"),
        (["check", "nul\0byte"], "cannot read"),
        (["check", "--format", "xml", "greet.yaml"], "'xml' is not one of"),
        (["check", "--colour", "greet.yaml"], "No such option"),
        (["chekc", "greet.yaml"], "no such command: `chekc`; did you mean `check`?"),
        (["frobnicate"], "no such command: `frobnicate`"),
    ],
)
def test_wrong_usage_is_a_sentence_and_status_2(
    wfc, tmp_path: Path, greet: Path, args: list[str], words: str
) -> None:
    (tmp_path / "empty").mkdir()
    done = wfc(*args)
    assert done.status == 2
    assert words in done.err
    assert done.out == ""


def test_a_file_without_read_permission_is_wrong_usage(wfc, greet: Path) -> None:
    greet.chmod(0)
    if os.access(greet, os.R_OK):
        pytest.skip("this user may read everything")
    done = wfc("check", "greet.yaml")
    assert done.status == 2
    assert "permission denied" in done.err


def deep(opening: str, closing: str) -> bytes:
    return (opening * 100_000 + closing * 100_000).encode()


HOSTILE = {
    "nothing": b"",
    "only a comment": b"# wfc\n",
    "not YAML": b"wfc: [1\nsteps: }{",
    "not UTF-8": b"wfc: 1\nworkflow: caf\xe9\n",
    "UTF-16": "wfc: 1\n".encode("utf-16"),
    "zeroes": b"\0" * 5000,
    "control characters": b"wfc: 1\nworkflow: a\x07b\x1b[2J\n",
    "a list": b"- wfc: 1\n",
    "a text": b"wfc\n",
    "a number": b"17\n",
    "null": b"null\n",
    "two documents": b"wfc: 1\n---\nwfc: 1\n",
    "too large": b"# " + b"x" * 5_000_000,
    "deep lists": deep("[", "]"),
    "deep maps": deep("{a: ", "}"),
    "deep and open": b"[" * 100_000,
    "an alias bomb": b"a: &a [x, x, x, x, x, x, x, x, x]\n"
    + b"".join(
        b"%c: &%c [%s]\n" % (letter, letter, b", ".join([b"*%c" % (letter - 1)] * 9))
        for letter in range(98, 118)
    ),
    "an alias of itself": b"wfc: &a [*a]\n",
    "an unknown alias": b"wfc: *nobody\n",
    "a tag": b"wfc: !!python/object/apply:os.system ['touch owned']\n",
    "duplicate keys": b"wfc: 1\nwfc: 1\n",
    "keys that are no names": b"? [a, b]\n: c\n1: d\nnull: e\n",
    "thousands of findings": b"wfc: 1\n" + b"".join(b"nonsense_%d: 1\n" % number for number in range(20_000)),
    "a long line": b"wfc: 1\nworkflow: " + b"x" * 1_000_000 + b"\n",
    "lone surrogates": b'wfc: 1\nworkflow: "\\ud800"\n',
    "bidi": "wfc: 1\nworkflow: a\u202eb\n".encode(),
}


@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE)
def test_hostile_input_is_a_finding(wfc, tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "bad.yaml").write_bytes(raw)
    done = wfc("check", "bad.yaml")
    assert done.status == 1, done.err
    assert "bad.yaml:" in done.out
    assert len(done.out) < 100_000
    assert not (tmp_path / "owned").exists()
    assert all(line.isprintable() for line in done.out.split("\n"))


KEYS = [
    *("wfc", "workflow", "version", "description", "labels", "start", "end", "config", "secrets", "deadline"),
    *("types", "events", "state", "models", "tools", "retries", "steps", "tests"),
]
WRONG = [
    *("null", "true", "17", "1.5", "text", "''", "2026-01-01"),
    *("[]", "[[]]", "{}", "{a: {b: {c: []}}}", "[1, {a: b}]"),
]


@pytest.mark.parametrize("key", KEYS)
def test_no_wrong_value_of_a_key_stops_a_check(wfc, tmp_path: Path, key: str) -> None:
    lines = [line for line in GREET.splitlines() if line[0] != " "]
    for wrong in WRONG:
        other = [line for line in lines if not line.startswith(key + ":")]
        (tmp_path / "bad.yaml").write_text(GREET.replace(f"\n{key}:", "\nwas:") + f"{key}: {wrong}\n")
        assert wfc("check", "bad.yaml").status in {0, 1}
        (tmp_path / "bad.yaml").write_text("\n".join([*other, f"{key}: {wrong}", ""]))
        assert wfc("check", "bad.yaml").status in {0, 1}


STEP_KEYS = [
    *(
        "kind",
        "accepts",
        "emit",
        "description",
        "retry",
        "timeout",
        "concurrency",
        "max_runs",
        "on_limit",
        "on_error",
    ),
    *(
        "require",
        "save",
        "stream",
        "cache",
        "idempotency_key",
        "model",
        "system",
        "prompt",
        "output",
        "history",
    ),
    *("tool", "args", "method", "url", "query", "headers", "auth", "body"),
]


@pytest.mark.parametrize("kinds", [1, pytest.param(4, marks=pytest.mark.full)])
@pytest.mark.parametrize("key", STEP_KEYS)
def test_no_wrong_value_of_a_steps_key_stops_a_check(wfc, tmp_path: Path, key: str, kinds: int) -> None:
    """Each value stands under each key, in the ordinary suite in one kind of step, which is another at the next key."""
    head, _, _ = GREET.partition("    kind:")
    good = {"kind": "transform", "accepts": "Asked", "emit": "Greeted"}
    turning = itertools.cycle(("transform", "tool", "http", "llm"))
    for wrong in WRONG:
        for kind in itertools.islice(turning, kinds):
            parts = {**good, "kind": kind, key: wrong}
            step = "".join(f"    {name}: {value}\n" for name, value in parts.items())
            (tmp_path / "bad.yaml").write_text(head + step)
            assert wfc("check", "bad.yaml").status in {0, 1}


def command(*args: str) -> list[str]:
    return [sys.executable, "-c", "import sys; from wfc.compiler.cli import main; sys.exit(main())", *args]


def test_a_reader_that_leaves_stops_us_quietly(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_bytes(HOSTILE["thousands of findings"])
    # unbuffered, Python loses the rest of a write that was cut off, and the error with it
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        command("check", "--format", "json", "bad.yaml"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        errors = process.stderr.read()
        assert process.wait() == 141
    assert b"Traceback" not in errors
    assert b"Exception ignored" not in errors


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_terminal_of_any_encoding_can_show_it(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "工单.yaml").write_text(
        BAD.replace("greet:", "工单:").replace("Hello", "你好"), encoding="utf-8"
    )
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run(
        command("check", "工单.yaml"), capture_output=True, cwd=tmp_path, env=environment, check=False
    )
    assert done.returncode == 1, done.stderr
    assert b"Traceback" not in done.stderr


def test_a_path_that_is_not_utf_8(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9.yaml"
    try:
        with open(path, "w") as file:
            file.write(BAD)
    except OSError:
        pytest.skip("this file system takes no such names")
    done = subprocess.run([*map(os.fsencode, command("check")), path], capture_output=True, check=False)
    assert done.returncode == 1, done.stderr


def test_no_colours_where_nobody_looks(wfc, greet: Path) -> None:
    greet.write_text(BAD)
    assert "\x1b" not in wfc("check", "greet.yaml").out


def test_a_bug_of_ours_is_told_as_one(wfc, greet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(raw: bytes, path: str, project: object) -> None:
        raise RuntimeError("the sky fell")

    monkeypatch.setattr("wfc.compiler.passes.check_text", broken)
    done = wfc("check", "greet.yaml")
    assert done.status == 70
    assert "this is a bug of wfc" in done.err
    assert "the sky fell" in done.err


def test_an_interrupt_ends_with_130(wfc, greet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(raw: bytes, path: str, project: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("wfc.compiler.passes.check_text", interrupted)
    assert wfc("check", "greet.yaml").status == 130
