"""``wfc run``: inputs in, the end event out, and how a failure is told."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

GREET = (Path(__file__).parents[1] / "greet.yaml").read_text()

TYPED = """\
wfc: 1
workflow: typed
start: Given
end: Taken
types:
  Colour: {enum: [red, blue]}
  Point: {x: integer, y: integer}
events:
  Given:
    text: optional string
    whole: optional integer
    size: optional number
    price: optional decimal
    yes: optional boolean
    day: optional date
    colour: optional Colour
    tags: optional list of string
    point: optional Point
    anything: optional any
    class: optional string
  Taken:
    text: optional string
    whole: optional integer
    size: optional number
    price: optional decimal
    yes: optional boolean
    day: optional date
    colour: optional Colour
    tags: optional list of string
    point: optional Point
    anything: optional any
    class: optional string
steps:
  take:
    kind: transform
    accepts: Given
    emit:
      event: Taken
      with:
        text: ${{ event.text }}
        whole: ${{ event.whole }}
        size: ${{ event.size }}
        price: ${{ event.price }}
        yes: ${{ event.yes }}
        day: ${{ event.day }}
        colour: ${{ event.colour }}
        tags: ${{ event.tags }}
        point: ${{ event.point }}
        anything: ${{ event.anything }}
        class: ${{ event.class }}
"""

DIVIDE = """\
wfc: 1
workflow: divide
start: Asked
end: Answered
events:
  Asked: {a: integer, b: integer}
  Answered: {c: integer}
steps:
  divide:
    kind: transform
    accepts: Asked
    emit: {event: Answered, with: {c: "${{ event.a // event.b }}"}}
"""

CALLS = """\
wfc: 1
workflow: calls
start: Asked
end: Answered
events:
  Asked: {word: string}
  Answered: {text: string}
tools:
  shout: {python: "calls_tools:shout", args: {word: string}, output: string}
steps:
  call:
    kind: tool
    accepts: Asked
    tool: shout
    with: {word: "${{ event.word }}"}
    emit: {event: Answered, with: {text: "${{ result }}"}}
tests:
  - name: a mocked shout
    start: {word: hey}
    mock: {call: MOCKED}
    expect: {end: Answered, with: {text: MOCKED}}
"""


def test_the_end_event_is_printed_and_progress_is_told(wfc, greet: Path) -> None:
    done = wfc("run", "greet.yaml", "-i", "name=Ada")
    assert done.status == 0, done.err
    assert json.loads(done.out) == {"event": "Greeted", "with": {"text": "Hello Ada"}}
    assert done.out.count("\n") == 1
    assert "greet" in done.err
    assert "Greeted" in done.err


SHARED = """\
wfc: 1
types:
  Room: {number: integer}
"""

FIND = """\
wfc: 1
workflow: find
imports: [./shared.yaml]
start: RoomWanted
end: RoomFound
events:
  RoomWanted: {rooms: list of Room}
  RoomFound: {room: optional Room}
steps:
  choose:
    kind: transform
    accepts: RoomWanted
    emit: {event: RoomFound, with: {room: "${{ event.rooms | first }}"}}
"""

BOOK = """\
wfc: 1
workflow: book
imports: [./shared.yaml]
start: GuestCame
end: KeyGiven
events:
  GuestCame: {rooms: list of Room}
  KeyGiven: {room: optional Room}
steps:
  find:
    kind: workflow
    accepts: GuestCame
    workflow: find
    with: {rooms: "${{ event.rooms }}"}
    emit: KeyGiven
