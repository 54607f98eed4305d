"""Each rule that knows a mistake by an error of the parser is the first to know one of these texts."""

from __future__ import annotations

import pytest
import yaml

from wfc.compiler.diagnostics import Finding
from wfc.compiler.diagnostics.fixes import apply_fixes
from wfc.compiler.passes import check_text
from wfc.compiler.yaml.parser import events
from wfc.compiler.yaml.syntax_errors import syntax_finding
from wfc.compiler.yaml.syntax_errors.problem import SyntaxProblem
from wfc.compiler.yaml.syntax_errors.rules import RULES
from wfc.compiler.yaml.tree import build

KNOWN = [
    ("a: {b: $'{{ c }}'}\n", "the `$` stands before the quote"),
    (
        'a: {b = "${{ c }}", d: "${{ [e[\'f\'] for e in g] | json }}"}\n',
        "a colon and a blank are missing after `b`",
    ),
    (
        "a: [x.name for x in event.items]] + 1\n",
        "YAML cannot read a list made of another without quotes",
    ),
    ("a: (b: 1)\n", "`(` begins neither a map nor a list"),
    ("emit:\n  - Told\n    when: x\n", "`Told` is a whole value, and `when` stands below it"),
    ("steps:\n  a: b\n    - c: d\n", "a list begins here, and the line above has a value already"),
    ("steps:\n  -a: b\n   c: d\n", "a space is missing after this `-`"),
    ("a: b\n  c: d\n", "this line is indented further than the one above, which is complete"),
    ("  :greet\n  kind: llm\n", "the colon stands behind a key"),
    ("kind:llm\nmodel: fast\n", "a space is missing after this colon"),
    ("kind: tool\ntool {python: pay, retry: standard}\n", "a colon and a space are missing after this key"),
    ("kind: llm\n:greet a: b: c\n", "the colon stands behind a key"),
    ("emit {event: Done, with: x}\n", "a colon and a space are missing after this key"),
    ("emit\n  event: Done\n", "a colon is missing after this key"),
    ("title: Note: done\n", "this colon makes a key of a text that is a value already"),
    ('a: {b "<${{ c }}>"}\n', "a colon and a blank are missing after `b`"),
    ('a: {b "${{ c }}"}\n', "a colon and a blank are missing after `b`"),
    ("a: {b \"${{ c['x'] | default('') }}\", d: e}\n", "a colon and a blank are missing after `b`"),
    ('a: {b: "<c>", d "<${{ e }}>"}\n', "a colon and a blank are missing after `d`"),
    ("a: {b: Hello, ${{ c }}!}\n", "between `{ }` or `[ ]`, an expression needs quotes"),
    ("a: {when: '{b.c}' == 1}\n", "what is asked goes on after this quote is closed"),
    ("a:\n  - b: 1\n  emit: c\n", "this line does not continue the list above it"),
    ("a: {b: f'{c}'}\n", "a text has no `f` before its quote"),
    ("a: {b: '${{ f'{c}' }}'}\n", "a text has no `f` before its quote"),
    ('a: {b="{% use c %}"}\n', "a colon and a blank are missing after `b`"),
    ('a: {b: @c, d="e"}\n', "a text without quotes cannot begin with `@`"),
    ("a: {b: list[string]}\n", "a type has no brackets after its name"),
    ("a: {b: string[]}\n", "a type has no brackets after its name"),
    ('a: {b: "c"d"}\n', "this text goes on after its quote is closed"),
    ("a: {b: c: d}\n", "this colon makes a key of a text that is a value already"),
    (
        'a: "b\nc: "d"\n',
        "the quote that opens here is closed only in line 2, and something else follows there",
    ),
    ("a: {b: ${{ c }}}\n", "between `{ }` or `[ ]`, an expression needs quotes"),
    ("a:\n  b: c\n\td: e\n", "a tab cannot indent a line"),
    ("```yaml\na: b\n", "a line of Markdown stands here, not of YAML"),
    ("a: {% if b %}\n", "a text without quotes cannot begin with `{%`"),
    ("a: `b`\n", "a text without quotes cannot begin with a backtick"),
    ("a: {b: 1, c: ${{ @d }}}\n", "between `{ }` or `[ ]`, an expression needs quotes"),
    ('a: [b "${{ [c] | d }}"]\n', "between `{ }` or `[ ]`, an expression needs quotes"),
    ("a: @b\n", "a text without quotes cannot begin with `@`"),
    ("a:\n\t- b\n c: d\n", "a tab cannot indent a line"),
    ("when: !(a) && b\n", "`!` begins a tag to YAML"),
    ("- {b: c}\n  - {d: e}\n", "this line does not continue the list above it"),
    ("- a\n}\n", "`}` closes nothing"),
    ("- Told  # so\n  when: x\n", "`Told` is a whole value, and `when` stands below it"),
    ("a: b\n: c\n", "a key is missing before this colon"),
    ('a: "b"\n  :c d: e\n', "the colon stands behind a key"),
    ("a: {b: c} d\n", "something follows after this bracket is closed"),
    ("- {a: b}5\n", "something follows after this bracket is closed"),
    ('- "a" b\n', "this text goes on after its quote is closed"),
    ('a: "b" c\n', "this text goes on after its quote is closed"),
    ('a: b\nc "d"\n', "a colon and a space are missing after this key"),
    ("emit: Told  # so\n  when: x\n", "`Told` is a whole value, and `when` stands below it"),
    ('-a: "b"\n c: d\n', "a space is missing after this `-`"),
    ('a: "b"\n  c: d\n', "this line is indented further than the one above, which is complete"),
    ("a:\n  b 5  # so\n  c: d\n", "a colon and a space are missing after this key"),
    ("- a 5  # so\n  b: c\n", "a colon and a space are missing after this key"),
    ("a:\n  b  # so\n    c: d\n", "a colon is missing after this key"),
    ('tool {a: "b"}\n', "a colon and a space are missing after this key"),
    ("* a: b\n", "an item of a list begins with `- `"),
    ("a: b\n:c\nd: e\n", "the colon stands behind a key"),
    ("a: b\nc = d\ne: f\n", "a colon and a space are missing after this key"),
    ("a: b\nOdd line\n", "a colon and a space are missing after this key"),
    ('a: {b = "c", d: "e}\n', "a colon and a blank are missing after `b`"),
    ('a: "b""\n', "two quotes stand here side by side"),
    (
        'a: "b\nc: ""\n',
        "the quote that opens here is closed only in line 2, and something else follows there",
    ),
    ("a: {b: [c for c in [d, e] if c.f]'}\n", "a list ends before this, and what stands here goes on"),
    ('a: "b\n', "a quote that opens here is never closed"),
    ('a: "\\q"\n', "double quotes know no such escape"),
    ('a: "\\xZ"\n', "this escape wants more hexadecimal digits"),
    ('a: "\\UFFFFFFFF"\n', "this escape is no character"),
    ("a: {b: c\n", "a `,` or a `}` is missing before this"),
    ("- a\nb: c\n", "this line does not continue the list above it"),
    ("a:\n  b: c\n d: e\n", "this line does not line up with the keys above it"),
    ("a: - b\n", "a list cannot begin on this line"),
    ("a: ? b\n", "a key cannot stand here"),
    ("a: *\n", "an alias has a name after the `*`"),
    ("a: &\n", "an anchor has a name after the `&`"),
    ("a: !<b\n", "this is a tag to YAML"),
    ("%WORD\na: b\n", "this line is a directive to YAML"),
    ("%YAML 3.0\n---\na: b\n", "this version of YAML is not known here"),
    ("a: |0\n  b\n", "an indentation of 1 to 9 spaces may be given here"),
    ("a: | b\n  c\n", "nothing but a comment may follow on this line"),
    ("    a: b\nc: d\n", "this line does not line up with the keys above it"),
    ("a: b\n\n    c: d\n", "this line is indented further than the one above, which is complete"),
    ("a: b\n...\nc: d\n", "the spec ends before this line"),
    ("a: [,]\n", "a value is missing here"),
]


