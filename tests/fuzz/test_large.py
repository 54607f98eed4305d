"""Files as large as they may be, made to cost time or memory: what they cost grows with their size and no faster.

The bounds are wide, for machines are busy; each of these once took more than ten times as long.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import ModuleType

import pytest

from wfc.compiler.passes import check_text
from wfc.compiler.yaml.characters import characters

SPEC = """\
wfc: 1
workflow: large
start: Asked
end: Told
events: {Asked: {text: string, number: integer}, Told: {text: string}}
models: {fast: {use: "openai:x"}}
steps:
  tell:
    kind: llm
    accepts: Asked
    model: fast
    emit: {event: Told, with: {text: "${{ result }}"}}
    prompt: |
      %s
"""
SECONDS = 10
LARGE = 4_100_000
FEW = 2_001


def often(text: str) -> str:
    return text * (LARGE // len(text))


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (often("{#"), {"comment-braces", "too-many-findings"}),
        (often("{{ "), {"braces-without-dollar", "too-many-findings"}),
        (often("${{ x "), {"stray-character"}),
        (often("${{}}"), {"empty-expression", "too-many-findings"}),
        (often("${{ event.text }}"), {"expression-too-long"}),
        (often("{% if event.number > 1 %}a{% endif %}"), {"expression-too-long"}),
        (
            "{% if event.number > 1 %}" + often("{% elif event.number == 3 %}") + "{% endif %}",
            {"expression-too-long"},
        ),
        (often("{% nothing %}"), {"unknown-statement", "too-many-findings"}),
        ("${{" + often(" ") + "event.txt }}", {"unknown-field"}),
        (often("${{ a ${{ }} "), {"stray-character", "too-many-findings"}),
    ],
)
def test_a_text_full_of_expressions(text: str, codes: set[str]) -> None:
    begin = time.process_time()
    found = check_text((SPEC % text).encode(), "large.yaml").diagnostics
    assert time.process_time() - begin < SECONDS
    assert {each.code for each in found} == codes
    assert len(found) <= FEW


def test_thousands_of_findings_of_names_end_at_a_limit() -> None:
    saved = ", ".join(f"k{number}: 1" for number in range(20_000))
    text = SPEC % "Tell." + f"    save: {{{saved}}}\n"
    found = check_text(text.encode(), "large.yaml").diagnostics
    assert len(found) == FEW
    assert {each.code for each in found} == {"unknown-state-field", "too-many-findings"}


def test_thousands_of_findings_in_a_file_that_is_imported_end_at_a_limit(fuzzing: ModuleType) -> None:
    from wfc.compiler.workspace.project import Project

    types = "".join(f"  T{number}: {{a: strin}}\n" for number in range(5_000))
    files = {
        "large.yaml": (SPEC % "Tell.").replace("models:", "imports: [./types.yaml]\nmodels:").encode(),
        "types.yaml": f"wfc: 1\ntypes:\n{types}".encode(),
    }
    project = Project(fuzzing.Spoilt("large.yaml", files))
    found = check_text(files["large.yaml"], "large.yaml", project).diagnostics
    assert len([each for each in found if each.path == "types.yaml"]) == FEW


def test_a_key_of_which_a_bracket_may_have_torn_the_colon_off() -> None:
    text = SPEC % "Tell." + f'    ? "a{" " * 100_000}x"\n    : "b}}"\n'
    begin = time.process_time()
    found = check_text(text.encode(), "large.yaml").diagnostics
    assert time.process_time() - begin < SECONDS
    assert {each.code for each in found} == {"unknown-key"}


def test_long_names_of_which_each_is_like_all_others() -> None:
    names = ["A" + "a" * length for length in range(2, 240)]
    events = ", ".join(f"{each}: {{}}" for each in names)
    text = (
        (SPEC % "Tell.")
        .replace("events: {", f"events: {{{events}, ")
        .replace("accepts: Asked", f"accepts: {names[-1]}aaaaab")
    )
    begin = time.process_time()
    found = check_text(text.encode(), "large.yaml").diagnostics
    assert time.process_time() - begin < SECONDS
    assert "unknown-event" in {each.code for each in found}


@pytest.mark.parametrize("comment", ["# wfc: ignore[x] because y\n", "a: '# wfc: ignore[x]'\n"])
def test_comments_that_ask_to_ignore_something(comment: str) -> None:
    begin = time.process_time()
    found = check_text((comment * 100_000 + SPEC % "Tell.").encode(), "large.yaml").diagnostics
    assert time.process_time() - begin < SECONDS
    assert len(found) <= FEW


@pytest.mark.parametrize(
    ("text", "style", "value"),
    [
        ("'" + "a " * 50_000 + "b'", "'", "a " * 50_000 + "b"),
        ("|\n  " + "a " * 50_000 + "b\n", "|", "a " * 50_000 + "b\n"),
        ('"' + " " * 100_000 + '\\tb"', '"', " " * 100_000 + "\tb"),
    ],
)
def test_the_places_of_characters_are_kept_as_runs(text: str, style: str, value: str) -> None:
    found = characters(text, 0, len(text), style, value)
    assert found is not None
    assert len(found) == len(value)
    assert found[len(value) - 1][1] <= len(text)
    assert all(text[slice(*found[index])] == value[index] for index in range(0, 90_000, 997))


def flow(events: str, steps: str) -> bytes:
    """A spec of some events and steps, which begins with `A` and ends with `Done`."""
    shared = "events:\n  A: {n: integer}\n  Done: {n: integer}\n"
    return f"wfc: 1\nworkflow: large\nstart: A\nend: Done\n{shared}{events}steps:\n{steps}".encode()


def conditions(count: int) -> bytes:
    entries = "".join(f"      - {{event: Done, when: event.n == {number}}}\n" for number in range(count))
    return flow("", f"  one:\n    kind: transform\n    accepts: A\n    emit:\n{entries}      - Done\n")


def acceptors(count: int) -> bytes:
    steps = "".join(f"  s{n}: {{kind: transform, accepts: A, emit: nothing}}\n" for n in range(count))
    return flow("", f"{steps}  last: {{kind: transform, accepts: A, emit: Done}}\n")


def joined(count: int) -> bytes:
    events = "".join(f"  E{n}: {{x{n}: integer}}\n" for n in range(count))
    steps = "".join(
        f"  s{n}: {{kind: transform, accepts: A, emit: {{event: E{n}, with: {{x{n}: 1}}}}}}\n"
        for n in range(count)
    )
    every = ", ".join(f"E{n}" for n in range(count))
    return flow(
        events,
        f"{steps}  all: {{kind: transform, accepts: {{all: [{every}]}}, emit: {{event: Done, with: {{n: 1}}}}}}\n",
    )


@pytest.mark.parametrize("share", [0.2, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize(("spec", "count"), [(conditions, 30_000), (acceptors, 20_000), (joined, 8_000)])
def test_a_flow_with_as_much_of_one_thing_as_fits(
    spec: Callable[[int], bytes], count: int, share: float
) -> None:
    text = spec(int(count * share))
    begin = time.process_time()
    assert not check_text(text, "large.yaml").failed
    assert time.process_time() - begin < SECONDS * share


def batches_in_each_other(count: int) -> bytes:
    """Batches that may each be opened within all others, so that there are more orders than anybody can look at."""
    given = 'with: {xs: "${{ event.xs }}"}'
    opened = f"emit: {{each: {{in: event.xs, as: x, event: B, {given}, max: 3}}}}"
    steps = "".join(f"  f{n}: {{kind: transform, accepts: [A, B], {opened}}}\n" for n in range(count))
    far = "".join(f"  e{n}: {{kind: transform, accepts: E{n}, emit: E{n + 1}}}\n" for n in range(8))
    fields = "{xs: list of string}"
    events = "".join(f"  E{n}: {fields}\n" for n in range(9))
    return (
        f"wfc: 1\nworkflow: large\nstart: A\nend: Z\nevents:\n  A: {fields}\n  Z: {{}}\n  B: {fields}\n"
        f"  R: {fields}\n{events}steps:\n{steps}  e: {{kind: transform, accepts: A, emit: E0}}\n{far}"
        f"  r: {{kind: transform, accepts: [E8, R], {opened.replace('event: B', 'event: R')}}}\n"
        "  m: {kind: transform, accepts: {each: B}, emit: Z}\n"
    ).encode()


def name_with_blanks(count: int) -> bytes:
    return flow("", f'  s: {{kind: transform, accepts: A, emit: "Q{" " * count}x"}}\n')


@pytest.mark.parametrize(
    ("spec", "code"),
    [(batches_in_each_other(9), "batch-in-itself"), (name_with_blanks(8_000), "unknown-event")],
)
def test_a_small_spec_of_which_the_proof_or_a_hint_could_take_hours(spec: bytes, code: str) -> None:
    begin = time.process_time()
    found = check_text(spec, "small.yaml").diagnostics
    assert time.process_time() - begin < SECONDS / 2
    assert code in {each.code for each in found}
