"""What may be written at each place: keys of unfinished entries, types, expressions, what is declared elsewhere."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from wfc.compiler.expressions.filters import FILTERS
from wfc.compiler.lsp.completion import proposals
from wfc.compiler.lsp.cursor import cursor_at
from wfc.compiler.lsp.documents import Documents
from wfc.compiler.lsp.hover import hover
from wfc.compiler.lsp.keys import said_of
from wfc.compiler.lsp.mentions import mentions_in

ROOT = Path(__file__).parents[3]
SPECS = sorted([*(ROOT / "specs").glob("**/*.yaml"), *(ROOT / "docs/language").glob("**/*.yaml")])
SPEC = """\
wfc: 1
workflow: w
start: Asked
end: Done
config: {base: {type: string, default: x}}
secrets: [api_key]
models: {fast: {use: "openai:gpt-4o-mini"}}
retries: {standard: {max_attempts: 3}}
state: {count: {type: integer, default: 0}}
types:
  Line: {sku: string, amount: integer}
events:
  Asked: {customer: string, lines: list of Line}
  Found: {text: string}
  Done: {text: string}
tools:
  shop: {http: {method: GET, url: "https://a.example"}, args: {q: string}, output: {a: string}}
steps:
  look:
    kind: llm
    accepts: Asked
    model: fast
    prompt: Look at ${{ event.customer }}
    output: {summary: string}
@
  last: {kind: transform, accepts: Found, emit: Done}