def rule_and_words(text: str) -> tuple[int, str]:
    """The place in the table of the rule that knows a mistake, and what it says."""
    following = events(text, fast=True)
    with pytest.raises(yaml.YAMLError) as stopped:
        list(iter(following, None))
    problem = SyntaxProblem.of(stopped.value, text)
    known = (place for place, rule in enumerate(RULES) if problem.says(rule.words) and rule.find(problem))
    return next(known, -1), syntax_finding(stopped.value, text).message


@pytest.mark.parametrize(("text", "words"), KNOWN)
def test_a_mistake_is_known(text: str, words: str) -> None:
    assert rule_and_words(text)[1] == words


def test_each_rule_is_the_first_to_know_a_mistake() -> None:
    reached = {rule_and_words(text)[0] for text, _ in KNOWN}
    assert [rule for place, rule in enumerate(RULES) if place not in reached] == []


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("steps:\n  -\tkind: llm\n    name: a\n", "steps:\n  - kind: llm\n    name: a\n"),
        ("steps:\n\t- a\n  - b\n", "steps:\n  - a\n  - b\n"),
        ("steps:\n  a: b\n\tc: d\n", "steps:\n  a: b\n  c: d\n"),
        ("steps:\n\ta:\n    b: c\n", "steps:\n  a:\n    b: c\n"),
        ("steps:\n\ta:\n      b: c\n   d:\n      e: f\n", "steps:\n   a:\n      b: c\n   d:\n      e: f\n"),
        ("steps:\n  a:\n    b: c\n\td:\n    e: f\n", "steps:\n  a:\n    b: c\n  d:\n    e: f\n"),
        # the last key of a block
        (
            "steps:\n  a:\n    b: c\n    \td: e\n  f:\n    g: h\n",
            "steps:\n  a:\n    b: c\n    d: e\n  f:\n    g: h\n",
        ),
        ("steps:\n  a:\n    \tb: c\n  d:\n    e: f\n", "steps:\n  a:\n    b: c\n  d:\n    e: f\n"),
        ("a:\n  - b: c\n\td: e\nf: g\n", "a:\n  - b: c\n    d: e\nf: g\n"),
        ("a:\n  - b\n\t- c\nd: e\n", "a:\n  - b\n  - c\nd: e\n"),
        ("a:\n  b: |\n      c\n\td: e\nf: g\n", "a:\n  b: |\n      c\n  d: e\nf: g\n"),
        # lines of a text, and an item with other keys
        ("a:\n  b: |\n\t\tc\n  d: e\n", "a:\n  b: |\n    c\n  d: e\n"),
        ("a:\n  b: |\n      c:\n\td\n  d: e\n", "a:\n  b: |\n      c:\n      d\n  d: e\n"),
        ("a:\n  b:\n\t\t- c: d\n      e: f\n", "a:\n  b:\n    - c: d\n      e: f\n"),
        ("s:\n  a: {b: c}\n  d:\n    e: f\n\tg: h\n  i:\n    j: k\n",) * 2,  # beside `d`, or in it
        ("s:\n  a:\n    b: c\n\td:\n\t\te: f\n    g: h\n",) * 2,
    ],
)
def test_mending_a_tab_takes_nothing_else_away(text: str, mended: str) -> None:
    findings = [
        each
        for each in check_text(text.encode(), "spec.yaml").diagnostics
        if each.message == "a tab cannot indent a line"
    ]
    assert apply_fixes(text, findings, {"safe", "unsafe"})[0] == mended


