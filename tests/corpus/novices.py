"""Mistakes as people make them who are new to the language, or come from another one: one change of one spec each."""

from __future__ import annotations

__all__ = ["SPEC", "TABLE"]

SPEC = """\
wfc: 1
workflow: shop
description: Answer what customers ask
start: Asked
end: [Done, Refused]
secrets: [MODEL_KEY]
config:
  desk_url: {type: string, format: uri}

models:
  fast: {use: "openai:gpt-4o-mini", api_key: MODEL_KEY, temperature: 0}

tools:
  find_order: {python: "shop.orders:find", args: {order_id: string}, output: Order, read_only: true}

retries:
  patient: {max_attempts: 3, delay: 2s}

types:
  Order: {id: string, total: number, items: list of string}

events:
  Asked: {order_id: string, text: string, note: optional string}
  OrderFound: {order: Order}
  Judged: {category: string, urgent: boolean}
  Ready: {category: string}
  Drafted: {answer: string}
  Done: {answer: string}
  Refused: {reason: string}

state:
  urgent: {type: boolean, default: false}

steps:
  look_up:
    kind: tool
    accepts: Asked
    tool: find_order
    with:
      order_id: ${{ event.order_id }}
    timeout: 30s
    retry: patient
    emit: OrderFound

  judge:
    kind: llm
    accepts: Asked
    model: fast
    prompt: |
      Judge this: ${{ event.text }}
    output: {category: {enum: [good, bad]}, urgent: boolean}
    save: [urgent]
    emit: Judged

  gather:
    kind: transform
    accepts: {all: [OrderFound, Judged]}
    emit:
      - event: Refused
        when: events.order.total > 100 and events.urgent
        with: {reason: too much}
      - event: Ready
        with: {category: "${{ events.category }}"}

  reply:
    kind: llm
    accepts: Ready
    model: fast
    prompt: |
      Answer as ${{ event.category }}. ${{ inputs.note | default("") }}
    output: {answer: string}
    emit: Drafted

  approve:
    kind: human
    accepts: Drafted
    assign: ["group:support"]
    title: Send this answer
    show: |
      ${{ event.answer }}
    form: {decision: {enum: [send, drop]}}
    within: 4h
    on_timeout: {event: Refused, with: {reason: nobody looked}}
    emit:
      - event: Done
        when: result.decision == "send"
        with: {answer: "${{ event.answer }}"}
      - event: Refused
        with: {reason: dropped}

tests:
  - name: a good question is answered
    start: {order_id: A1, text: hello}
    mock:
      look_up: {id: A1, total: 3, items: [cup]}
      judge: {category: good, urgent: false}
      reply: {answer: fine}
      approve: {decision: send}
    expect: {end: Done, with: {answer: fine}}
"""