"""


@pytest.mark.parametrize("name", ["find", "book"])
def test_a_spec_runs_with_the_types_that_it_imports_and_the_workflow_that_it_calls(
    wfc, tmp_path: Path, name: str
) -> None:
    for file, text in {"shared": SHARED, "find": FIND, "book": BOOK}.items():
        (tmp_path / f"{file}.yaml").write_text(text)
    done = wfc("run", f"{name}.yaml", "-i", 'rooms=[{"number": 7}]')
    assert done.status == 0, done.err
    assert json.loads(done.out)["with"] == {"room": {"number": 7}}


@pytest.mark.parametrize("mistake", ["    needs: RoomWanted", "   accepts RoomWanted"])
def test_a_workflow_that_is_called_and_has_mistakes_is_not_called_unknown(
    wfc, tmp_path: Path, mistake: str
) -> None:
    for file, text in {"shared": SHARED, "find": FIND, "book": BOOK}.items():
        (tmp_path / f"{file}.yaml").write_text(text.replace("    accepts: RoomWanted", mistake))
    for path in (".", "book.yaml"):
        done = wfc("check", path)
        assert "unknown-workflow" not in done.out, done.out
    done = wfc("compile", "book.yaml", "-o", "out")
    assert done.status == 1
    assert "find.yaml" in done.err


def test_a_compiled_module_runs_the_same(wfc, greet: Path) -> None:
    wfc("compile", "greet.yaml", "-o", "out")
    done = wfc("run", "out/greet_workflow.py", "-i", "name=Ada")
    assert done.status == 0, done.err
    assert json.loads(done.out) == {"event": "Greeted", "with": {"text": "Hello Ada"}}


@pytest.mark.parametrize(
    ("pair", "value"),
    [
        ("text=hello", "hello"),
        ("text=17", "17"),
        ("text=", ""),
        ("text=a=b", "a=b"),
        ("text={not json", "{not json"),
        ("whole=17", 17),
        ("size=1.5", 1.5),
        ("size=2", 2),
        ("price=12.50", "12.50"),
        ("yes=true", True),
        ("day=2026-11-21", "2026-11-21"),
        ("colour=red", "red"),
        ('tags=["a", "b"]', ["a", "b"]),
        ('point={"x": 1, "y": 2}', {"x": 1, "y": 2}),
        ("anything=[1]", [1]),
        ("anything=plain words", "plain words"),
        ("class=claimed by Python", "claimed by Python"),
    ],
)
def test_a_value_is_read_by_its_type(wfc, tmp_path: Path, pair: str, value: object) -> None:
    (tmp_path / "typed.yaml").write_text(TYPED)
    done = wfc("run", "typed.yaml", "-i", pair)
    assert done.status == 0, done.err
    assert json.loads(done.out)["with"][pair.split("=", maxsplit=1)[0]] == value


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["-i", "whole=many"], "`-i whole=many`: input should be a valid integer"),
        (["-i", "whole=1.5"], "`-i whole=1.5`"),
        (["-i", "yes=perhaps"], "`-i yes=perhaps`"),
        (["-i", "colour=green"], "`-i colour=green`"),
        (["-i", 'point={"x": 1}'], "`-i point="),
        (["-i", 'point={"x": "1"}'], "`: x: input should be"),
        (["-i", "point=1, 2"], "lists and records are written as JSON"),
        (["-i", "text"], "`-i text` is not `name=value`"),
        (["-i", "=text"], "`-i =text` is not `name=value`"),
        (["-i", "txet=hello"], "`Given` has no field `txet`; did you mean `text`?"),
        (["--input", "nowhere.json"], "cannot read `nowhere.json`"),
        (["--input", "broken.json"], "`broken.json` is not JSON"),
        (["--input", "list.json"], "`list.json` is not a JSON object"),
        (["--input", "wrong.json"], "whole: input should be a valid integer"),
        (["--input", "deep.json"], "`deep.json` is not"),
        (["--mock", "nobody"], "nobody"),
    ],
)
def test_inputs_that_do_not_fit_are_wrong_usage(wfc, tmp_path: Path, args: list[str], words: str) -> None:
    (tmp_path / "typed.yaml").write_text(TYPED)
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "wrong.json").write_text('{"whole": "many"}')
    (tmp_path / "deep.json").write_text("[" * 200_000)
    done = wfc("run", "typed.yaml", *args)
    assert done.status == 2, done.err
    assert words in done.err
    assert done.out == ""


def test_a_missing_input_is_named(wfc, greet: Path) -> None:
    done = wfc("run", "greet.yaml")
    assert done.status == 2
    assert "name: field required" in done.err


def test_inputs_come_from_a_file_and_a_pair_counts_more(wfc, greet: Path, tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text('{"name": "Ada", "times": 2}')
    assert "Hello Ada" in wfc("run", "greet.yaml", "--input", "in.json").out
    assert "Hello Bob" in wfc("run", "greet.yaml", "--input", "in.json", "-i", "name=Bob").out


def test_inputs_may_be_larger_than_a_spec(wfc, greet: Path, tmp_path: Path) -> None:
    name = "x" * 5_000_000
    (tmp_path / "in.json").write_text(json.dumps({"name": name}))
    done = wfc("run", "greet.yaml", "--input", "in.json")
    assert done.status == 0, done.err[-300:]
    assert json.loads(done.out)["with"] == {"text": f"Hello {name}"}


def test_inputs_come_from_standard_input(wfc, greet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO('{"name": "Zoë"}'.encode())))
    assert "Hello Zoë" in wfc("run", "greet.yaml", "--input", "-").out


def test_a_spec_with_an_error_does_not_run(wfc, greet: Path) -> None:
    greet.write_text(GREET.replace("accepts: Asked", "accepts: Aksed"))
    done = wfc("run", "greet.yaml", "-i", "name=Ada")
    assert (done.status, done.out) == (1, "")
    assert "greet.yaml:13:14: error:" in done.err


def test_a_failed_run_says_why(wfc, tmp_path: Path) -> None:
    (tmp_path / "divide.yaml").write_text(DIVIDE)
    assert json.loads(wfc("run", "divide.yaml", "-i", "a=7", "-i", "b=2").out)["with"] == {"c": 3}
    done = wfc("run", "divide.yaml", "-i", "a=7", "-i", "b=0")
    assert (done.status, done.out) == (1, "")
    last = done.err.splitlines()[-1]
    assert last == "  divide.yaml:9: `event.a // event.b`"
    assert done.err.splitlines()[-2].startswith("the run failed: step `divide` failed on Asked, handling")
    assert done.err.splitlines()[-2].endswith("(expression)")


def test_a_tool_beside_the_spec_is_called_wherever_the_module_goes(wfc, tmp_path: Path) -> None:
    (tmp_path / "calls.yaml").write_text(CALLS)
    (tmp_path / "calls_tools.py").write_text("def shout(word: str) -> str:\n    return word.upper()\n")
    done = wfc("run", "calls.yaml", "-i", "word=hey")
    assert json.loads(done.out)["with"] == {"text": "HEY"}, done.err
    wfc("compile", "calls.yaml", "-o", "out/deep")
    done = wfc("run", "out/deep/calls_workflow.py", "-i", "word=hey")
    assert json.loads(done.out)["with"] == {"text": "HEY"}, done.err


def test_a_tool_that_fails_is_told_with_step_event_attempt_and_cause(wfc, tmp_path: Path) -> None:
    (tmp_path / "calls.yaml").write_text(CALLS)
    (tmp_path / "calls_tools.py").write_text(
        "def shout(word: str) -> str:\n    raise ValueError('no voice')\n"
    )
    done = wfc("run", "calls.yaml", "-i", "word=hey")
    assert (done.status, done.out) == (1, "")
    last = done.err.splitlines()[-1]
    assert all(part in last for part in ("call", "Asked", "no voice")), last


def test_mocks_of_a_test_stand_in_for_actions(wfc, tmp_path: Path) -> None:
    (tmp_path / "calls.yaml").write_text(CALLS)
    done = wfc("run", "calls.yaml", "--mock", "a mocked shout")
    assert json.loads(done.out)["with"] == {"text": "MOCKED"}, done.err
    done = wfc("run", "calls.yaml", "--mock", "a mocked shuot")
    assert done.status == 2
    assert "did you mean `a mocked shout`?" in done.err
    done = wfc("run", "calls.yaml", "--mock", "a mocked shout", "--answer", "call=3")
    assert done.status == 2
    assert "the test `a mocked shout` answers for `call` already" in done.err


def test_the_config_of_a_test_takes_the_place_of_the_environments(
    wfc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = CALLS.replace(
        "tools:\n",
        "config: {a: string, b: {type: integer, default: 1}, c: {type: integer, default: 2}}\ntools:\n",
        1,
    )
    spec = spec.replace(
        'with: {text: "${{ result }}"}', 'with: {text: "${{ config.a }} ${{ config.b }} ${{ config.c }}"}'
    )
    spec = spec.replace("    expect:", "    config: {a: of the test, b: 7}\n    expect:").replace(
        "text: MOCKED", "text: x"
    )
    (tmp_path / "calls.yaml").write_text(spec)
    monkeypatch.setenv("WFC_B", "8")
    monkeypatch.setenv("WFC_C", "9")
    done = wfc("run", "calls.yaml", "--mock", "a mocked shout")
    assert done.status == 0, done.err
    assert json.loads(done.out)["with"] == {"text": "of the test 7 9"}


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        ("", 2, "defines no workflow"),
        ("def f(:\n", 1, "cannot be imported: SyntaxError"),
        ("raise RuntimeError('at import')\n", 1, "cannot be imported: RuntimeError: at import"),
        (
            "from wfc.runtime import require_output_format\nrequire_output_format(99, 'a.yaml')\n",
            1,
            "output format 99",
        ),
    ],
)
def test_a_module_that_cannot_run_says_why(wfc, tmp_path: Path, text: str, status: int, words: str) -> None:
    (tmp_path / "mine.py").write_text(text)
    done = wfc("run", "mine.py")
    assert (done.status, done.out) == (status, "")
    assert words in done.err


HAND_WRITTEN = """\
import os
from wfc.runtime import StartEvent, StopEvent, Workflow, step