@pytest.mark.parametrize("text", ['a: "\\UFFFFFFFF"\n', 'a: "\\U00110000"\n'])
@pytest.mark.parametrize("fast", [True, False])
def test_an_escape_beyond_the_characters_is_told_by_both_parsers(text: str, fast: bool) -> None:
    findings: list[Finding] = []
    build(text, findings.append, fast=fast)
    assert [each.message for each in findings] == ["this escape is no character"]


@pytest.mark.parametrize(
    ("text", "hint", "mended"),
    [
        (
            """a: {b: "{{c != "d" or e <= "9"}}"}\n""",
            """a text with `"` in it stands in `'`: `'{{c != "d" or e <= "9"}}'`""",
            """a: {b: '{{c != "d" or e <= "9"}}'}\n""",
        ),
        (
            """a: '"b" c 'd' "e"'\n""",
            """inside of single quotes write `''`: `'"b" c ''d'' "e"'`""",
            """a: '"b" c ''d'' "e"'\n""",
        ),
    ],
)
def test_quotes_in_quotes_are_told_as_they_are_mended(text: str, hint: str, mended: str) -> None:
    findings = [
        each for each in check_text(text.encode(), "spec.yaml").diagnostics if each.code == "syntax-error"
    ]
    assert [each.hint for each in findings] == [hint]
    assert apply_fixes(text, findings, {"safe", "unsafe"})[0] == mended


SPECIAL = "a text that begins with `{}` stands in quotes"


