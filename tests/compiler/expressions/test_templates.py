"""Texts with expressions: what they mean, what they become, and that text stays text."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.expressions import (
    Scope,
    generate_address,
    generate_body,
    generate_text,
    parse_template,
)
from wfc.compiler.expressions.addresses import split_address
from wfc.compiler.python.literals import Code, literal, text_block
from wfc.compiler.types import BOOLEAN, DATE, INTEGER, NUMBER, STRING, ListOf, Optional, Record, show

SIMPLE = Scope(
    {
        "a": STRING,
        "more": STRING,
        "n": INTEGER,
        "x": NUMBER,
        "names": ListOf(STRING),
        "maybe": Optional(STRING),
    }
)
PLACE = Place(("prompt",))


def read(text: str, *, statements: bool = False, whole: bool = True) -> tuple[Any, list[Finding]]:
    findings: list[Finding] = []
    return parse_template(text, PLACE, SIMPLE, findings.append, statements=statements, whole=whole), findings


TABLE = [
    ("plain", '"plain"'),
    ("Hello ${{ a }}!", 'f"Hello {a}!"'),
    ("${{ a }}${{ n }}", 'f"{a}{n}"'),
    (" ${{ a }}", 'f" {a}"'),
    ("${{ x }} of it", 'f"{filters.text(x)} of it"'),
    ("{a} ${{ a }} {{b}", 'f"{{a}} {a} {{{{b}}"'),
    ('say "${{ a }}"', """f'say "{a}"'"""),
    ("it's ${{ a }}", 'f"it\'s {a}"'),
    ("${{ names | join(', ') }} all", """f"{', '.join(names)} all\""""),
    ('"${{ names | join(", ") }}" it\'s', '''f"""\\"{", ".join(names)}" it's"""'''),
    ("${{ names | join('\\n') }} all", '"".join(["\\n".join(names), " all"])'),
    ("${{ maybe | default('none') }}.", '''f"{maybe if maybe is not None else 'none'}."'''),
    ("${{ 'a' ~ n }} b", 'f"a{n} b"'),
    ("${{ '${{' }} b", '"${{ b"'),
    ("one\ntwo ${{ a }}\n", 'f"""\\\none\ntwo {a}\n"""'),
    ("one ${{ a }}\n", 'f"one {a}\\n"'),
    ("one \ntwo\t${{ a }}", 'f"""\\\none\\x20\ntwo\\t{a}"""'),
    ("a\\b ${{ a }}", 'f"a\\\\b {a}"'),
    ("${{ ('x' ~ a) | upper }} b", """f"{f'x{a}'.upper()} b\""""),
    ("${{ n if n > 0 else 1 }} b", 'f"{n if n > 0 else 1} b"'),
]


@pytest.mark.parametrize(("text", "python"), TABLE, ids=[row[0] for row in TABLE])
def test_a_text_becomes_an_f_string(text: str, python: str) -> None:
    template, findings = read(text)
    assert not [finding for finding in findings if finding.severity.word == "error"]
    assert template.type == STRING
    code = generate_text(template, {})
    ast.parse(code)
    if '\\"{' not in python:
        assert code == python


def test_one_whole_expression_keeps_its_type() -> None:
    template, findings = read("${{ names }}")
    assert not findings
    assert template.type == ListOf(STRING)
    assert template.whole is not None
    assert template.whole.text == "names"
    assert generate_text(template, {}) == "names"


def test_a_prompt_is_a_text_whatever_it_holds() -> None:
    _, findings = read("${{ names }}", statements=True, whole=False)
    assert [finding.code for finding in findings] == ["needs-json"]


def printed(text: str) -> tuple[str, str | None]:
    template, findings = read(text)
    assert not findings
    return generate_address(split_address(template.parts), {})