"""
ENTRY = "event all each fail restart when with save".split()
POLICY = "max_attempts delay backoff max_delay jitter within retry_on never_on".split()
TYPES = "string integer number decimal boolean date datetime duration any".split()
EVENTS = ["Asked", "Found", "Done"]


def offered(marked: str) -> list[str]:
    """What is proposed at the ``^`` of a text, in which the last good state was another; without whole steps."""
    documents = Documents()
    documents.put("/nowhere/a.yaml", SPEC.replace("@", "    emit: Found"))
    at = marked.index("^")
    document = documents.put("/nowhere/a.yaml", marked.replace("^", ""))
    return [each.label for each in proposals(documents, document, at) if not each.snippet]


A_TOOL = "  m:\n    kind: tool\n    accepts: Asked\n    tool: "
A_MAP = "  m:\n    kind: map\n    accepts: Asked\n    in: "


@pytest.mark.parametrize(
    ("marked", "begins"),
    [
        ("    emit: ^", EVENTS),
        ("    emit: {^", ENTRY),
        ("    emit: {ev^", ENTRY),
        ("    emit:\n      ^", ENTRY),
        ("    emit:\n      - ^", [*EVENTS, *ENTRY]),
        ("    emit:\n      - {^", ENTRY),
        ("    emit: {event: Found, ^", ["when", "with", "save"]),
        ("    emit:\n      - event: Found\n        ^", ["when", "with", "save"]),
        (
            "    emit:\n      - Done\n      - event: Found\n        wh^\n        with: {text: x}",
            ["when", "save"],
        ),
        ("    emit:\n      - event: ^", EVENTS),
        ("    emit: {event: Found, with: {^", ["text"]),
        ("    emit:\n      - event: Found\n        with:\n          ^", ["text"]),
        (
            "    emit:\n      - event: Found\n        when: re^",
            ["event", "result", "inputs", "state", "config"],
        ),
        ("    emit:\n      - event: Found\n        when: result.^", ["summary"]),
        ("    emit: {each: {^", ["in", "as", "event", "max"]),
        ("    emit: {each: {in: event.^", ["customer", "lines"]),
        ("    emit: {each: {in: event.lines, as: line, event: Found, with: {^", ["text"]),
        ("    on_error: {^", ["event", "all", "each", "fail", "restart", "errors"]),
        ("    on_error:\n      - event: Found\n        ^", ["errors"]),
        ("    retry: ^", ["standard"]),
        ("    retry: {^", POLICY),
        ("    retry:\n      ^", POLICY),
        ("    save: {^", ["count"]),
        ("    require:\n      - ^", ["that", "say"]),
        ("    require:\n      - that: res^", ["event", "result"]),
        ("    output: {a: ^", TYPES),
        ("    output: {a: list of ^", TYPES),
        (f"{A_TOOL}^", ["shop"]),
        (f"{A_TOOL}shop\n    with:\n      ^", ["q"]),
        (f"{A_MAP}ev^", ["event", "inputs"]),
        (f"{A_MAP}event.^", ["customer", "lines"]),
        (f"{A_MAP}event.lines\n    do: {{kind: ^", ["llm", "agent", "tool"]),
        ("  m:\n    kind: transform\n    accepts: {^", ["all", "any", "each"]),
        ("  m:\n    kind: transform\n    accepts: {all: [^", EVENTS),
        ("  m:\n    kind: human\n    accepts: Asked\n    form:\n      ok: ^", TYPES),
    ],
)
def test_in_a_step(marked: str, begins: list[str]) -> None:
    assert offered(SPEC.replace("@", marked))[: len(begins)] == begins


@pytest.mark.parametrize(
    ("marked", "begins"),
    [
        ("types:\n  Line: {sku: ^", TYPES),
        ("types:\n  Line: {sku: {^", ["type", "enum", "one_of"]),
        ("events:\n  A:\n    b: list of ^", TYPES),
        ("state:\n  a: {type: ^", TYPES),
        ('models: {fast: {use: "^', ["anthropic:", "google:", "openai:"]),
        ("models:\n  fast:\n    ^", ["use"]),
        ("defaults: {model: ^", ["fast"]),
        ("retries:\n  r: {^", POLICY),
        ("tests:\n  - ^", ["name", "expect"]),
        ("tests:\n  - name: a\n    start: {^", ["customer", "lines"]),
        ("tests:\n  - name: a\n    expect: {}\n  - ^", ["name", "expect"]),
        ("tests:\n  - name: a\n    expect: {end: Done}\n  - name: b\n    ^", ["expect", "start"]),
        (
            "tests:\n  - name: a\n    mock: {look: {error: ^",
            ["model", "model.refused", "model.invalid_output"],
        ),
        ("tests:\n  - name: a\n    mock:\n      look:\n        attempts:\n          - error: ti^", ["model"]),
        ("tests:\n  - name: a\n    mock: {look: {attempts: [{^", ["summary"]),
        ("tests:\n  - name: a\n    mock: {look: {give: {^", ["summary"]),
        ("tests:\n  - name: a\n    tools:\n      shop: {error: ^", ["tool", "timeout", "connection", "http"]),
        ("tests:\n  - name: a\n    expect: {fails: ^", ["agent"]),
        ("tests:\n  - name: a\n    expect: {ran: {^", ["look", "last"]),
        ("tests:\n  - name: a\n    expect:\n      ran:\n        ^", ["look", "last"]),
        ("tests:\n  - name: a\n    expect: {emitted: [^", EVENTS),
        ("tests:\n  - name: a\n    expect: {state: {^", ["count"]),
        ("tests:\n  - name: a\n    config: {^", ["base"]),
        ("retries:\n  r: {max_attempts: 2, retry_on: [^", ["agent"]),
        ("tests:\n  - name: a\n    expect: {with: {^", ["text"]),
        ("tests:\n  - name: a\n    mock:\n      look: {^", ["summary"]),
        ("tools:\n  t: {^", ["python", "http", "command", "openapi", "mcp", "workflow"]),
        ("tools:\n  t:\n    http:\n      ^", ["method", "url"]),
        ("receives:\n  ^", EVENTS),
    ],
)
def test_in_a_section(marked: str, begins: list[str]) -> None:
    assert offered(SPEC.replace("@", "    emit: Found") + marked)[: len(begins)] == begins


@pytest.mark.parametrize(
    ("marked", "all_of_it"),
    [
        ("tests:\n  - name: a\n    expect: {end: ^", ["Done"]),
        ("tests:\n  - name: a\n    expect:\n      end: D^", ["Done"]),
        ("tests:\n  - name: a\n    mock: {^", ["look"]),  # the other one has no action
        ("tests:\n  - name: a\n    mock:\n      lo^", ["look"]),
        ("tests:\n  - name: a\n    real: [^", ["look"]),
        ("tests:\n  - name: a\n    expect: {}\n  - name: b\n    like: ^\n  - name: c", ["a"]),
        (
            "tests:\n  - {name: 'a: b', expect: {}}\n  - {name: c, expect: {}}\n  - name: d\n    like: ^",
            ['"a: b"', "c"],
        ),
        ("tests:\n  - name: a\n    like: ^", []),
        ("tests:\n  - name: a\n    expect: {end: Done, with: {^", ["text"]),
    ],
)
def test_in_a_test_is_offered_only_what_can_stand_there(marked: str, all_of_it: list[str]) -> None:
    assert offered(SPEC.replace("@", "    emit: Found") + marked) == all_of_it


@pytest.mark.parametrize(
    ("words", "at", "said"),
    [
        ("event: Found", 1, "The event that is emitted"),
        ("when:", 1, "The condition under which"),
        ("each:", 1, "One event per item"),
        ("as: line", 1, "The name by which the item"),
        ("event.lines", 7, "`event.lines`: list of Line"),
        ("that: result.summary", 15, "`result.summary`: string"),
    ],
)
def test_keys_and_expressions_of_entries_are_explained(words: str, at: int, said: str) -> None:
    text = SPEC.replace(
        "@",
        '    require: [{that: result.summary != "x", say: no}]\n    emit:\n'
        '      - event: Found\n        when: result.summary == "a"\n        with: {text: a}\n'
        "      - each: {in: event.lines, as: line, event: Found, with: {text: a}, max: 5}\n      - Done",
    )
    documents = Documents()
    found = hover(documents, documents.put("/nowhere/a.yaml", text), text.index(words) + at)
    assert found is not None and said in found.said


OWNER = """\
wfc: 1
workflow: w
start: Asked
end: Done
parts: [./part.yaml]
imports: [./shared.yaml]
config: {base: {type: string, default: x}}
secrets: [api_key]
state: {count: {type: integer, default: 0}}
types: {Line: {sku: string, amount: integer}}
events: {Asked: {lines: list of Line}, Found: {text: string}, Done: {text: string}}
steps: {}
"""
PART = """\
wfc: 1
part: finding
accepts: Asked
emits: Found
steps:
  find:
    kind: llm
    accepts: Asked
    prompt: Find ${{ event.lines }}
    emit: Found