print("printed at import")


class Flow(Workflow):
    @step
    async def only(self, event: StartEvent) -> StopEvent:
        print("printed in a step")
        os.system("echo printed by a program")
        return StopEvent(result=event.get("name"))
"""


def test_standard_output_has_the_result_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HAND_WRITTEN)
    program = "import sys; from wfc.compiler.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, "run", "mine.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"event": "StopEvent", "with": {}}
    for told in ("printed at import", "printed in a step", "printed by a program"):
        assert told in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("class Flow(Workflow):\n    pass\n", "StartEvent"),
        (
            HAND_WRITTEN.replace("    @step\n", "    def __init__(self, size):\n        pass\n\n    @step\n"),
            "`Flow()` fails: TypeError",
        ),
        (HAND_WRITTEN.replace("print(", "raise SystemExit("), "cannot be imported: SystemExit"),
        (HAND_WRITTEN.replace('event.get("name")', "1 / 0"), "the run failed: "),
    ],
)
def test_a_hand_written_workflow_that_cannot_run_says_why(wfc, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "mine.py").write_text("from wfc.runtime import Workflow\n" + text)
    done = wfc("run", "mine.py")
    assert (done.status, done.out) == (1, "")
    assert words in done.err


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_an_interrupt_ends_a_run_with_130(tmp_path: Path) -> None:
    (tmp_path / "calls.yaml").write_text(CALLS)
    (tmp_path / "calls_tools.py").write_text(
        "import asyncio\nasync def shout(word: str) -> str:\n    await asyncio.sleep(600)\n    return word\n"
    )
    # who runs the tests in the background has told its children to ignore interrupts
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from wfc.compiler.cli import main; sys.exit(main())"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, "run", "calls.yaml", "-i", "word=hey"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        told = next(line for line in process.stderr if "call: started" in line)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    assert "Asked" in told
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in err


def test_one_field_of_the_end_event_is_printed_as_it_is(wfc, greet: Path) -> None:
    done = wfc("run", str(greet), "-i", "name=Ada", "--show", "text")
    assert (done.status, done.out) == (0, "Hello Ada\n")


def test_a_field_that_is_no_text_is_printed_as_json(wfc, tmp_path: Path) -> None:
    (tmp_path / "typed.yaml").write_text(TYPED)
    done = wfc("run", "typed.yaml", "-i", 'tags=["a", "b"]', "--show", "tags")
    assert (done.status, done.out) == (0, '["a", "b"]\n')


def test_a_field_that_no_end_event_has_is_refused_before_the_run_begins(wfc, greet: Path) -> None:
    done = wfc("run", str(greet), "-i", "name=Ada", "--show", "txt")
    assert (done.status, done.out) == (2, "")
    assert "no end event has this field; did you mean `text`?" in done.err
    assert "started" not in done.err


TWO_ENDS = """\
wfc: 1
workflow: weigh
start: Weighed
end: [Taken, Refused]
events:
  Weighed: {grams: integer}
  Taken: {note: string}
  Refused: {reason: string}