def test_the_server_of_an_address_is_taken_as_it_is_and_the_rest_encoded() -> None:
    assert printed("${{ a }}/kb/${{ n }}/x-${{ n }}?q=${{ 'x/y' }}") == (
        "f\"{a}/kb/{filters.path_part(n)}/x-{filters.url_part(n)}?q={filters.url_part('x/y')}\"",
        "a",
    )
    assert printed("https://${{ a }}.example:${{ n }}/${{ more }}") == (
        'f"https://{a}.example:{n}/{filters.path_part(more)}"',
        'f"https://{a}.example:{n}"',
    )


def test_what_data_could_leave_empty_or_make_a_way_up_is_one_part() -> None:
    assert printed("https://x/.${{ a }}/${{ a }}${{ more }}/z")[0] == (
        "f\"https://x/{filters.path_part(f'.{a}')}/{filters.path_part(f'{a}{more}')}/z\""
    )


def test_a_path_that_is_encoded_already_is_not_encoded_again() -> None:
    assert printed("https://x/${{ a | url_path }}?p=${{ a | url_path }}")[0] == (
        'f"https://x/{filters.url_path(a)}?p={filters.url_path(a)}"'
    )


def test_an_address_that_is_one_expression_is_not_encoded() -> None:
    assert printed("${{ a }}") == ('f"{a}"', None)


MISTAKES = [
    ("a <<${{>> b", "unclosed-braces"),
    ("a ${{ <<b>> }} c ${{ a }}", "unknown-name"),
    ("a ${{ a + }} c ${{ <<b>> }}", "unfinished-expression"),
    ("<<{{>> a }}", "braces-without-dollar"),
    ("<<{%>> if a %}", "statement-elsewhere"),
    ("<<{#>> a #}", "comment-braces"),
    ("a: ${{ <<names>> }}", "needs-json"),
    ("a: ${{ <<maybe>> }}", "may-be-null"),
]

STATEMENT_MISTAKES = [
    ("{% <<for>> i in names %}", "statement-not-ended"),
    ("<<{#>> {% for i in names %} #}", "comment-braces"),
    ("{% if <<n>> %}{% endif %}", "not-a-condition"),
    ("{% <<endif>> %}", "statement-out-of-place"),
    ("<<$>>{% if n > 1 %}a{% endif %}", "dollar-before-statement"),
    ("{% for each in names | sort<<[>>:3] %}${{ each }}{% endfor %}", "unexpected-token"),
    ("{% for i in names %}{% <<else>> %}{% endfor %}", "statement-out-of-place"),
    ("{% for i in names %}{% <<endif>> %}{% endfor %}", "statement-out-of-place"),
    ("{% <<set>> a = 1 %}", "unknown-statement"),
    ("{% for i in <<n>> %}{% endfor %}", "not-a-list"),
    ("{% for i, j in <<names>> %}{% endfor %}", "not-a-list"),
    ("{% for <<in>> names %}{% endfor %}", "unexpected-token"),
    ("{% for <<a>> in names %}{% endfor %}", "name-in-use"),
    ("{% for i in names %}${{ <<j>> }}{% endfor %}", "unknown-name"),
    ("{% for i in names %}{% endfor %}${{ <<i>> }}", "unknown-name"),
    ("<<{%>> if a", "unclosed-braces"),
    ("{% endfor <<x>> %}", "statement-out-of-place"),
]


@pytest.mark.parametrize(
    ("marked", "code", "statements"),
    [*((*each, False) for each in MISTAKES), *((*each, True) for each in STATEMENT_MISTAKES)],
)
def test_a_mistake_in_a_text_has_its_stretch(marked: str, code: str, statements: bool) -> None:
    text = marked.replace("<<", "").replace(">>", "")
    _, findings = read(text, statements=statements)
    assert findings[0].code == code
    assert len(findings) == 1 + (code == "unfinished-expression")
    place = findings[-1].place
    if "endfor" not in code and code != "statement-out-of-place":
        assert place.start == marked.index("<<")
        assert place.end == marked.index(">>") - 2


