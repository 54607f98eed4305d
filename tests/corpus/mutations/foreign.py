"""What belongs to GitHub Actions, Argo, Step Functions, Jinja, Python or JavaScript."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from sources import Site, Source

from mutations.mutant import Mutant, changed, mutation
from wfc.compiler.diagnostics import Place

STEP_KEYS = (
    "needs: [other]",
    "uses: actions/checkout@v4",
    "run: echo hello",
    "if: always()",
    "Next: other",
    "Type: Task",
    "depends_on: [other]",
    "template: main",
    "InputPath: $.x",
    "Parameters: {a: b}",
    "Catch: []",
    "Retry: []",
    "End: true",
    "env: {A: b}",
    "runs-on: ubuntu-latest",
    "name: A step",
    "dependencies: [a]",
    "steps: []",
    "outputs: {a: b}",
    "withItems: [a]",
    "withParam: x",
    "activeDeadlineSeconds: 5",
    "script: echo",
    "image: python",
    "continue-on-error: true",
    "goto: other",
    "next: other",
    "on_success: other",
    "on_failure: other",
    "inputs: {a: b}",
    "prompt_template: x",
    "max_retries: 3",
    "retries: 3",
    "node_type: x",
    "edges: [a]",
    "function: x",
    "action: x",
    "assert: x",
    "switch: [a]",
    "foreach: x",
    "parallel: true",
    "async: true",
    "sleep: 5",
    "log: hello",
)


@mutation()
def foreign_key_of_a_step(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, _ in source.everything:
        lines = source.lines_of(address) if len(address) == 3 and address[0] == "steps" else None
        if lines is None or address[2] != "kind":
            continue
        start, _ = source.document.stretch(Place(address, "key"))
        begun = source.text[lines[0] : start].strip() == ""
        indent = " " * (start - lines[0])
        for new in chance.sample(STEP_KEYS, 4) if begun else ():
            key = new.partition(":")[0]
            if key in source.data["steps"][address[1]]:
                continue
            text = source.with_text(lines[1], lines[1], f"{indent}{new}\n")
            at = lines[1] + len(indent)
            name = f"{source.name}: {'.'.join(map(str, address[:2]))}: {new}"
            yield Mutant(name, text, ("unknown-key",), at, at + len(key))


PATHS = re.compile(r"\$\{\{ *((?:event|inputs|state|result|config)\.\w+) *\}\}")
FORMS = (
    "{{{{ {} }}}}",
    "{{{{{}}}}}",
    "{{{}}}",
    "$.{last}",
    "${{{}}}",
    "{{{{inputs.parameters.{last}}}}}",
    "$({})",
    "<{}>",
    "{{{{ $json.{last} }}}}",
    "%{{{}}}",
    "#{{{}}}",
    "@{{{}}}",
    "[[{}]]",
    "{{% {} %}}",
    "{{{{= {} }}}}",
    "$${{{}}}",
    "${{{{ github.{last} }}}}",
    "${{{{ steps.other.outputs.{last} }}}}",
    "${{{{ env.{last} }}}}",
    "${{{{ needs.other.outputs.{last} }}}}",
    "${{{{ vars.{last} }}}}",
    "${{{{ $.{last} }}}}",
    "${{{{ {{{last}}} }}}}",
    "$ {{{{ {} }}}}",
    "${{ {} }}",
    "${{{{{{ {} }}}}}}",
)
AS_TEXT = (
    "braces-without-dollar",
    "expression-as-text",
    "unknown-name",
    "stray-character",
    "unexpected-token",
    "unclosed-braces",
    "expression-needs-quotes",
    "dollar-before-statement",
    "unknown-statement",
    "wrong-type",
    "text-cut-by-comment",
    "unknown-field",
    "wrong-value",
    "syntax-error",
    "wrong-argument",
    "wrong-fill",
    "tag",
    "bad-url",
    "no-tuple",
    "key-not-text",
)


@mutation(often_harmless=True)
def foreign_braces(source: Source, chance: Random) -> Iterator[Mutant]:
    """The one expression of a text, in the way in which another system writes it."""
    for address, value in source.everything:
        if not isinstance(value, str) or value.count("${{") != 1 or "\n" in value:
            continue
        start, end = source.document.stretch(Place(address))
        found = PATHS.search(source.text, start, end)
        if found is None:
            continue
        for form in chance.sample(FORMS, 4):
            new = form.format(found[1], last=found[1].partition(".")[2])
            text = source.with_text(found.start(), found.end(), new)
            name = f"{source.name}: {'.'.join(map(str, address))}: {found[0]} → {new}"
            yield Mutant(name, text, AS_TEXT, start, end + len(new) - len(found[0]), loose=True)


EXPRESSIONS = (
    (r"(?<!\w)(\w+(?:\.\w+)+) == ", r"\1 === "),
    (r"(?<!\w)(\w+(?:\.\w+)+) != ", r"\1 !== "),
    (r" and ", " && "),
    (r" or ", " || "),
    (r"^(.+) if (.+) else (.+)$", r"\2 ? \1 : \3"),
    (r"(?<!\w)(\w+)\.(\w+) is not none", r"\1.\2 is not None"),
    (r"(?<!\w)(\w+)\.(\w+) is none", r"\1.\2 === undefined"),
    (r"(?<!\w)(\w+)\.(\w+) is none", r"not \1.\2"),
    (r"(?<!\w)(\w+)\.(\w+) \| default\((.+)\)", r"\1.\2 ?? \3"),
    (r"(?<!\w)(\w+)\.(\w+) \| default\((.+)\)", r"\1?.\2 || \3"),
    (r"(?<!\w)(\w+)\.(\w+) \| length", r"len(\1.\2)"),
    (r"(?<!\w)(\w+)\.(\w+) \| length", r"\1.\2.length"),
    (r"(?<!\w)(\w+)\.(\w+)", r"\1['\2'].value"),
    (r"(?<!\w)(\w+)\.(\w+)", r"$.\2"),
    (r"(?<!\w)(\w+)\.(\w+)", r"\1->\2"),
    (r"(?<!\w)(\w+)\.(\w+)", r"\1::\2"),
    (r"(?<!\w)(\w+)\.(\w+)", r"$\1.\2"),
    (r"(?<!\w)(\w+)\.(\w+)", r"\1.get('\2')"),
    (r"(?<!\w)(\w+)\.(\w+)", r"{\1.\2}"),
    (r"(?<!\w)(\w+)\.(\w+)", r"{{ \1.\2 }}"),
    (r"(?<!\w)(\w+)\.(\w+)", r"${{ \1.\2 }}"),
    (r"(?<!\w)(\w+)\.(\w+)", r"github.event.\2"),
    (r"(?<!\w)(\w+)\.(\w+)", r"context.\2"),
    (r"(?<!\w)(\w+)\.(\w+)", r"await \1.\2"),
    (r"(?<!\w)(\w+)\.(\w+)", r"f'{\1.\2}'"),
    (r"(?<!\w)(\w+)\.(\w+)", r"`${\1.\2}`"),
    (r"\btrue\b", "True"),
    (r"\bfalse\b", "False"),
    (r"\bnone\b", "null"),
    (r"\bnone\b", "undefined"),
    (r" ~ ", " + "),
    (r" ~ ", " . "),
    (r"\bnot (\w+\.\w+)", r"\1 == no"),
)


@mutation(often_harmless=True)
def foreign_expression(source: Source, chance: Random) -> Iterator[Mutant]:
    """An expression of JavaScript, Python and others."""
    for site in source.expressions():
        fitting = [(pattern, new) for pattern, new in EXPRESSIONS if re.search(pattern, site.value.strip())]
        for pattern, new in chance.sample(fitting, min(2, len(fitting))):
            value = re.sub(pattern, new, site.value, count=1)
            if value != site.value and "event is" not in site.value:
                start = site.start
                yield Mutant(
                    f"{source.name}: {'.'.join(map(str, site.address))}: {site.value.strip()} → {value.strip()}",
                    source.with_text(site.start, site.end, value),
                    IN_EXPRESSIONS,
                    start - 3,
                    start + len(value) + 3,
                    loose=True,
                )


IN_EXPRESSIONS = (
    "foreign-operator",
    "unexpected-token",
    "stray-character",
    "unknown-name",
    "method-call",
    "unknown-test",
    "no-fields",
    "unknown-operator",
    "not-a-condition",
    "no-arithmetic",
    "condition-may-be-null",
    "unfinished-expression",
    "syntax-error",
    "unclosed-braces",
    "braces-in-expression",
    "unknown-field",
    "tag",
    "text-cut-by-colon",
    "expression-needs-quotes",
    "not-a-map",
    "no-parts",
    "never-null",
    "text-cut-by-comma",
    "unclosed-bracket",
    "wrong-index",
    "expression-as-text",
    "braces-without-dollar",
    "key-not-text",
    "may-be-null",
)
FLOW_KEYS = (
    "on: push",
    "jobs: {}",
    "name: a",
    "permissions: read",
    "env: {A: b}",
    "apiVersion: argoproj.io/v1alpha1",
    "spec: {}",
    "StartAt: a",
    "States: {}",
    "Comment: a",
    "entrypoint: main",
    "inputs: {a: string}",
    "outputs: {a: string}",
    "nodes: []",
    "edges: []",
    "variables: {a: 1}",
    "version: 2.1",
    "services: {}",
    "hosts: all",
    "tasks: []",
    "schedule: daily",
    "defaults_run: a",
    "imports_from: a",
    "functions: {}",
    "agents_config: a",
    "timeout: 5 min",
    "retry: {max_attempts: 3}",
)


@mutation()
def foreign_section(source: Source, chance: Random) -> Iterator[Mutant]:
    lines = source.lines_of(("events",))
    for new in chance.sample(FLOW_KEYS, 3) if lines else ():
        key = new.partition(":")[0]
        if key in source.data or lines is None:
            continue
        text = source.with_text(lines[0], lines[0], f"{new}\n")
        codes = ("unknown-key", "missing-key", "wrong-type", "former-key", "misplaced-key")
        yield Mutant(f"{source.name}: {new}", text, codes, lines[0], lines[0] + len(new), loose=True)


@mutation(often_harmless=True)
def foreign_condition(source: Source, chance: Random) -> Iterator[Mutant]:
    """A condition in braces of any kind."""
    for site in source.expressions():
        if site.address[-1] in {"when", "that"}:
            new = chance.choice(
                [
                    '"{{{{ {} }}}}"',
                    '"{{{{{}}}}}"',
                    '"{{% if {} %}}"',
                    "${{{{ {} }}}}",
                    "$({})",
                    "[{}]",
                    "{{{}}}",
                    "!{}",
                    "if {}",
                    "({}) == true",
                    "{}:",
                    "{};",
                    "{}?",
                    "`{}`",
                    "{} then",
                    '"{}"',
                ]
            )
            yield changed(
                source,
                Site(site.address, site.value, site.start, site.end),
                new.format(site.value),
                IN_CONDITIONS,
                loose=True,
            )


IN_CONDITIONS = (
    *IN_EXPRESSIONS,
    "wrong-type",
    "text-cut-by-comment",
    "statement-elsewhere",
    "condition-with-else",
    "no-tuple",
)