steps:
  judge:
    kind: transform
    accepts: Weighed
    emit:
      - {event: Refused, when: event.grams > 9, with: {reason: too heavy}}
      - {event: Taken, with: {note: "one\\ntwo\\n"}}
"""


def test_an_end_without_the_field_is_told_whole(wfc, tmp_path: Path) -> None:
    (tmp_path / "weigh.yaml").write_text(TWO_ENDS)
    assert wfc("run", "weigh.yaml", "-i", "grams=1", "--show", "note").out == "one\ntwo\n"
    done = wfc("run", "weigh.yaml", "-i", "grams=10", "--show", "note")
    assert (done.status, done.out) == (1, "")
    assert '{"event": "Refused", "with": {"reason": "too heavy"}}, which has no field `note`' in done.err


def test_a_terminal_is_shown_the_end_event_in_lines(
    wfc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "weigh.yaml").write_text(TWO_ENDS)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert wfc("run", "weigh.yaml", "-i", "grams=1").out == "Taken\n  note:\n    one\n    two\n"
    assert wfc("run", "weigh.yaml", "-i", "grams=10").out == "Refused\n  reason: too heavy\n"


OUTSIDE = """\
wfc: 1
workflow: outside
start: Given
end: Taken
types: {Item: {id: {type: string, as: "_id"}, class: {type: string, as: "Class"}}}
events:
  Given: {item: {type: Item, as: the item}, items: {type: list of Item, default: []}}
  Taken: {item: {type: Item, as: "it"}}
