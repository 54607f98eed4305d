"""Prompts in files of their own: what is wrong in them is found at its place there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfc.compiler.passes import check_text, compile_text
from wfc.compiler.resolve import Refused
from wfc.compiler.workspace.compiled import Compiled
from wfc.compiler.workspace.project import Project

SPEC = """\
wfc: 1
workflow: greet
start: Asked
end: Greeted
imports: IMPORTS
texts: {ask: {file: ./ask.md}}
events:
  Asked: {name: string}
  Middle: {name: string}
  Greeted: {text: string}
models:
  fast: {use: "openai:gpt-4o-mini"}
steps:
  first:
    {kind: llm, accepts: Asked, model: fast, prompt: {use: ask}, emit: {event: Middle, with: {name: "${{ result }}"}}}
  then:
    {kind: llm, accepts: Middle, model: fast, prompt: {use: THEN},
     emit: {event: Greeted, with: {text: "${{ result }}"}}}
"""


class InMemory:
    """Files that are a mapping."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files

    def read(self, path: str) -> bytes | Refused:
        return self.files.get(path, Refused("missing", "no such file or directory"))

    def given(self) -> Iterator[tuple[str, bytes]]:
        return iter(())

    def near(self, path: str) -> Iterator[tuple[str, bytes]]:
        return iter(())


def checked(ask: bytes, *, then: str = "ask", **others: str) -> Compiled:
    imports = [f"./{name}.yaml" for name in others]
    spec = SPEC.replace("IMPORTS", str(imports)).replace("THEN", then)
    files = {f"{name}.yaml": text.encode() for name, text in others.items()}
    return compile_text(spec.encode(), "greet.yaml", project=Project(InMemory({"ask.md": ask, **files})))


def marked(compiled: Compiled) -> list[tuple[str, str, str, int]]:
    """Of each finding: code, file, the text that is marked, and the line."""
    return [
        (
            each.code,
            each.path,
            compiled.texts.get(each.path, compiled.text)[each.start.offset : each.end.offset],
            each.start.line,
        )
        for each in compiled.diagnostics
    ]


def test_a_text_in_a_file_is_used_as_it_is() -> None:
    compiled = checked(b'\xef\xbb\xbf# "x": {\r\nGreet ${{ event.name }}\r\n')
    assert compiled.diagnostics == ()
    assert compiled.python.count('# "x": {{\nGreet {event.name}\n') == 2


@given(
    before=st.lists(st.sampled_from(["a", "é", "\t", " ", "\r\n", "\n", "\r", "💡", "- #", ": x", "'"])),
    unknown=st.integers(0, 2),
)
def test_a_mistake_in_a_file_is_found_at_its_own_place(before: list[str], unknown: int) -> None:
    name = ("nmae", "nam", "wholly_other")[unknown]
    text = "".join(before) + "${{ event.name }}\r\n${{ event." + name + " }}"
    found = checked(text.encode())
    lines = "".join(before).replace("\r\n", "\n").replace("\r", "\n").count("\n") + 2
    assert marked(found) == [("unknown-field", "ask.md", name, lines)]
    (diagnostic,) = found.diagnostics
    assert [(each.words, each.path) for each in diagnostic.related][-1] == ("used here", "greet.yaml")


def test_an_imported_file_brings_prompts_which_are_looked_at_where_they_stand() -> None:
    shared = (
        "wfc: 1\ntexts:\n  manners: |\n    Be kind to\n    ${{ event.nmae }}\n  others: {file: ./ask.md}\n"
    )
    assert marked(checked(b"Greet.", then="manners", shared=shared)) == [
        ("unknown-field", "shared.yaml", "nmae", 5)
    ]
    assert marked(checked(b"Greet ${{ event.nmae }}", then="others", shared=shared)) == [
        ("unknown-field", "ask.md", "nmae", 1)
    ]


def test_an_imported_file_of_which_no_prompt_is_used_is_reported() -> None:
    found = checked(b"Greet.", shared="wfc: 1\ntexts: {manners: Be kind.}\n")
    assert [each[0] for each in marked(found)] == ["unused-import"]


def test_a_name_in_spec_and_import_is_reported_with_both_places() -> None:
    found = checked(b"Greet.", shared="wfc: 1\ntexts: {ask: Be kind.}\n")
    assert [each[:3] for each in marked(found)] == [("name-declared-twice", "greet.yaml", "ask")]