STATEMENTS = [
    ("{% for i in names %}\n- ${{ i }}\n{% endfor %}\n", "- x\n- y\n"),
    ("{% for i in names %}${{ i }}{% if not loop.last %}, {% endif %}{% endfor %}.", "x, y."),
    ("{% for i in names %}${{ loop.index }}${{ i }}{% endfor %}", "1x2y"),
    ("{% for i in names %}{% if loop.first %}a{% else %}b{% endif %}{% endfor %}", "ab"),
    ("{% for i in names | sort(descending=true) %}${{ i }}{% if loop.last %}!{% endif %}{% endfor %}", "yx!"),
    ("{% if n > 1 %}\nmany\n{% elif n == 1 %}\none\n{% else %}\nnone\n{% endif %}\nend", "many\nend"),
    ("a\n  {% if n > 1 %}\n  b\n  {% endif %}\nc", "a\n  b\nc"),
    ("a {% if n > 1 %} b {% endif %} c", "a  b  c"),
    ("{% if n > 1 %}many{% endif %}\nend", "many\nend"),
    ("  {% if n > 1 %}many{% endif %}  \nend", "  many  \nend"),
    ("{% if n > 1 %}{% if n > 1 %}\nb\n{% endif %}{% endif %}\nend", "b\nend"),
    ("a {%- if n > 1 -%} b {%- endif -%} c", "abc"),
    ("{% if maybe is not none %}${{ maybe }}{% else %}nothing{% endif %}", "nothing"),
    ("{% if n > 5 %}{% endif %}x", "x"),
    ("{% for key, value in names | count_by %}${{ key }}=${{ value }};{% endfor %}", "x=1;y=1;"),
    ("{% for key in names | count_by %}${{ key }}{% endfor %}", "xy"),
    ("{% for i in names %}{% for j in names %}${{ i }}${{ j }} {% endfor %}{% endfor %}", "xx xy yx yy "),
    ("{% for i in names %}${{ i }}{% endfor %}{% for i in [1, 2] %}${{ i }}{% endfor %}", "xy12"),
    ("{% for parts in names %}${{ parts }}{% endfor %}", "xy"),
    ('{% if n > 1 %}\n"""quoted""" {brace} \\ ${{ a }}"\n{% endif %}\n', '"""quoted""" {brace} \\ A"\n'),
]


def body_source(lines: list[Code], name: str = "f") -> str:
    """Lines as a function; inner lines of long literals stay at the left."""
    head = f"def {name}(a: str, n: int, x: float, names: list[str], maybe: str | None) -> str:"
    return "\n".join([head, *(f"    {line}" for line in lines), ""])


@pytest.mark.parametrize(("text", "meant"), STATEMENTS, ids=[row[0] for row in STATEMENTS])
def test_statements_become_a_function(text: str, meant: str) -> None:
    template, findings = read(text, statements=True)
    assert not [finding.message for finding in findings]
    from wfc.runtime.values import filters

    space: dict[str, Any] = {"filters": filters}
    exec(body_source(generate_body(template, {})), space)  # noqa: S102 - the code under test
    assert space["f"]("A", 2, 0.5, ["x", "y"], None) == meant


@pytest.mark.full
def test_functions_pass_the_formatter_the_linter_and_the_type_checker(
    tmp_path: Path, passes_mypy: Callable[..., None]
) -> None:
    texts = [*(row[0] for row in STATEMENTS), *(row[0] for row in TABLE)]
    lines = ["from wfc.runtime import filters", ""]
    for number, text in enumerate(texts):
        template, _ = read(text, statements=True)
        lines += ["", body_source(generate_body(template, {}), f"f{number}")]
    module = tmp_path / "generated.py"
    module.write_text("\n".join(lines), encoding="utf-8")
    ruff = str(Path(sys.executable).parent / "ruff")
    for command in (
        [ruff, "check", "--isolated", "--target-version", "py311", str(module)],
        [
            ruff,
            "format",
            "--isolated",
            "--target-version",
            "py311",
            "--line-length",
            "160",
            "--diff",
            str(module),
        ],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    passes_mypy(module)


# --- whatever the text is, it stays text

HOSTILE = st.lists(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from(
            [
                "'",
                '"',
                '"""',
                "\\",
                "{",
                "}",
                "\n",
                "\r",
                "\t",
                "\u2028",
                "\u2029",
                "\x85",
                "\x00",
                "#",
                "%",
                " ",
            ]
        ),
    ),
    max_size=30,
).map("".join)