steps:
  take: {kind: transform, accepts: Given, emit: {event: Taken, with: {item: "${{ event.item }}"}}}
tests: [{name: one, start: {item: {id: a, class: b}}, expect: {end: Taken}}]
"""


def test_inputs_and_results_have_the_names_outside(wfc, tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text(OUTSIDE)
    given = '{"_id": "1", "Class": "2"}'
    done = wfc("run", "outside.yaml", "-i", f"the item={given}")
    assert (done.status, json.loads(done.out)) == (
        0,
        {"event": "Taken", "with": {"it": {"_id": "1", "Class": "2"}}},
    )
    done = wfc("run", "outside.yaml", "-i", f"the item={given}", "--show", "it")
    assert (done.status, json.loads(done.out)) == (0, {"_id": "1", "Class": "2"})
    done = wfc("run", "outside.yaml", "--mock", "one", "-i", f"the item={given}")
    assert json.loads(done.out)["with"] == {"it": {"_id": "1", "Class": "2"}}
    assert wfc("run", "outside.yaml", "--mock", "one").status == 0


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["-i", 'item={"_id": "1", "Class": "2"}'], "has no field `item`"),
        (["-i", 'the item={"id": "1", "Class": "2"}'], "_id: field required"),
        (["-i", 'the item={"_id": "1", "Class": "2"}', "--show", "item"], "no end event has this field"),
        (["-i", "the item=1"], "the item"),
        ([], "`Given` takes `the item`, `items`"),
    ],
)
def test_outside_the_names_of_the_spec_are_unknown(wfc, tmp_path: Path, args: list[str], words: str) -> None:
    (tmp_path / "outside.yaml").write_text(OUTSIDE)
    done = wfc("run", "outside.yaml", *args)
    assert done.status == 2
    assert words in done.err


FILES = """\
wfc: 1
workflow: files
start: Given
end: Told
events:
  Given: {file: File, more: optional File, who: string}
  Told: {file: File, more: optional File, who: string}