TABLE: list[tuple[str, str, str, str, str]] = [
    (
        "&& for and",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: events.order.total > 100 && events.urgent\n",
        "foreign-operator",
        "write `and`",
    ),
    (
        "|| for or",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: events.order.total > 100 || events.urgent\n",
        "foreign-operator",
        "write `or`",
    ),
    (
        "AND in capitals",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: events.order.total > 100 AND events.urgent\n",
        "foreign-operator",
        "write `and`",
    ),
    (
        "=== of JavaScript",
        "        when: events.order.total > 100 and events.urgent\n",
        '        when: events.category === "good"\n',
        "foreign-operator",
        "write `==`",
    ),
    (
        "= for ==",
        "        when: events.order.total > 100 and events.urgent\n",
        '        when: events.category = "good"\n',
        "foreign-operator",
        "write `==`",
    ),
    (
        "<> for !=",
        "        when: events.order.total > 100 and events.urgent\n",
        '        when: events.category <> "good"\n',
        "foreign-operator",
        "write `!=`",
    ),
    (
        "! for not",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: !events.urgent\n",
        "tag",
        "write `not events.urgent`",
    ),
    (
        "NOT in capitals",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: NOT events.urgent\n",
        "foreign-operator",
        "write `not`",
    ),
    (
        "FALSE in capitals",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: events.urgent == FALSE\n",
        "unknown-name",
        "write `false`",
    ),
    (
        "is true",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: events.urgent is true\n",
        "unknown-test",
        "compare: write `== true`",
    ),
    (
        "None of Python",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: events.category == None\n",
        "never-null",
        "",
    ),
    (
        "undefined",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: inputs.note == undefined\n",
        "unknown-name",
        "write `none`",
    ),
    (
        "nil",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: inputs.note == nil\n",
        "unknown-name",
        "write `none`",
    ),
    (
        "!= null of JavaScript",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: inputs.note !== null\n",
        "foreign-operator",
        "write `!=`",
    ),
    (
        "x.length",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: events.order.items.length > 2\n",
        "no-fields",
        "write `events.order.items | length`",
    ),
    (
        "x.length()",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: events.order.items.length() > 2\n",
        "method-call",
        "write `events.order.items | length`",
    ),
    (
        "x.size()",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: events.order.items.size() > 2\n",
        "method-call",
        "write `events.order.items | length`",
    ),
    (
        "len(x)",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: len(events.order.items) > 2\n",
        "method-call",
        "write `events.order.items | length`",
    ),
    (
        "x.count",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: events.order.items.count > 2\n",
        "no-fields",
        "write `events.order.items | length`",
    ),
    (
        "x.lower()",
        "        when: events.order.total > 100 and events.urgent\n",
        '        when: events.category.lower() == "good"\n',
        "method-call",
        "write `events.category | lower`",
    ),
    (
        "x.toLowerCase()",
        "        when: events.order.total > 100 and events.urgent\n",
        '        when: events.category.toLowerCase() == "good"\n',
        "method-call",
        "write `events.category | lower`",
    ),
    (
        "x.startswith()",
        "        when: events.order.total > 100 and events.urgent\n",
        '        when: events.category.startswith("g")\n',
        "method-call",
        "write `events.category | starts_with(…)`",
    ),
    (
        "x.contains()",
        "        when: events.order.total > 100 and events.urgent\n",
        '        when: events.category.contains("g")\n',
        "method-call",
        "write `events.category | contains(…)`",
    ),
    (
        "contains(x, y)",
        "        when: events.order.total > 100 and events.urgent\n",
        '        when: contains(events.category, "g")\n',
        "method-call",
        "write `events.category | contains(…)`",
    ),
    (
        "includes",
        "        when: events.order.total > 100 and events.urgent\n",
        '        when: events.order.items.includes("cup")\n',
        "method-call",
        "write `events.order.items | contains(…)`",
    ),
    (
        "a text without quotes",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: events.category == good\n",
        "unknown-name",
        "there are `inputs`, `state`, `config`, `run`, `events`; a te",
    ),
    (
        "curly quotes",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: events.category == “good”\n",
        "stray-character",
        "texts stand in straight quotes",
    ),
    (
        "a ? b : c",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: (events.urgent ? true : false)\n",
        "text-cut-by-colon",
        "write `a if condition else b`",
    ),
    (
        "braces in a condition",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: ${{ events.urgent }}\n",
        "stray-character",
        "this is an expression already: leave out `${{` and `}}`",
    ),
    (
        "Jinja braces in a condition",
        "        when: events.order.total > 100 and events.urgent\n",
        '        when: "{{ events.urgent }}"\n',
        "stray-character",
        "this is an expression already: leave out `{{` and `}}`",
    ),
    (
        "chained comparison",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: 1 < events.order.total < 100\n",
        "chained-comparison",
        "join the two with `and`",
    ),
    (
        "a comparison in words",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: events.order.total greater than 100\n",
        "unexpected-token",
        "what stands side by side needs an operator between",
    ),
    (
        "between",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: events.order.total between 1 and 100\n",
        "unexpected-token",
        "write `1 <= x and x <= 3`",
    ),
    (
        "x in a range",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: events.order.total in 1..100\n",
        "unexpected-token",
        "",
    ),
    (
        "power sign",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: events.order.total ** 2 > 100\n",
        "no-power",
        "multiply with `*`, or let a tool compute it",
    ),
    (
        "a text compared with a number",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: events.category > 5\n",
        "not-ordered",
        "",
    ),
    (
        "a number as text",
        "        when: events.order.total > 100 and events.urgent\n",
        '        when: events.order.total > "100"\n',
        "not-ordered",
        "write `100` without quotes",
    ),
    (
        "semicolon at the end",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: events.urgent;\n",
        "unexpected-token",
        "leave out the `;`",
    ),
    (
        "colon at the end",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: events.urgent:\n",
        "text-cut-by-colon",
        "leave it out, or put the whole value in quotes",
    ),
    (
        "if before it",
        "        when: events.order.total > 100 and events.urgent\n",
        "        when: if events.urgent\n",
        "unexpected-token",
        "the condition alone is wanted, without `if`",
    ),
    (
        "a list given to ==",
        "        when: events.order.total > 100 and events.urgent\n",
        '        when: events.category == ["good", "bad"]\n',
        "not-comparable",
        "",
    ),
    (
        "or as in speech",
        "        when: events.order.total > 100 and events.urgent\n",
        '        when: events.category == "good" or "bad"\n',
        "not-a-condition",
        'write `events.category == "bad"`',
    ),
    (
        "an index by dot",
        "        when: events.order.total > 100 and events.urgent\n",
        '        when: events.order.items.0 == "cup"\n',
        "unexpected-token",
        "an item of a list is asked for in brackets: `[0]`",
    ),
    (
        "dollar and one brace",
        "      Judge this: ${{ event.text }}\n",
        "      Judge this: ${ event.text }\n",
        "expression-as-text",
        "write `${{ event.text }}`",
    ),
    (
        "mustache",
        "      Judge this: ${{ event.text }}\n",
        "      Judge this: {{ event.text }}\n",
        "braces-without-dollar",
        "write `${{`",
    ),
    (
        "one brace as in Python",
        "      Judge this: ${{ event.text }}\n",
        "      Judge this: {event.text}\n",
        "expression-as-text",
        "write `${{ event.text }}`",
    ),
    (
        "dollar name",
        "      Judge this: ${{ event.text }}\n",
        "      Judge this: $event.text\n",
        "expression-as-text",
        "write `${{ event.text }}`",
    ),
    (
        "angle brackets",
        "      Judge this: ${{ event.text }}\n",
        "      Judge this: <%= event.text %>\n",
        "expression-as-text",
        "write `${{ event.text }}`",
    ),
    (
        "f-string",
        "      Judge this: ${{ event.text }}\n",
        '      Judge this: f"{event.text}"\n',
        "expression-as-text",
        "write `${{ event.text }}`",
    ),
    (
        "dollar before the name inside",
        "      Judge this: ${{ event.text }}\n",
        "      Judge this: ${{ $event.text }}\n",
        "stray-character",
        "names and numbers stand without `$`",
    ),
    (
        "a field without event",
        "      Judge this: ${{ event.text }}\n",
        "      Judge this: ${{ text }}\n",
        "unknown-name",
        "write `event.text`",
    ),
    (
        "input for inputs",
        "      Judge this: ${{ event.text }}\n",
        "      Judge this: ${{ input.text }}\n",
        "unknown-name",
        "did you mean `inputs`?",
    ),
    (
        "GitHub's steps context",
        "      Judge this: ${{ event.text }}\n",
        "      Judge this: ${{ steps.look_up.outputs.total }}\n",
        "unknown-name",
        "what a step gave is in the event that it emitted (`event`, in",
    ),
    (
        "env",
        "      Judge this: ${{ event.text }}\n",
        "      Judge this: ${{ env.MODEL_KEY }}\n",
        "unknown-name",
        "a secret is never part of a text: it stands in `auth`",
    ),
    (
        "secrets in a prompt",
        "      Judge this: ${{ event.text }}\n",
        "      Judge this: ${{ secrets.MODEL_KEY }}\n",
        "unknown-name",
        "a secret is never part of a text: it stands in `auth`, in `a",
    ),
    (
        "filter as a function",
        "      Judge this: ${{ event.text }}\n",
        "      Judge this: ${{ upper(event.text) }}\n",
        "method-call",
        "write `event.text | upper`",
    ),
    (
        "filter by another name",
        "      Judge this: ${{ event.text }}\n",
        "      Judge this: ${{ event.text | uppercase }}\n",
        "unknown-filter",
        "did you mean `upper`?",
    ),
    (
        "two pipes",
        "      Judge this: ${{ event.text }}\n",
        '      Judge this: ${{ inputs.note || "none" }}\n',
        "foreign-operator",
        "write `| default(…)`",
    ),
    (
        "?? of JavaScript",
        "      Judge this: ${{ event.text }}\n",
        '      Judge this: ${{ inputs.note ?? "none" }}\n',
        "foreign-operator",
        "write `| default(…)`",
    ),
    (
        "or for a default",
        "      Judge this: ${{ event.text }}\n",
        '      Judge this: ${{ inputs.note or "none" }}\n',
        "not-a-condition",
        'write `inputs.note | default("none")`',
    ),
    (
        "?. of JavaScript",
        "      Judge this: ${{ event.text }}\n",
        "      Judge this: ${{ inputs?.note }}\n",
        "foreign-operator",
        "write `.`, and `| default(…)`",
    ),
    (
        "plus between text and number",
        "      Judge this: ${{ event.text }}\n",
        "      Judge this: ${{ event.text + 1 }}\n",
        "no-arithmetic",
        "to put texts together write `~`; a number is made of a text",
    ),
    (
        "a template text of JavaScript",
        "      Judge this: ${{ event.text }}\n",
        "      Judge this: ${{ `hello` }}\n",
        "stray-character",
        "texts stand in straight quotes",
    ),
    (
        "set in a prompt",
        "      Judge this: ${{ event.text }}\n",
        "      Judge this: {% set x = 1 %}\n",
        "unknown-statement",
        "there are `for`, `if`, `elif`, `else`, `endfor`, `endif`, `use`",
    ),
    (
        "include in a prompt",
        "      Judge this: ${{ event.text }}\n",
        '      Judge this: {% include "x" %}\n',
        "unknown-statement",
        "there are `for`, `if`, `elif`, `else`, `endfor`, `endif`",
    ),
    (
        "endif forgotten",
        "      Judge this: ${{ event.text }}\n",
        "      Judge this: {% if event.text %}x\n",
        "statement-not-ended",
        "add `{% endif %}`",
    ),
    (
        "else if",
        "      Judge this: ${{ event.text }}\n",
        '      Judge this: {% if event.text == "a" %}x{% else if event.text == "b" %}y{% endif %}\n',
        "unexpected-token",
        "",
    ),
    (
        "mustache in with",
        "      order_id: ${{ event.order_id }}\n",
        '      order_id: "{{ event.order_id }}"\n',
        "braces-without-dollar",
        "write `${{`",
    ),
    (
        "bare event in with",
        "      order_id: ${{ event.order_id }}\n",
        "      order_id: event.order_id\n",
        "expression-as-text",
        "write `${{ event.order_id }}`",
    ),
    (
        "one brace in with",
        "      order_id: ${{ event.order_id }}\n",
        "      order_id: {event.order_id}\n",
        "text-cut-by-comma",
        'a value is put in by `"${{ event.order_id }}"`',
    ),
    (
        "unquoted braces in flow",
        "      order_id: ${{ event.order_id }}\n",
        "      {order_id: ${{ event.order_id }}}\n",
        "expression-needs-quotes",
        'write `"${{ … }}"`',
    ),
    (
        "dict() in with",
        "      order_id: ${{ event.order_id }}\n",
        "      order_id: ${{ dict(a=1) }}\n",
        "method-call",
        "what changes a value is a filter after `|`, or a tool",
    ),
    (
        "int()",
        "      order_id: ${{ event.order_id }}\n",
        "      order_id: ${{ int(event.order_id) }}\n",
        "method-call",
        "write `event.order_id | integer`",
    ),
    (
        "str()",
        "      order_id: ${{ event.order_id }}\n",
        "      order_id: ${{ str(event.order_id) }}\n",
        "method-call",
        "write `event.order_id | string`",
    ),
    (
        "if for when",
        "        when: events.order.total > 100 and events.urgent\n",
        "        if: events.order.total > 100 and events.urgent\n",
        "unknown-key",
        "write `when`",
    ),
    (
        "condition for when",
        "        when: events.order.total > 100 and events.urgent\n",
        "        condition: events.order.total > 100 and events.urgent\n",
        "unknown-key",
        "write `when`",
    ),
    ("next for emit", "    emit: OrderFound\n", "    next: gather\n", "unknown-key", "write `emit`"),
    ("goto for emit", "    emit: OrderFound\n", "    goto: gather\n", "unknown-key", "write `emit`"),
    ("then for emit", "    emit: OrderFound\n", "    then: gather\n", "unknown-key", "write `emit`"),
    (
        "emits for emit",
        "    emit: OrderFound\n",
        "    emits: OrderFound\n",
        "unknown-key",
        "did you mean `emit`?",
    ),
    (
        "a step where an event is emitted",
        "    emit: OrderFound\n",
        "    emit: gather\n",
        "unknown-event",
        "`gather` is a step; steps are tied by events: one emits what",
    ),
    (
        "a step where an event is accepted",
        "    accepts: Ready\n",
        "    accepts: gather\n",
        "unknown-event",
        "`gather` is a step; steps are tied by events: one emits what",
    ),
    (
        "needs for accepts",
        "    kind: tool\n    accepts: Asked\n",
        "    kind: tool\n    needs: Asked\n",
        "unknown-key",
        "write `accepts`",
    ),
    (
        "depends_on",
        "    kind: llm\n    accepts: Ready\n",
        "    kind: llm\n    depends_on: [gather]\n",
        "unknown-key",
        "write `accepts`",
    ),
    (
        "on for accepts",
        "    kind: tool\n    accepts: Asked\n",
        "    kind: tool\n    on: Asked\n",
        "unknown-key",
        "write `accepts`",
    ),
    (
        "trigger",
        "    kind: tool\n    accepts: Asked\n",
        "    kind: tool\n    trigger: Asked\n",
        "unknown-key",
        "write `accepts`",
    ),
    (
        "type for kind",
        "  look_up:\n    kind: tool\n",
        "  look_up:\n    type: tool\n",
        "unknown-key",
        "write `kind`",
    ),
    (
        "uses for kind",
        "  look_up:\n    kind: tool\n",
        "  look_up:\n    uses: tool\n",
        "unknown-key",
        "write `kind`",
    ),
    (
        "action",
        "  look_up:\n    kind: tool\n",
        "  look_up:\n    action: tool\n",
        "unknown-key",
        "write `kind`",
    ),
    ("run of GitHub", "    tool: find_order\n", "    run: python find.py\n", "unknown-key", "write `tool`"),
    (
        "function for tool",
        "    tool: find_order\n",
        "    function: find_order\n",
        "unknown-key",
        "write `tool`",
    ),
    (
        "args for with",
        "    with:\n      order_id",
        "    args:\n      order_id",
        "former-key",
        "write `with`",
    ),
    (
        "input for with",
        "    with:\n      order_id",
        "    input:\n      order_id",
        "unknown-key",
        "write `with`",
    ),
    (
        "parameters for with",
        "    with:\n      order_id",
        "    parameters:\n      order_id",
        "unknown-key",
        "write `with`",
    ),
    (
        "name in a step",
        "  look_up:\n    kind: tool\n    accepts: Asked\n",
        "  look_up:\n    name: Look up\n    kind: tool\n    accepts: Asked\n",
        "unknown-key",
        "the name is the key under which it stands; for more words th",
    ),
    (
        "id in a step",
        "  look_up:\n    kind: tool\n    accepts: Asked\n",
        "  look_up:\n    id: look_up\n    kind: tool\n    accepts: Asked\n",
        "unknown-key",
        "the name is the key under which it stands; for more words th",
    ),
    (
        "comment key",
        "  look_up:\n    kind: tool\n    accepts: Asked\n",
        "  look_up:\n    comment: hello\n    kind: tool\n    accepts: Asked\n",
        "unknown-key",
        "write a comment after `#`, or a `description`",
    ),
    (
        "timeout-minutes",
        "    timeout: 30s\n",
        "    timeout-minutes: 5\n",
        "unknown-key",
        "write `timeout: 5 min`",
    ),
    (
        "continue-on-error",
        "    timeout: 30s\n",
        "    continue-on-error: true\n",
        "unknown-key",
        "write `on_error: [nothing]`",
    ),
    (
        "retries for retry",
        "    retry: patient\n",
        "    retries: 3\n",
        "unknown-key",
        "write `retry: {max_attempts: 4}`: the first attempt is counted too",
    ),
    (
        "retry as a number",
        "    retry: patient\n",
        "    retry: 3\n",
        "wrong-type",
        "write `{max_attempts: 3}`",
    ),
    (
        "max_retries",
        "    retry: patient\n",
        "    max_retries: 3\n",
        "unknown-key",
        "write `retry: {max_attempts: 4}`: the first attempt is counted too",
    ),
    (
        "timeout as a number",
        "    timeout: 30s\n",
        "    timeout: 30\n",
        "wrong-type",
        "write a unit, such as `30s`",
    ),
    (
        "timeout in words",
        "    timeout: 30s\n",
        "    timeout: half a minute\n",
        "bad-duration",
        "write a number and a unit, such as `30s` or `5 min`",
    ),
    (
        "timeout 2m",
        "    timeout: 30s\n",
        "    timeout: 2m\n",
        "bad-duration",
        "`m` may be minutes or months: write `2 min`, or days for months",
    ),
    (
        "timeout 1h30m",
        "    timeout: 30s\n",
        "    timeout: 1h30m\n",
        "bad-duration",
        "`m` may be minutes or months: write `1h 30 min`, or days for months",
    ),
    (
        "ISO duration",
        "    timeout: 30s\n",
        "    timeout: PT30S\n",
        "bad-duration",
        "write a number and a unit, such as `30s` or `5 min`",
    ),
    (
        "system_prompt",
        "    prompt: |\n      Judge",
        "    system_prompt: |\n      Judge",
        "unknown-key",
        "write `system`",
    ),
    (
        "messages for prompt",
        "    prompt: |\n      Judge",
        "    messages: |\n      Judge",
        "unknown-key",
        "write `prompt`",
    ),
    (
        "instructions for prompt",
        "    prompt: |\n      Judge",
        "    instructions: |\n      Judge",
        "unknown-key",
        "write `prompt`",
    ),
    (
        "a provider's model in a step",
        "    kind: llm\n    accepts: Asked\n    model: fast\n",
        "    kind: llm\n    accepts: Asked\n    model: gpt-4o-mini\n",
        "unknown-model",
        "there is `fast`",
    ),
    (
        "response_format",
        "    output: {category: {enum: [good, bad]}, urgent: boolean}\n",
        "    response_format: {category: {enum: [good, bad]}, urgent: boolean}\n",
        "unknown-key",
        "write `output`",
    ),
    (
        "outputs for output",
        "    output: {answer: string}\n",
        "    outputs: {answer: string}\n",
        "unknown-key",
        "did you mean `output`?",
    ),
    ("kind python", "    kind: tool\n", "    kind: python\n", "unknown-kind", "write `tool`"),
    (
        "kind llm_call",
        "    kind: llm\n    accepts: Ready\n",
        "    kind: llm_call\n    accepts: Ready\n",
        "unknown-kind",
        "write `llm`",
    ),
    ("kind join", "    kind: transform\n", "    kind: join\n", "unknown-kind", "write `transform`"),
    ("kind approval", "    kind: human\n", "    kind: approval\n", "unknown-kind", "write `human`"),
    ("kind if", "    kind: transform\n", "    kind: if\n", "unknown-kind", "write `transform`"),
    ("kind function", "    kind: tool\n", "    kind: function\n", "unknown-kind", "write `tool`"),
    (
        "accepts with and",
        "{all: [OrderFound, Judged]}",
        "OrderFound and Judged",
        "unknown-event",
        "write `{all: [OrderFound, Judged]}`",
    ),
    (
        "accepts with plus",
        "{all: [OrderFound, Judged]}",
        "OrderFound + Judged",
        "unknown-event",
        "write `{all: [OrderFound, Judged]}`",
    ),
    (
        "accepts without brackets",
        "{all: [OrderFound, Judged]}",
        "OrderFound, Judged",
        "unknown-event",
        "write `[OrderFound, Judged]`",
    ),
    (
        "all without brackets",
        "{all: [OrderFound, Judged]}",
        "{all: OrderFound, Judged}",
        "text-cut-by-comma",
        "write a list, `all: […, Judged]`",
    ),
    (
        "waits for a join by all_of",
        "{all: [OrderFound, Judged]}",
        "{all_of: [OrderFound, Judged]}",
        "unknown-key",
        "did you mean `all`?",
    ),
    (
        "steps as a list",
        "  look_up:\n    kind: tool\n",
        "  - look_up:\n    kind: tool\n",
        "syntax-error",
        "begin it with `- `, or mend its indentation",
    ),
    (
        "events as a list of names",
        "  Asked: {order_id: string, text: string, note: optional string}\n",
        "  - Asked\n",
        "syntax-error",
        "begin it with `- `, or mend its indentation",
    ),
    ("nodes for steps", "\nsteps:\n", "\nnodes:\n", "unknown-key", "write `steps`"),
    ("jobs for steps", "\nsteps:\n", "\njobs:\n", "unknown-key", "write `steps`"),
    ("tasks for steps", "\nsteps:\n", "\ntasks:\n", "unknown-key", "write `steps`"),
    (
        "edges",
        "\nsteps:\n",
        "\nedges:\n  - [look_up, gather]\nsteps:\n",
        "unknown-key",
        "steps are tied by events: one emits what the other accepts",
    ),
    ("inputs for start", "start: Asked\n", "inputs: Asked\n", "unknown-key", "write `start`"),
    ("on at the top", "start: Asked\n", "on: Asked\n", "unknown-key", "write `start`"),
    ("outputs for end", "end: [Done, Refused]\n", "outputs: [Done, Refused]\n", "unknown-key", "write `end`"),
    ("name for workflow", "workflow: shop\n", "name: shop\n", "unknown-key", "write `workflow`"),
    ("wfc 1.0", "wfc: 1\n", "wfc: 1.0\n", "unknown-value", "it can be `1`"),
    ("wfc in quotes", "wfc: 1\n", 'wfc: "1"\n', "unknown-value", "write `1` without quotes"),
    ("variables for state", "state:\n", "variables:\n", "unknown-key", "write `state`"),
    ("env for config", "config:\n", "env:\n", "unknown-key", "write `config`"),
    ("schemas for types", "types:\n", "schemas:\n", "unknown-key", "write `types`"),
    ("agents for models", "models:\n", "llms:\n", "unknown-key", "write `models`"),
    ("spaces in a name", "workflow: shop\n", "workflow: My Shop\n", "bad-name", "write `my_shop`"),
    ("dashes in a name", "workflow: shop\n", "workflow: my-shop\n", "bad-name", "write `my_shop`"),
    (
        "secret written out",
        "api_key: MODEL_KEY",
        "api_key: sk-123456",
        "unknown-secret",
        "there is `MODEL_KEY`",
    ),
    (
        "secret in braces",
        "api_key: MODEL_KEY",
        'api_key: "${{ secrets.MODEL_KEY }}"',
        "unknown-secret",
        "there is `MODEL_KEY`",
    ),
    (
        "env variable",
        "api_key: MODEL_KEY",
        "api_key: $MODEL_KEY",
        "unknown-secret",
        "did you mean `MODEL_KEY`?",
    ),
    ("provider apart", 'use: "openai:gpt-4o-mini"', "provider: openai", "unknown-key", "write `use`"),
    ("temperature in quotes", "temperature: 0", 'temperature: "0"', "wrong-type", "write `0` without quotes"),
    ("str for string", "text: string, note", "text: str, note", "unknown-type", "write `string`"),
    ("String", "text: string, note", "text: String, note", "unknown-type", "did you mean `string`?"),
    ("text as a type", "text: string, note", "text: text, note", "unknown-type", "write `string`"),
    ("int", "total: number", "total: int", "unknown-type", "write `integer`"),
    ("float", "total: number", "total: float", "unknown-type", "write `number`"),
    ("bool", "urgent: boolean}\n  Ready", "urgent: bool}\n  Ready", "unknown-type", "write `boolean`"),
    ("list[str]", "items: list of string", 'items: "list[str]"', "unknown-type", "write `list of string`"),
    ("string[]", "items: list of string", 'items: "string[]"', "unknown-type", "write `list of string`"),
    ("array", "items: list of string", "items: array of string", "unknown-type", "write `list of string`"),
    (
        "list of strings",
        "items: list of string",
        "items: list of strings",
        "unknown-type",
        "did you mean `string`?",
    ),
    ("[string]", "items: list of string", "items: [string]", "wrong-type", "write `list of string`"),
    ("list alone", "items: list of string", "items: list", "unknown-type", "write `list of …`"),
    (
        "Optional[str]",
        "note: optional string",
        'note: "Optional[str]"',
        "unknown-type",
        "write `optional string`",
    ),
    ("string?", "note: optional string", "note: string?", "unknown-type", "write `optional string`"),
    (
        "string | null",
        "note: optional string",
        "note: string | null",
        "unknown-type",
        "write `optional string`",
    ),
    (
        "nullable",
        "note: optional string",
        "note: {type: string, nullable: true}",
        "wrong-type",
        "a type whose value may be missing is written `optional string`",
    ),
    (
        "required false",
        "note: optional string",
        "note: {type: string, required: false}",
        "wrong-type",
        "a type whose value may be missing is written `optional string`",
    ),
    (
        "optional after",
        "note: optional string",
        "note: string optional",
        "unknown-type",
        "write `optional string`",
    ),
    ("dict", "total: number", "total: dict", "unknown-type", "write `map of …`"),
    ("enum as list", "{enum: [good, bad]}", "[good, bad]", "wrong-type", "write `{enum: [good, bad]}`"),
    (
        "enum with bars",
        "{category: {enum: [good, bad]}",
        "{category: good | bad",
        "unknown-type",
        "write `{enum: [good, bad]}`",
    ),
    (
        "default without default",
        "  urgent: {type: boolean, default: false}\n",
        "  urgent: false\n",
        "wrong-type",
        "write `boolean`",
    ),
    ("yes for true", "read_only: true", "read_only: yes", "wrong-type", "write `true`"),
    (
        "a colon in a text",
        "description: Answer what customers ask\n",
        "description: Answer: what customers ask\n",
        "text-cut-by-colon",
        "put the whole value in quotes",
    ),
    (
        "a number sign in a text",
        "    title: Send this answer\n",
        "    title: Send #1\n",
        "text-cut-by-comment",
        "put the whole value in quotes; a comment that is meant has a",
    ),
    (
        "a text that begins with a star",
        "    title: Send this answer\n",
        "    title: *Send* this answer\n",
        "syntax-error",
        "put a text that begins with `*` in quotes",
    ),
    (
        "a text that begins with an at sign",
        "    title: Send this answer\n",
        "    title: @ann send this\n",
        "syntax-error",
        "put the text in quotes",
    ),
    (
        "a text that begins with a quote",
        "    title: Send this answer\n",
        '    title: "Send" this answer\n',
        "syntax-error",
        "put all of it in quotes",
    ),
    (
        "a text that begins with a percent",
        "    title: Send this answer\n",
        "    title: %send\n",
        "syntax-error",
        "put the text in quotes",
    ),
    (
        "a text that begins with a bracket",
        "    title: Send this answer\n",
        "    title: [Send] this\n",
        "syntax-error",
        "put all of it in quotes",
    ),
    (
        "an apostrophe in single quotes",
        "    title: Send this answer\n",
        "    title: 'Ann's answer'\n",
        "syntax-error",
        'a text with `\'` in it stands in `"`: `"Ann\'s answer"`',
    ),
    (
        "curly quotes in YAML",
        "api_key: MODEL_KEY",
        "api_key: “MODEL_KEY”",
        "unknown-secret",
        "did you mean `MODEL_KEY`?",
    ),
    (
        "a comma in a flow text",
        "{reason: too much}",
        "{reason: too much, really}",
        "text-cut-by-comma",
        "put the text in quotes",
    ),
    ("a tab", "    accepts: Ready\n", "\taccepts: Ready\n", "syntax-error", "use spaces"),
    (
        "no space after the colon",
        "    accepts: Ready\n",
        "    accepts:Ready\n",
        "syntax-error",
        "write `accepts: Ready`",
    ),
    (
        "equals for colon",
        "    accepts: Ready\n",
        "    accepts = Ready\n",
        "syntax-error",
        "write `accepts: Ready`",
    ),
    ("no colon", "    accepts: Ready\n", "    accepts Ready\n", "syntax-error", "write `accepts: Ready`"),
    (
        "a dash before a key",
        "    accepts: Ready\n",
        "    - accepts: Ready\n",
        "syntax-error",
        "an item of a list begins here, and keys stand above: the `- `",
    ),
    (
        "a missing dash",
        "      - event: Ready\n",
        "        event: Ready\n",
        "duplicate-key",
        "if another item of the list begins here, begin it with `- `",
    ),
    (
        "no space after the dash",
        "      - event: Ready\n",
        "      -event: Ready\n",
        "syntax-error",
        "begin it with `- `, or mend its indentation",
    ),
    (
        "a star for a dash",
        "      - event: Ready\n",
        "      * event: Ready\n",
        "syntax-error",
        "write `- event: Ready`",
    ),
    (
        "emit too deep",
        "    emit: OrderFound\n",
        "      emit: OrderFound\n",
        "syntax-error",
        "it begins after 6 spaces, and the line above after 4: one of the two",
    ),
    (
        "emit not deep enough",
        "    emit: OrderFound\n",
        "  emit: OrderFound\n",
        "misplaced-key",
        "indent it as far as the other keys of `look_up`",
    ),
    (
        "emit at the margin",
        "    emit: Judged\n",
        "emit: Judged\n",
        "text-cut-by-colon",
        "put the whole value in quotes, or mend the indentation of this line",
    ),
    (
        "emit one space off",
        "    emit: Judged\n",
        "   emit: Judged\n",
        "syntax-error",
        "it begins after 3 spaces, and",
    ),
    (
        "an unindented prompt",
        "      Judge this: ${{ event.text }}\n",
        "Judge this\n",
        "syntax-error",
        "write `key: value`",
    ),
    (
        "prompt without a bar",
        "    prompt: |\n      Judge this: ${{ event.text }}\n",
        "    prompt:\n      Judge this: ${{ event.text }}\n",
        "wrong-type",
        "a text of several lines, or with a colon in it, begins with a bar: `prompt: |`",
    ),
    (
        "bar and text on one line",
        "    prompt: |\n      Judge this: ${{ event.text }}\n",
        "    prompt: | Judge this\n",
        "syntax-error",
        "put the text on the lines below",
    ),
    (
        "JSON style comment",
        "description: Answer",
        "// the shop\ndescription: Answer",
        "syntax-error",
        "a comment begins with `#`",
    ),
    (
        "a trailing comma",
        "    accepts: Ready\n",
        "    accepts: Ready,\n",
        "unknown-event",
        "did you mean `Ready`?",
    ),
    (
        "a semicolon",
        "    accepts: Ready\n",
        "    accepts: Ready;\n",
        "unknown-event",
        "did you mean `Ready`?",
    ),
    (
        "parentheses for a list",
        "end: [Done, Refused]",
        "end: (Done, Refused)",
        "unknown-event",
        "write `[Done, Refused]`",
    ),
    (
        "end as a map",
        "end: [Done, Refused]",
        "end: {Done, Refused}",
        "text-cut-by-comma",
        "write `key: value`, or `[ ]` for a list",
    ),
    (
        "end in quotes",
        "end: [Done, Refused]",
        'end: "Done, Refused"',
        "unknown-event",
        "write `[Done, Refused]`",
    ),
    ("an unclosed bracket", "end: [Done, Refused]", "end: [Done, Refused", "syntax-error", ""),
    ("a key twice", "    timeout: 30s\n", "    timeout: 30s\n    timeout: 40s\n", "duplicate-key", ""),
    (
        "three dots",
        "wfc: 1\n",
        "...\nwfc: 1\n",
        "syntax-error",
        "leave it out",
    ),
    ("two documents", "\nsteps:\n", "\n---\nsteps:\n", "several-documents", ""),
    ("markdown fence", "wfc: 1\n", "```yaml\nwfc: 1\n", "syntax-error", "leave out the line"),
    (
        "anchors and merge",
        "    timeout: 30s\n",
        "    <<: *defaults\n",
        "merge-key",
        "share it by name: `defaults`",
    ),
    (
        "when at the step",
        "    timeout: 30s\n",
        '    when: event.text == "x"\n    timeout: 30s\n',
        "unknown-key",
        "a `when` belongs to an entry of `emit`: `emit: [{event: A, w",
    ),
    (
        "else",
        '      - event: Ready\n        with: {category: "${{ events.category }}"}\n',
        '      - else: Ready\n        with: {category: "${{ events.category }}"}\n',
        "unknown-key",
        "the last entry needs no `when`: write `event`",
    ),
    (
        "default entry",
        '      - event: Ready\n        with: {category: "${{ events.category }}"}\n',
        '      - default: Ready\n        with: {category: "${{ events.category }}"}\n',
        "unknown-key",
        "the last entry needs no `when`: write `event`",
    ),
    (
        "END",
        "    emit: OrderFound\n",
        "    emit: END\n",
        "unknown-event",
        "a run is over with an event that is under `end`: `Done` or `Refused`",
    ),
    (
        "stop",
        "    emit: OrderFound\n",
        "    emit: stop\n",
        "unknown-event",
        "a run is over with an event that is under `end`: `Done` or `Refused`",
    ),
    (
        "null emit",
        "    emit: OrderFound\n",
        "    emit: null\n",
        "wrong-type",
        "write a value after the colon",
    ),
    (
        "empty emit",
        "    emit: OrderFound\n",
        "    emit:\n",
        "wrong-type",
        "write a value after the colon",
    ),
    (
        "assign a bare name",
        'assign: ["group:support"]',
        "assign: [support]",
        "assigned-to-whom",
        "write `user:support` or `group:support`",
    ),
    (
        "assign a text",
        'assign: ["group:support"]',
        "assign: group:support",
        "wrong-type",
        "write `[group:support]`",
    ),
    (
        "no within",
        "    within: 4h\n",
        "",
        "missing-key",
        "write how long to wait for an answer, such as `within: 3 days`",
    ),
    (
        "no on_timeout",
        "    on_timeout: {event: Refused, with: {reason: nobody looked}}\n",
        "",
        "missing-key",
        "`on_timeout`: where to go when nobody has answered in time",
    ),
    (
        "options for form",
        "    form: {decision: {enum: [send, drop]}}\n",
        "    options: [send, drop]\n",
        "unknown-key",
        "write `form`",
    ),
    (
        "form as a list",
        "    form: {decision: {enum: [send, drop]}}\n",
        "    form: [decision]\n",
        "wrong-type",
        "",
    ),
    (
        "a mock with result",
        "      reply: {answer: fine}\n",
        "      reply: {result: {answer: fine}}\n",
        "unknown-entry",
        "an answer is the value itself, or `{give: …}`",
    ),
    ("mocks", "    mock:\n", "    mocks:\n", "unknown-key", "did you mean `mock`?"),
    (
        "assert for expect",
        "    expect: {end: Done",
        "    assert: {end: Done",
        "unknown-key",
        "write `expect`",
    ),
    (
        "inputs for a test's start",
        "    start: {order_id",
        "    inputs: {order_id",
        "unknown-key",
        "write `start`",
    ),
    ("given", "    start: {order_id", "    given: {order_id", "unknown-key", "write `start`"),
    (
        "expect an answer alone",
        "    expect: {end: Done, with: {answer: fine}}\n",
        "    expect: {answer: fine}\n",
        "unknown-key",
        "an event's fields stand under `with`",
    ),
    (
        "the end by status",
        "    expect: {end: Done, with",
        "    expect: {end: success, with",
        "unknown-event",
        "a run is over with an event that is under `end`: `Done` or `Refused`",
    ),
    (
        "StartEvent",
        "start: Asked\n",
        "start: StartEvent\n",
        "unknown-event",
        "there are `Asked`, `Done`, `Drafted`, `Judged`, `OrderFound`",
    ),
    (
        "StopEvent",
        "    emit: OrderFound\n",
        "    emit: StopEvent\n",
        "unknown-event",
        "a run is over with an event that is under `end`: `Done` or `Refused`",
    ),
    ("entry_point", "start: Asked\n", "entry_point: look_up\n", "unknown-key", "write `start`"),
    (
        "start names a step",
        "start: Asked\n",
        "start: look_up\n",
        "unknown-event",
        "`look_up` is a step; steps are tied by events: one emits wha",
    ),
    (
        "conditional_edges",
        "    emit: OrderFound\n",
        "    conditional_edges: {ok: gather}\n",
        "unknown-key",
        "write `emit`",
    ),
    (
        "expression_as_bound",
        "    retry: patient\n    emit: OrderFound\n",
        "    retry: patient\n    max_runs: inputs.text\n    emit: OrderFound\n",
        "wrong-value",
        "an expression is written `${{ inputs.text }}`",
    ),
]
"""What people do; what stands in the spec; what they write instead; the one code; and how its hint begins."""
