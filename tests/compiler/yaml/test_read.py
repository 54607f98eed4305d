"""Bytes → data: YAML 1.2 as it looks, everything else a finding, and nothing that takes long or raises."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.yaml import BROKEN, MAX_BYTES, Document, read
from wfc.compiler.yaml.tree import MAX_DEPTH, MAX_FINDINGS, build


def reading(raw: str | bytes) -> tuple[Document, list[Finding]]:
    findings: list[Finding] = []
    return read(raw if isinstance(raw, bytes) else raw.encode(), "spec.yaml", findings.append), findings


def codes(raw: str | bytes) -> list[str]:
    return [finding.code for finding in reading(raw)[1]]


def shown(raw: str | bytes) -> list[tuple[str, str]]:
    """Codes, each with the text that is marked."""
    document, findings = reading(raw)
    marked = []
    for finding in findings:
        start, end = document.stretch(finding.place)
        marked.append((finding.code, document.text[start:end]))
    return marked


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("nUll", "nUll"),
        ("true", True),
        ("TRUE", True),
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("off", "off"),
        ("y", "y"),
        ("0", 0),
        ("012", 12),
        ("0o17", 15),
        ("0x1F", 31),
        ("0b11", "0b11"),
        ("-7", -7),
        ("+7", 7),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("1:2:3", "1:2:3"),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1.", 1.0),
        (".", "."),
        ("-", None),
        ("2026-01-31", "2026-01-31"),
        ("2026-01-31T09:00:00Z", "2026-01-31T09:00:00Z"),
        ("=", "="),
        ("١٢", "١٢"),
        ("'1'", "1"),
        ('"true"', "true"),
        ("30s", "30s"),
        ("-x", "-x"),
        ("${{ a.b }}", "${{ a.b }}"),
        ("[1, a, 'b']", [1, "a", "b"]),
        ("{x: 1, 'y z': {}}", {"x": 1, "y z": {}}),
        ("|\n  one\n  two\n", "one\ntwo\n"),
    ],
)
def test_a_value_means_what_it_looks_like(written: str, meant: object) -> None:
    if written == "-":
        document, findings = reading("a:\n-\n")
        meant = [None]
    else:
        document, findings = reading(f"a: {written}")
    assert not findings
    assert document.whole
    assert document.data == {"a": meant}
    assert type(document.data["a"]) is type(meant)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a: 1\nb: 2\na: 3\n", [("duplicate-key", "a")]),
        ("{a: 1, 'a': 3}\n", [("duplicate-key", "'a'")]),
        ("404: x\n", [("key-not-text", "404")]),
        ("true: x\n", [("key-not-text", "true")]),
        ("1.5: x\n", [("key-not-text", "1.5")]),
        ("? \n: x\n", [("key-not-text", " ")]),
        ("? [a]\n: x\nb: 1\n", [("key-not-text", "[")]),
        ("a: {{ x }}\n", [("key-not-text", "{{")]),
        ("a: &x k\n*x : b\n", [("key-not-text", "*x")]),
        ("a: !!str x\n", [("tag", "!!str")]),
        ("a: &x !thing [1]\n", [("tag", "!thing")]),
        ("a: ! x\n", [("tag", "!")]),
        ("!!str a: x\n", [("tag", "!!str")]),
        ("a: &x {b: 1}\nc:\n  <<: *x\n", [("merge-key", "<<")]),
        ("a: *x\n", [("unknown-alias", "*x")]),
        ("a: &x [*x]\n", [("alias-of-itself", "*x")]),
        ("a: .inf\n", [("number-out-of-range", ".inf")]),
        ("a: -.NaN\n", []),
        ("a: .nan\n", [("number-out-of-range", ".nan")]),
        ("a: 1e999\n", [("number-out-of-range", "1e999")]),
        (f"a: {'9' * 5000}\n", [("number-out-of-range", "9" * 5000)]),
        ("a: 1\n---\nb: 2\n", [("several-documents", "---")]),
        ("", [("empty-file", "")]),
        ("# nothing\n\n", [("empty-file", "")]),
        ("---\n...\n", [("not-a-map", "---")]),
        ("- a\n- b\n", [("not-a-map", "- a")]),
        ("hello\n", [("not-a-map", "hello")]),
    ],
)
def test_what_a_spec_may_not_have_is_a_finding_at_its_place(text: str, found: list[tuple[str, str]]) -> None:
    assert shown(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("title: #${{ x }}\n", [("text-cut-by-comment", "#${{ x }}")]),
        ("title: Ticket #${{ x }}\n", [("text-cut-by-comment", "#${{ x }}")]),
        ("title: Ticket #42\n", [("text-cut-by-comment", "#42")]),
        ("title: ${{ a # b }}\n", [("text-cut-by-comment", "# b }}")]),
        ("when: a.b # c\n", [("comment-after-condition", "# c")]),
        ("emit:\n  - when: a == 'x # y'\n", [("text-cut-by-comment", "# y'")]),
        ("title: Ticket # a comment\n", []),
        ("title: 'a' #comment\n", []),
        ("steps: #here they are\n  a: 1\n", []),
        ("max_runs: 3 # a cycle\n", []),
        ("title: Don't # never\n", []),
        ("with: {when: a # b\n  }\n", []),
        ("threads:\n  a:\n    keep: null # b\n", []),
        ("steps:\n  a:\n    keep: a.b # c\n", [("comment-after-condition", "# c")]),
        ("emit: # or else\n  - A\n", []),
        ("a: {reason: a, b}\n", [("text-cut-by-comma", "b")]),
        ("a: {b}\n", [("text-cut-by-comma", "b")]),
        ("a: {b: , c: 1}\n", []),
        ("a: [x, y]\n", []),
        ("a: Note: done\n", [("text-cut-by-colon", ":")]),
        ("when: a == 'x: y'\n", [("text-cut-by-colon", ":")]),
        ("a:\n  kind:human\n  title: b\n", [("syntax-error", ":")]),
        ("a: see\n  https://x.example\n  b: c\n", [("text-cut-by-colon", ":")]),
        ("a: {id: ${{ x }}}\n", [("expression-needs-quotes", "${{ x }}")]),
        ("a: [${{ x }}, b]\n", [("expression-needs-quotes", "${{ x }}")]),
        ("a: 'x\nb: 1\n", [("syntax-error", "'")]),
        ("a:\n\tb: 1\n", [("syntax-error", "\t")]),
        ("a: @x\n", [("syntax-error", "@")]),
        ('a: "\\q"\n', [("syntax-error", "\\")]),
        ("a: [1, 2\nb: 3\n", [("syntax-error", ":")]),
    ],
)
def test_text_that_yaml_cuts_short_is_a_finding(text: str, found: list[tuple[str, str]]) -> None:
    assert [(code, marked[:20]) for code, marked in shown(text)] == found


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"a: \xff\n", "not-utf8"),
        ("a: é\n".encode("latin-1"), "not-utf8"),
        ("a: 1\n".encode("utf-16"), "not-utf8"),
        (b"\x00", "control-character"),
        (b"a: \x1b[31m\n", "control-character"),
        (b"a: x\x7f\n", "control-character"),
        ("a: \ufeffx\n".encode(), "control-character"),
        ("a: \uffff\n".encode(), "control-character"),
        (b"x" * (MAX_BYTES + 1), "file-too-large"),
        (b"a: " + b"x" * (MAX_BYTES - 10), None),
    ],
)
def test_bytes_that_are_no_text_are_refused(raw: bytes, code: str | None) -> None:
    assert codes(raw) == ([code] if code else [])


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    document, findings = reading(b"\xef\xbb\xbfa: 1\n")
    assert not findings
    assert document.data == {"a": 1}
    assert document.span(Place(("a",), "key"))[0].column == 1


def test_a_duplicate_key_shows_both_places_and_the_first_counts() -> None:
    document, (finding,) = reading("a: 1\nb: 2\na: 3\n")
    diagnostic = document.diagnostic(finding)
    assert (diagnostic.start.line, diagnostic.related[0].position.line) == (3, 1)
    assert document.data == {"a": 1, "b": 2}


def test_broken_values_are_marked_and_the_rest_is_kept() -> None:
    document, _ = reading("a: *x\nb: [1, .inf]\nc: {<<: {}, d: 1}\ne: 2\n")
    assert document.data == {"a": BROKEN, "b": [1, BROKEN], "c": BROKEN, "e": 2}
    assert not document.whole


def nested(count: int) -> str:
    return "a: " + "[" * count + "]" * count


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join(lines)


HOSTILE = {
    "nested lists": ("[" * 100_000, "too-deep"),
    "nested lists, closed": (nested(100_000), "too-deep"),
    "nested maps": ("a: " + "{b: " * 100_000, "too-deep"),
    "nested block lists": ("- " * 100_000, "too-deep"),
    "nested block maps": ("".join(f"{' ' * n}a:\n" for n in range(2000)), "too-deep"),
    "nested keys": ("? " * 100_000, "too-deep"),
    "just too deep": (nested(MAX_DEPTH), "too-deep"),
    "alias bomb": (bomb(30), "too-many-aliases"),
    "quadratic aliases": ("a: &a [" + "x," * 2000 + "]\nb: [" + "*a," * 2000 + "]", "too-many-aliases"),
    "deep by aliases": (
        "\n".join(["a0: &a0 [x]"] + [f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 200)]),
        "too-deep",
    ),
    "many values": ("a: [" + "1," * 600_000 + "]", "too-many-values"),
    "many duplicates": ("a: 1\n" * 100_000, "too-many-findings"),
    "many keys that are none": ("{" + ",".join(f"{n}: x" for n in range(100_000)) + "}", "too-many-findings"),
    "many anchors": ("".join(f"a{n}: &a{n} x\n" for n in range(100_000)), None),
    "one long line": ("a: " + "x " * 1_000_000, None),
    "one long key": ("a" * 1_000_000 + ": x", "text-cut-by-colon"),
    "many blank lines": ("a: x\n" + "\n" * 2_000_000, None),
    "a long folded text": ("a: >\n" + "  x\n" * 500_000, None),
    "an open quote": ('a: "' + "x\n" * 1_000_000, "syntax-error"),
    "brackets on lines of their own": ("a: [\n" + "[\n" * 50_000, "too-deep"),
    "question marks": ("?\n" * 500_000, "too-many-findings"),
    "tags": ("a: " + "!x " * 100_000, "syntax-error"),
    "directives": ("%x y\n" * 100_000, "syntax-error"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_end_in_a_finding_soon(name: str) -> None:
    text, code = HOSTILE[name]
    start = time.process_time()
    document, findings = reading(text)
    for finding in findings[:MAX_FINDINGS]:
        document.diagnostic(finding)
    assert time.process_time() - start < 10, "a second is wanted; ten are for a slow machine"
    assert [finding.code for finding in findings][-1:] == ([code] if code else [])


def test_depth_at_the_limit_is_read() -> None:
    assert not codes(nested(MAX_DEPTH - 1))


@given(st.binary(max_size=200))
@settings(max_examples=3 * settings.default.max_examples)
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    document, findings = reading(raw)
    for finding in findings:
        document.diagnostic(finding)
    assert (document.data is not None) or findings


YAMLISH = st.lists(
    st.sampled_from(
        [*"abx01 \n\n:-#,[]{}'\"&*!|>?%@`\\~<\t\r$.é\u2028", *": ;- ;<<;&a ;*a;!!x ;${{ ; }}".split(";")]
    ),
    max_size=40,
).map("".join)


@given(YAMLISH)
@settings(max_examples=3 * settings.default.max_examples)
def test_any_text_is_read_or_refused_and_every_place_lies_in_it(text: str) -> None:
    document, findings = reading(text)
    for finding in findings:
        diagnostic = document.diagnostic(finding)
        assert 0 <= diagnostic.start.offset <= diagnostic.end.offset <= len(document.text)
    assert (document.data is not None) or findings
    check_places(document, document.data, ())


def check_places(document: Document, value: object, address: tuple[str | int, ...]) -> None:
    """Every value's stretch lies within that of the value that holds it."""
    start, end = document.stretch(Place(address))
    assert 0 <= start <= end <= len(document.text)
    if isinstance(value, dict):
        for key, each in value.items():
            first, last = document.stretch(Place((*address, key), "key"))
            assert first < last or key == ""
            check_places(document, each, (*address, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            check_places(document, each, (*address, index))


@given(YAMLISH)
@settings(max_examples=3 * settings.default.max_examples)
def test_the_slow_parser_raises_nothing_either(text: str) -> None:
    findings: list[Finding] = []
    data, *_ = build(text, findings.append, fast=False)
    assert (data is not None) or findings


@pytest.mark.parametrize(
    "spec", sorted((Path(__file__).parents[3] / "specs").glob("*.yaml")), ids=lambda path: path.stem
)
def test_both_parsers_read_the_same(spec: Path) -> None:
    text = spec.read_text(encoding="utf-8")
    findings: list[Finding] = []
    assert build(text, findings.append, fast=True) == build(text, findings.append, fast=False)
    assert not findings


IN_BRACKETS = st.lists(
    st.sampled_from(
        ["a", "1", "~", " ", "?", "? ", "b?", ":", ": ", ", ", "-", "- ", "[", "]", "{", "}", "'", "\n "]
    ),
    max_size=12,
).map(lambda parts: "a: [" + "".join(parts) + "]\nb: {c: " + "".join(parts) + "}\n")


@given(IN_BRACKETS)
@settings(max_examples=3 * settings.default.max_examples)
@example("a: [Why?, b?c, {d?: e?}]\n")
@example("a: [b:]\n")
def test_both_parsers_read_the_same_in_brackets(text: str) -> None:
    findings: list[Finding] = []
    more: list[Finding] = []
    fast, slow = build(text, findings.append, fast=True), build(text, more.append, fast=False)
    assert bool(findings) == bool(more)
    assert findings or fast == slow


@pytest.mark.parametrize(
    "text",
    [
        "steps:\n  a:\n    kind: llm\n\n  b: {kind: llm}\n",
        "steps:\r\n  # one\r\n  a: {}\r\n  'b': []\r\n",
        "steps: {a: {k: 1},\n  b: {k: 2}}\n",
        "x: &x {k: 1}\nsteps:\n  a: *x\n  b: 1\n  ? c\n  : {k: 1}\n",
        "steps:\n  &a a: {k: 1}\n  !!str b: {k: 1}\n",
        "\ufeffsteps:\n  # \U0001f600\n  'äö': {k: 1}\n  \"b\": {k: 1}\n",
        "steps:\n  a: {k: 1}\n  a: {k: 2}\n",
        "steps: [{a: {b: {c: 1}}}]\n",
        *(path.read_text("utf-8") for path in sorted((Path(__file__).parents[3] / "specs").glob("*.yaml"))),
    ],
)
def test_a_line_is_the_same_whether_it_was_kept_or_is_looked_up(text: str) -> None:
    """Lines of keys are kept while the text is read, so that who wants only them need not read it again."""
    document, _ = reading(text)
    anew = Document(document.path, document.text, document.data)
    assert isinstance(document.data, dict)
    for section, entries in document.data.items():
        for name in entries if isinstance(entries, dict) else []:
            assert document.line((section, name)) == anew.line((section, name)), (section, name)