steps:
  tell: {kind: transform, accepts: Given, emit: Told}
"""


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("e.csv", "text/csv"),
        ("E.PDF", "application/pdf"),
        ("a picture.png", "image/png"),
        ("plain", "application/octet-stream"),
        ("e.csv.gz", "application/octet-stream"),
    ],
)
def test_a_file_is_given_by_its_path(wfc, tmp_path: Path, name: str, media_type: str) -> None:
    (tmp_path / "files.yaml").write_text(FILES)
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / name).write_bytes(b"a,b\n\xff")
    given = ["-i", f"file=@below/{name}", "-i", "who=@nobody"]  # a text may begin so
    done = wfc("run", "files.yaml", *given)
    assert done.status == 0, done.err
    told = json.loads(done.out)["with"]
    assert told["file"] == {"name": name, "media_type": media_type, "content": "YSxiCv8="}
    assert (told["more"], told["who"]) == (None, "@nobody")
    both = wfc("run", "files.yaml", *given, "-i", f"more=@below/{name}", "--show", "more")
    assert json.loads(both.out) == told["file"]


def test_files_are_given_one_by_one(wfc, tmp_path: Path) -> None:
    spec = FILES.replace("file: File, more: optional File", "file: list of File, more: optional list of File")
    (tmp_path / "files.yaml").write_text(spec)
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text(name)
    (tmp_path / "given.json").write_text('{"file": [], "who": "me"}')
    three = ["-i", "file=@a.txt", "-i", "more=@c.txt", "-i", "file=@b.txt"]
    told = json.loads(wfc("run", "files.yaml", "--input", "given.json", *three).out)["with"]
    assert [each["name"] for each in told["file"]] == ["a.txt", "b.txt"]
    assert [each["name"] for each in told["more"]] == ["c.txt"]
    none = wfc("run", "files.yaml", "-i", "file=[]", "-i", "who=me")
    assert json.loads(none.out)["with"]["file"] == []
    for wrong in ("a.txt", "[@a.txt]"):
        refused = wfc("run", "files.yaml", "-i", f"file={wrong}", "-i", "who=me")
        assert "files are given one by one, each by its path behind an `@`: `-i file=@a.csv" in refused.err


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("file=e.csv", "a file is given by its path behind an `@`: `-i file=@e.csv`"),
        ("file=@none.csv", "cannot read `none.csv`"),
        ("file=@.", "is a folder"),
        ("file=@large", "it has 7,500,001 bytes, and a `File` holds 7,500,000 at most"),
    ],
)
def test_a_file_that_cannot_be_given_says_why(wfc, tmp_path: Path, given: str, says: str) -> None:
    (tmp_path / "files.yaml").write_text(FILES)
    (tmp_path / "large").write_bytes(bytes(7_500_001))
    done = wfc("run", "files.yaml", "-i", given, "-i", "who=me")
    assert done.status == 2
    assert says in done.err