@given(HOSTILE)
@settings(max_examples=4 * settings.default.max_examples)
def test_a_literal_is_its_text(text: str) -> None:
    code = literal(text)
    assert ast.literal_eval(code) == text
    assert "\n" not in code
    assert all(letter.isprintable() for letter in code)
    assert ast.literal_eval(text_block(text)) == text


@given(
    HOSTILE,
    HOSTILE,
    st.sampled_from(["a", "names | join(', ')", "names | join('\\n')", "n", "maybe | default('\"')"]),
)
@settings(max_examples=4 * settings.default.max_examples)
def test_text_around_an_expression_is_its_text(before: str, after: str, expression: str) -> None:
    text = f"{before}.${{{{ {expression} }}}}.{after}"
    if any(mark in before or mark in after for mark in ("{{", "{%", "{#")) or before.endswith("$"):
        return
    template, findings = read(text)
    assert not findings
    from wfc.runtime.values import filters

    space = {"a": "A", "names": ["x", "y"], "n": 2, "maybe": None, "filters": filters}
    middle = {"a": "A", "n": "2", "names | join(', ')": "x, y", "names | join('\\n')": "x\ny"}.get(
        expression, '"'
    )
    code = generate_text(template, {})
    assert eval(code, space) == f"{before}.{middle}.{after}"  # noqa: S307 - the code under test
    tree = ast.parse(code, mode="eval")
    called = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert called <= {"join", "text"}


@given(HOSTILE)
@settings(max_examples=3 * settings.default.max_examples)
def test_a_text_in_quotes_in_an_expression_is_its_text(text: str) -> None:
    inside = text.replace("\\", "\\\\").replace('"', '\\"')
    template, findings = read(f'${{{{ "{inside}" }}}}')
    assert not findings
    assert ast.literal_eval(generate_text(template, {})) == text


@given(HOSTILE, HOSTILE)
@settings(max_examples=2 * settings.default.max_examples)
def test_text_in_a_prompt_with_statements_is_its_text(first: str, second: str) -> None:
    marks = ("{{", "{%", "{#")
    if any(mark in part for mark in marks for part in (first, second)) or first.endswith(("$", "{")):
        return
    template, findings = read(f".{first}.{{% if n > 1 %}}.{second}.{{% endif %}}", statements=True)
    assert not findings
    space: dict[str, Any] = {}
    exec(body_source(generate_body(template, {})), space)  # noqa: S102 - the code under test
    assert space["f"]("A", 2, 0.5, ["x", "y"], None) == f".{first}..{second}."


@given(HOSTILE)
@settings(max_examples=3 * settings.default.max_examples)
def test_any_text_at_all_is_read_without_an_exception(text: str) -> None:
    for statements in (False, True):
        read(text, statements=statements)
        read(f"${{{{ {text} }}}}", statements=statements)
        read(f"{{% {text} %}}", statements=statements)


def test_records_have_no_form_in_a_text() -> None:
    order = Record("Order")
    findings: list[Finding] = []
    parse_template(
        "a ${{ order }}", PLACE, Scope({"order": order, "flag": BOOLEAN, "day": DATE}), findings.append
    )
    assert [finding.code for finding in findings] == ["needs-json"]
    assert show(order) in findings[0].message