@pytest.mark.parametrize(
    ("text", "hint", "mended"),
    [
        # a colon without its blank, before what is no plain value
        *(
            (f"a:{sign} b\nc: d\n", f"write `a: …`; {SPECIAL.format(sign)}", "")
            for sign in (">", "&", "]", "|", ",", "-", "%")
        ),
        ("a:b\nc: d\n", "write `a: b`", "a: b\nc: d\n"),
        ("a:$b\nc: d\n", "write `a: $b`", "a: $b\nc: d\n"),
        ("a:[b, c]\n  d: e\n", "write `a: [b, c]`", "a: [b, c]\n  d: e\n"),
        ("a:{b} c\nd: e\n", "write `a: {b} c`", ""),
        # plain texts
        (
            "a: What is it? Note: this asks\n",
            "put the whole value in quotes",
            'a: "What is it? Note: this asks"\n',
        ),
        (
            "a: The lambda function: how to use\n",
            "put the whole value in quotes",
            'a: "The lambda function: how to use"\n',
        ),
        ("a: \\{b: c}\n", "put the whole value in quotes", "a: '\\{b: c}'\n"),
        ("when: a ? b : c\n", "write `a if condition else b`", ""),
        ("a: ${{ b ? c : d }}\n", "write `a if condition else b`", ""),
        (
            "when: lambda a: a.b\n",
            "no functions are written in expressions: a condition stands by itself",
            "",
        ),
        ("a: [Waiting for one in a.b] and more\n", "put all of it in quotes", ""),
        ("a: [x.b for x in c.d]] + 1\n", 'write `"${{ [x.b for x in c.d] }}"`', ""),
        (
            "a: some text\n  b:c\n  d: e\n",
            "put the whole value in quotes, or mend the indentation of this line or of the line above",
            "",
        ),
    ],
)
def test_what_is_said_and_mended_safely(text: str, hint: str, mended: str) -> None:
    findings = [
        each
        for each in check_text(text.encode(), "spec.yaml").diagnostics
        if each.code in {"syntax-error", "text-cut-by-colon", "loop-read-as-list"}
    ]
    assert [each.hint for each in findings] == [hint]
    assert apply_fixes(text, findings, {"safe"})[0] == (mended or text)


@pytest.mark.parametrize(
    ("text", "hint", "mended"),
    [
        (
            "A: {b: list[list[string]], c: d}\n",
            "write `list of list of string`",
            "A: {b: list of list of string, c: d}\n",
        ),
        (
            "A: {b: optional[list[string]]}\n",
            "write `optional list of string`",
            "A: {b: optional list of string}\n",
        ),
        ("A: {b: map[string][]}\n", "write `list of map of string`", "A: {b: list of map of string}\n"),
        (
            "A: {b: list[{c: string}]}\n",
            "write `list of T`; a record and values to choose from are declared under `types`",
            "",
        ),
        (
            "A: {b: list[" + "c" * 70 + "]}\n",
            "write `list of T`; a record and values to choose from are declared under `types`",
            "",
        ),
        *(
            (
                text,
                "a text with a bracket in it stands in quotes; a map or a list begins with the bracket",
                "",
            )
            for text in (
                "{a: the blacklist[1] is}\n",
                "{a: the list[string] is}\n",
                "{a: event.set[0]}\n",
                "{a: result.list[b]}\n",
                "{a: list[0]}\n",
            )
        ),
    ],
)
def test_a_type_in_brackets_is_written_whole_or_left(text: str, hint: str, mended: str) -> None:
    findings = [
        each for each in check_text(text.encode(), "spec.yaml").diagnostics if each.code == "syntax-error"
    ]
    assert [each.hint for each in findings] == [hint]
    assert apply_fixes(text, findings, {"safe", "unsafe"})[0] == (mended or text)


STAR = "an item of a list begins with `- `"


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("a: b\n* c: d\ne: f\n", "a: b\n* c: d\ne: f\n"),
        ("a:\n  b: c\n  * d: e\n", "a:\n  b: c\n  * d: e\n"),
        ("a:\n  - b: c\n  * d: e\n", "a:\n  - b: c\n  - d: e\n"),
        ("a:\n  - b: c\n    d: e\n  * f: g\n", "a:\n  - b: c\n    d: e\n  - f: g\n"),
        ("a:\n  * B\n  * C\n", "a:\n  - B\n  * C\n"),
    ],
)
def test_a_star_becomes_a_dash_only_among_items(text: str, mended: str) -> None:
    findings = [each for each in check_text(text.encode(), "spec.yaml").diagnostics if each.message == STAR]
    assert apply_fixes(text, findings, {"safe", "unsafe"})[0] == mended
    assert findings != []


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("{you and me}\n", "write `key: value`, or `[ ]` for a list"),
        ("{this is it}\n", "write `key: value`, or `[ ]` for a list"),
        (
            "{event in b}\n",
            'a value is put in by `"${{ event in b }}"` in place of the braces, and a condition stands without any',
        ),
        ("{a: tom and ann, you and me}\n", "put the text in quotes"),
    ],
)
def test_words_between_braces_are_no_expression(text: str, hint: str) -> None:
    found = [
        each
        for each in check_text(text.encode(), "spec.yaml").diagnostics
        if each.code == "text-cut-by-comma"
    ]
    assert [each.hint for each in found] == [hint]