"""
SHARED = 'wfc: 1\nmodels: {fast: {use: "openai:gpt-5"}}\nsecrets: [other_key]\nevents: {Shown: {at: date}}\n'


@pytest.mark.parametrize("where", ["on disk", "open", "open and broken"])
@pytest.mark.parametrize(
    ("old", "marked", "labels"),
    [
        ("accepts: Asked\nemits", "accepts: ^\nemits", ["Asked", "Found", "Done", "Shown"]),
        ("emits: Found", "emits: [^", ["Asked", "Found", "Done", "Shown"]),
        ("    accepts: Asked\n", "    accepts: ^\n", ["Asked", "Found", "Done", "Shown"]),
        ("    prompt: ", "    model: ^\n    prompt: ", ["fast"]),
        ("event.lines", "event.^", ["lines"]),
        ("event.lines", "inputs.^", ["lines"]),
        ("event.lines", "state.^", ["count"]),
        ("event.lines", "config.^", ["base"]),
        ("${{ event.lines }}", "{% for a in event.lines %}${{ a.^", ["sku", "amount"]),
        ("    emit: Found", "    save: {^", ["count"]),
        ("    emit: Found", "    emit: {event: Found, with: {^", ["text"]),
        ("    prompt: Find ${{ event.lines }}\n", "    headers: {X: {secret: ^", ["api_key", "other_key"]),
    ],
)
def test_a_part_knows_what_its_workflow_declares(
    tmp_path: Path, where: str, old: str, marked: str, labels: list[str]
) -> None:
    (tmp_path / "wfc.toml").touch()
    (tmp_path / "shared.yaml").write_text(SHARED)
    documents, owner = Documents(), str(tmp_path / "a.yaml")
    if where == "on disk":
        Path(owner).write_text(OWNER)
    else:
        documents.put(owner, OWNER)
    if where == "open and broken":
        documents.put(owner, OWNER + "tests: [\n")
    assert PART.count(old) == 1
    text = PART.replace(old, marked)
    if "headers" in marked:
        text = text.replace("kind: llm", "kind: http")
    documents.put(str(tmp_path / "part.yaml"), PART)
    document = documents.put(str(tmp_path / "part.yaml"), text.replace("^", ""))
    assert [each.label for each in proposals(documents, document, text.index("^"))][: len(labels)] == labels


TEXTS = ["upper", "lower", "capitalize"]


@pytest.mark.parametrize(
    ("typed", "fit", "unfit"),
    [
        ("event.customer | ^", [*TEXTS, "title", "trim"], {"sum", "pluck", "round", "default"}),
        ("event.lines | ^", ["contains", "length", "first", "last"], {"upper", "sum", "keys"}),
        ("event.lines | pl^", ["contains", "length", "first", "last"], {"upper", "sum", "keys"}),
        (
            'event.lines | pluck("amount") | ^',
            ["contains", "length", "first", "last", "min", "max", "sum"],
            {"upper", "keys", "where"},
        ),
        ("event.lines | length | ^", ["round", "fixed", "floor", "ceil", "abs"], {"upper", "length"}),
        ("event.lines | first | ^", ["default", "with", "json"], {"upper", "length"}),
        ("[line.sku for line in event.lines] | co^", ["contains", "length", "first"], {"upper", "pluck"}),
        ("[line.sku for line in event.lines] | ^", ["contains", "length", "first"], {"upper", "pluck"}),
        ("[line.sku | ^ for line in event.lines]", TEXTS, {"sum", "pluck"}),
        ("run.now | ^", ["string", "datetime", "date", "format"], {"upper", "sum"}),
        ("inputs.customer ~ config.base | ^", TEXTS, {"sum", "default"}),
        ("state.count + 1 if state.count | ^", ["round", "fixed"], {"upper"}),
    ],
)
def test_filters_that_fit_the_value(typed: str, fit: list[str], unfit: set[str]) -> None:
    marked = SPEC.replace("@", "    emit: Found").replace("${{ event.customer }}", f"${{{{ {typed}")
    found = offered(marked)
    assert found[: len(fit)] == fit and not unfit & set(found)


CHAIN = "".join(f"  T{number}: {{a: T{number + 1}}}\n" for number in range(600)) + "  T600: {a: string}\n"
LISTS = CHAIN.replace("{a: T", "{type: list of T")
LINES = "  Lines: {type: list of Line}\n  Line: {more: Lines, to: Node}\n  Node: {next: Node, lines: Lines}\n"


@pytest.mark.parametrize(
    ("types", "type", "typed", "fit"),
    [
        (CHAIN, "T0", "event.a.a", {"with", "json"}),
        (CHAIN, "list of T0", "event.a", {"first", "length"}),
        (LINES, "Lines", "event.a", {"first", "length"}),
        (LINES, "Node", "event.a.next.lines", {"first", "length"}),
        (LISTS, "T0", "event.a", {"first", "length", "upper"}),  # a type of types of types: any of them
    ],
)
def test_filters_of_types_that_mention_each_other(types: str, type: str, typed: str, fit: set[str]) -> None:
    text = f"wfc: 1\nworkflow: w\nstart: A\nend: B\ntypes:\n{types}events: {{A: {{a: {type}}}, B: {{}}}}\n"
    marked = text + f'steps:\n  s:\n    kind: llm\n    accepts: A\n    prompt: "${{{{ {typed} | ^'
    found = set(offered(marked))
    assert fit <= found and ("upper" in fit) == ("upper" in found)


@pytest.mark.parametrize(
    "typed", ["event.customer + " * 700, "[" * 3_000, "event.customer ~ " * 300, "event.customer + ) " * 400]
)
def test_a_long_expression_takes_no_longer(typed: str) -> None:
    marked = SPEC.replace("@", "    emit: Found").replace(
        "${{ event.customer }}", f"${{{{ {typed}event.customer | ^"
    )
    offered(marked)  # which fills what is kept
    begin = time.process_time()
    assert "upper" in offered(marked)
    assert time.process_time() - begin < 0.4


TYPES_TO_CHOOSE = "string,integer,number,decimal,boolean,date,datetime,duration,any,list of string"


@pytest.mark.parametrize(
    ("marked", "insert"),
    [
        (
            "events:\n  ^",
            f"${{1:Name}}: {{${{2:field}}: ${{3|{TYPES_TO_CHOOSE}|}}}}",
        ),
        ("events: {^", ""),
        ("tests:\n  - ^", "name: ${1:what happens}\n    start: {${2}}\n    expect: {end: ${3|Done|}}"),
        ("tests:\n  - name: a\n    ^", ""),
        (
            "steps:\n  s:\n    kind: transform\n    accepts: Asked\n    emit:\n      - ^",
            "event: ${1|Done,Asked|}\n        when: ${2:condition}\n        with: {${3}}",
        ),
        ("steps:\n  s:\n    kind: transform\n    emit:\n      - event: Done\n        ^", ""),
    ],
)
def test_a_new_event_test_or_entry_as_a_whole(marked: str, insert: str) -> None:
    text = "wfc: 1\nworkflow: w\nstart: Asked\nend: Done\n"
    text += "" if marked.startswith("events") else "events: {Asked: {a: string}, Done: {}}\n"
    documents = Documents()
    document = documents.put("/nowhere/a.yaml", text + marked.replace("^", ""))
    found = proposals(documents, document, len(document.text))
    assert [each.insert for each in found if each.snippet] == ([insert] if insert else [])


HALF = """\
wfc: 1
workflow: w
start: Asked
end: Done
events: {Asked: {}, Sorted: {}, Packed: {}, Done: {}}
tools: {find: {python: a.b, output: string}}
steps:
  sort: {kind: transform, accepts: Asked, emit: [Sorted, Packed]}
  pack: {kind: transform, accepts: {any: [Sorted]}, emit: Done}
  ^