@pytest.mark.parametrize(
    ("path", "content", "code"),
    [
        ("./gone.md", b"", "no-such-file"),
        ("/etc/passwd", b"", "file-outside-project"),
        ("./ask.md", b"\xff\xfe", "no-such-file"),
        ("./ask.md", b"a" * (4 * 2**20 + 1), "no-such-file"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_finding(path: str, content: bytes, code: str) -> None:
    spec = SPEC.replace("IMPORTS", "[]").replace("THEN", "ask").replace("./ask.md", path)
    project = Project(InMemory({"ask.md": content}))
    found = check_text(spec.encode(), "greet.yaml", project)
    assert [each[:3] for each in marked(found)] == [(code, "greet.yaml", path)]


def test_a_spec_that_is_somebodys_prompt_is_still_read_as_a_spec() -> None:
    shared = b"wfc: 1\ntypes: {Mood: {enum: [good, bad]}}\n"
    project = Project(InMemory({"ask.md": shared}))
    one = SPEC.replace("IMPORTS", "[]").replace("THEN", "ask")
    two = one.replace("[]", "[./ask.md]").replace("name: string", "name: string, mood: optional Moot")
    assert not check_text(one.encode(), "one.yaml", project).diagnostics
    found = check_text(two.encode(), "two.yaml", project)
    assert {each[0] for each in marked(found)} == {"unknown-type"}
    assert "did you mean `Mood`?" in {each.hint for each in found.diagnostics}


def test_a_graver_mistake_of_a_later_use_is_not_hidden_by_a_warning_of_an_earlier() -> None:
    spec = (
        SPEC.replace("IMPORTS", "[]")
        .replace("THEN", "ask")
        .replace("Middle: {name: string}", "Middle: {name: string, extra: list of string}")
        .replace('{name: "${{ result }}"}', '{name: "${{ result }}", extra: []}')
    )
    text = b"${{ event.extra | default([]) | json }}"
    found = check_text(spec.encode(), "greet.yaml", Project(InMemory({"ask.md": text})))
    assert found.failed


USING = """\
wfc: 1
workflow: greet
start: Asked
end: Greeted
texts: {ask: {file: ./ask.md, args: {name: string, note: optional string}}}
events:
  Asked: {who: string, words: list of string}
  Greeted: {text: string}
steps:
  greet: {kind: transform, accepts: Asked, emit: {event: Greeted, with: {text: "TEXT"}}}
"""


def using(ask: bytes, text: str) -> Compiled:
    return compile_text(
        USING.replace("TEXT", text).encode(), "greet.yaml", project=Project(InMemory({"ask.md": ask}))
    )


@pytest.mark.parametrize(
    ("text", "code", "marked"),
    [
        ("{% use ask %}", "missing-argument", "ask"),
        ("{% use ask(note=event.who) %}", "missing-argument", "ask"),
        ("{% use ask(name=1) %}", "wrong-argument", "1"),
        ("{% use ask(name=event.who, nmae=event.who) %}", "unexpected-argument", "nmae"),
        ("{% use ask(name=event.who, name=event.who) %}", "unexpected-argument", "name"),
        ("{% use akk(name=event.who) %}", "unknown-text", "akk"),
        ("{% use ask(event.who) %}", "unexpected-token", "."),
        ("{% use %}", "unfinished-expression", ""),
        ("{% use ask(name=event.wo) %}", "unknown-field", "wo"),
    ],
)
def test_what_a_text_is_given_is_held_against_what_it_needs(text: str, code: str, marked: str) -> None:
    found = using(b"Dear ${{ args.name }}", text)
    assert [each.code for each in found.diagnostics] == [code]
    first = found.diagnostics[0]
    assert marked in found.text[first.start.offset : first.end.offset]


def test_a_text_sees_what_it_is_given_and_what_its_user_sees() -> None:
    ask = b"Dear ${{ args.name }}{% if args.note is not none %}, ${{ args.note | upper }}{% endif %}: ${{ event.who }}"
    found = using(ask, "{% use ask(name='Mr ' ~ event.who) %}")
    assert not found.diagnostics
    [mistaken] = using(b"Dear ${{ args.nme }}", "{% use ask(name=event.who) %}").diagnostics
    assert (mistaken.code, mistaken.path) == ("unknown-field", "ask.md")