"""


@pytest.mark.parametrize(
    ("label", "lines"),
    [
        (
            "transform step",
            ["accepts: ${2|Packed,Asked,Sorted,Done|}", "emit: ${3}"],
        ),
        ("tool step", ["tool: ${3|find|}"]),
        ("workflow step", ["workflow: ${3|other|}"]),
        ("send step", ["event: ${3|Asked,Sorted,Packed,Done|}"]),
    ],
)
def test_a_new_step_lets_choose_among_what_fits(label: str, lines: list[str], tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text("wfc: 1\nworkflow: other\n")
    documents = Documents()
    document = documents.put(str(tmp_path / "w.yaml"), HALF.replace("^", ""))
    found = {each.label: each.insert for each in proposals(documents, document, HALF.index("^"))}
    assert {*lines} <= {each.strip() for each in found[label].split("\n")}, found[label]


def test_among_many_names_none_is_listed() -> None:
    events = ", ".join(f"E{number}: {{}}" for number in range(60))
    text = HALF.replace("Packed: {}", events)
    documents = Documents()
    document = documents.put("/nowhere/w.yaml", text.replace("^", ""))
    found = {each.label: each.insert for each in proposals(documents, document, text.index("^"))}
    assert "accepts: ${2}\n" in found["transform step"]


def test_the_name_of_a_new_workflow_is_no_other_ones(tmp_path: Path) -> None:
    (tmp_path / "old.yaml").write_text("wfc: 1\nworkflow: old\n")
    documents, text = Documents(), "wfc: 1\nworkflow: "
    document = documents.put(str(tmp_path / "new.yaml"), text)
    assert proposals(documents, document, len(text)) == []
    text += "w\nsteps:\n  a:\n    kind: workflow\n    workflow: "
    document = documents.put(str(tmp_path / "new.yaml"), text)
    assert [each.label for each in proposals(documents, document, len(text))] == ["old"]


def inserts(marked: str) -> dict[str, str]:
    documents, text = Documents(), marked.replace("^", "")
    document = documents.put("/nowhere/a.yaml", text)
    return {each.label: each.insert for each in proposals(documents, document, marked.index("^"))}


@pytest.mark.parametrize(
    ("marked", "key", "insert"),
    [
        ("^", "wfc", "wfc: 1"),
        ("wfc: 1\n^", "workflow", "workflow: "),
        ("wfc: 1\nworkflow: w\nen^", "end", "end: "),
        ("wfc: 1\nworkflow: w\nev^", "events", "events:\n  "),
        ("wfc: 1\nworkflow: w\n^", "knowledge", "knowledge:\n  "),
        ("wfc: 1\nworkflow: w\n^", "tests", "tests:\n  - "),
        ("wfc: 1\nworkflow: w\n^", "imports", "imports: "),
        ("wfc: 1\nworkflow: w\nev^: {}\n", "events", "events"),
        ("wfc: 1\nworkflow: w\nsteps:\n  a:\n    kind: llm\n    ^", "require", "require: "),
    ],
)
def test_a_section_begins_on_the_line_below(marked: str, key: str, insert: str) -> None:
    assert inserts(marked)[key] == insert


@pytest.mark.parametrize(
    ("marked", "first"),
    [
        ("^", ["new workflow", "wfc", "workflow", "start", "end", "events", "steps"]),
        ("wo^", ["new workflow", "wfc", "workflow"]),
        ("wfc: 1\n^", ["workflow", "start", "end", "events", "steps"]),
        ("wfc: 1\npart: p\n^", ["accepts", "emits", "steps"]),
    ],
)
def test_what_comes_first_in_a_new_file(marked: str, first: list[str]) -> None:
    found = inserts(marked)
    assert list(found)[: len(first)] == first
    if "new workflow" in found:
        written = re.sub(r"\$\{\d[:|](\w+)(,[\w, ]+\|)?\}|\$0", r"\1", found["new workflow"])
        step = "go: {kind: transform, accepts: Asked, emit: {event: Answered, with: {answer: yes indeed}}}"
        documents = Documents()
        assert not documents.findings(documents.put("/nowhere/b.yaml", f"{written}{step}\n"))


@pytest.mark.parametrize("typed", ["event.nothing | ^", "what | ^", "event.customer + | ^"])
def test_all_filters_where_the_value_is_not_known(typed: str) -> None:
    marked = SPEC.replace("@", "    emit: Found").replace("${{ event.customer }}", f"${{{{ {typed}")
    assert {"upper", "sum", "keys", "default"} <= set(offered(marked))


@pytest.mark.full
def test_filters_of_good_specs_are_among_those_that_fit() -> None:
    found, missing = 0, []
    for path in SPECS:
        documents, text = Documents(), path.read_text()
        document = documents.put(str(path), text)
        for used in re.finditer(r"(?<!\|)\| ([a-z_]+)\b", text):
            if used[1] in FILTERS and cursor_at(text, used.start(1)).kind == "expression":
                labels = [each.label for each in proposals(documents, document, used.start(1))]
                found += 1
                if used[1] not in labels:
                    missing.append((path.name, text[text.rfind("\n", 0, used.end()) + 1 : used.end()]))
    assert found > 100 and not missing, (found, missing)


def places(documents: Documents, path: Path) -> Iterator[tuple[str, int, str]]:
    """The keys and names in a good spec that somebody could be offered: of what kind, where, and which."""
    document = documents.put(str(path), path.read_text())
    if not isinstance(document.data, dict):
        return
    for each in document.nodes:
        if each.is_key and each.node.value != "wfc" and said_of(each.path, document.data):
            yield "key", each.node.start, each.node.value
    for name in mentions_in(document.text, document.nodes, document.data):
        if not (name.declares or name.of) and name.path[0] not in {"moved", "migrate"}:
            yield name.kind, name.start, name.name.rpartition(".")[2] if name.kind == "field" else name.name


@pytest.mark.full
def test_what_stands_in_good_specs_is_offered_where_it_stands() -> None:
    chance, found, missing = Random(1), 0, []  # noqa: S311
    for path in SPECS:
        documents, text = Documents(), path.read_text()
        known = list(places(documents, path))
        for kind, start, name in chance.sample(known, min(len(known), 12)):
            end = text.find("\n", start)
            for typed in ("", name[:1]):
                unfinished = f"{text[:start]}{typed}{text[end:] if end >= 0 else ''}"
                document = documents.put(str(path), unfinished)
                labels = {each.label for each in proposals(documents, document, start + len(typed))}
                found += name in labels
                if name not in labels:
                    missing.append((path.name, kind, name, text[:start].count("\n") + 1))
            documents.put(str(path), text)
    assert found > 2_000 and len(missing) < found / 100, missing


def test_choices_and_filters_are_explained() -> None:
    documents = Documents()
    text = SPEC.replace("@", "    emit: Found\n  m:\n    kind: \n    on_item_error: ")
    document = documents.put("/nowhere/a.yaml", text)
    kinds = {each.label: each for each in proposals(documents, document, text.index("kind: \n") + 6)}
    assert kinds["http"].about == "Sends one request." and kinds["wait"].about.startswith("Waits for a time")
    text = text.replace("kind: \n", "kind: map\n")
    document = documents.put("/nowhere/a.yaml", text)
    given = proposals(documents, document, text.index("on_item_error: ") + 15)
    assert [each.label for each in given] == ["fail", "skip", "{give: …}"]
    text = SPEC.replace("@", "    emit: {event: Found, with: {text: '${{ run.now | ")
    document = documents.put("/nowhere/a.yaml", text)
    found = {each.label: each for each in proposals(documents, document, text.index("run.now | ") + 10)}
    assert "in which directives such as" in found["format"].about


def test_a_workflow_without_ends_is_shown_without_them() -> None:
    documents, text = Documents(), SPEC.replace("@", "    emit: Found").replace("end: Done\n", "")
    found = hover(documents, documents.put("/nowhere/a.yaml", text), text.index("w\nstart"))
    assert found is not None and "None" not in found.said


def test_what_an_error_has_is_explained() -> None:
    text = SPEC.replace(
        "@", '    on_error: {event: Found, with: {text: "${{ error.message }}"}}\n    emit: Found'
    )
    documents = Documents()
    document = documents.put("/nowhere/a.yaml", text)
    found = hover(documents, document, text.index("error.message") + 8)
    assert found is not None and found.said == "`error.message`: string\n\nWhat went wrong, in words."
    fields = proposals(documents, document, text.index("error.message") + 6)
    assert {each.label for each in fields if each.about} == {"name", "message", "status", "body"}


@pytest.mark.parametrize(
    ("typed", "insert"),
    [
        ("    kind:^", " llm"),
        ("    kind: ^", "llm"),
        ("    model:^", " fast"),
        ("    retry:^", " standard"),
        ("    emit:^", " Done"),
        ("    when:^", " event"),
        ("    when: ^", "event"),
        ("    when:ev^", " event"),
        ("    kind:ll^", " llm"),
        ("    emit: {event: Done, when:^}", " event"),
        ("    emit: {event: Done, when:ev^}", " event"),
        ('    prompt: "${{ ev^ }}"', "event"),
        ('    emit: {fail: "there is ${{ event.^', "customer"),
        ('    emit: {fail: "there is ${{ event.customer | up^', "upper"),
    ],
)
def test_what_comes_in_behind_a_key_without_a_blank_has_one(typed: str, insert: str) -> None:
    where = typed.index("^")
    steps = f"  s:\n    kind: llm\n    accepts: Asked\n{typed.replace('^', '')}\n"
    if "kind:" in typed:
        steps = steps.replace("    kind: llm\n", "")
    begin = SPEC[: SPEC.index("steps:")] + "steps:\n"
    text = begin + steps
    documents = Documents()
    at = text.index(typed.replace("^", "")) + where
    found = proposals(documents, documents.put("/nowhere/a.yaml", text), at)
    assert insert in {each.insert or each.label for each in found}
    assert "emit: " not in {each.insert for each in found}


@pytest.mark.parametrize(
    ("use", "offered"),
    [
        ("use: ^", True),
        ("use:^", True),
        ("use: op^", True),
        ("use: openai:^", False),
        ("use: openai:gp^", False),
        ('use: "openai:^"', False),
    ],
)
def test_a_family_is_offered_until_one_is_there(use: str, offered: bool) -> None:
    for line in (f"  m: {{{use}}}", f"  m:\n    {use}"):
        text = f"wfc: 1\nworkflow: w\nmodels:\n{line}\n"
        documents = Documents()
        document = documents.put("/nowhere/a.yaml", text.replace("^", ""))
        found = {each.label for each in proposals(documents, document, text.index("^"))}
        assert ("anthropic:" in found) is offered
