"""Who follows a hint literally comes nearer to what was meant: each mistake with all that is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from wfc.compiler.passes import check_text

LANGUAGE = Path(__file__).parents[3] / "docs/language"
LISTS = """\
wfc: 1
workflow: lists
start: Came
end: Done
models: {fast: {use: "openai:gpt-4o-mini"}}
types:
  Line: {kind: string, price: number}
state:
  last: optional string
  seen: {type: list of string, default: []}
events:
  Came: {lines: list of Line, files: list of string, prices: map of integer}
  Asked: {}
  Counted: {}
  Done: {names: list of string, text: string}
steps:
  ask:
    kind: map
    accepts: Came
    in: event.lines
    as: line
    max: 10
    do: {kind: llm, model: fast, prompt: "About ${{ line.kind }}"}
    stream: {before: "${{ event.lines | length }} lines"}
    emit: {event: Asked, save: {last: "${{ result | first }}"}}
  count:
    kind: command
    accepts: Asked
    command: [wc, -w, "${{ inputs.files[0] }}"]
    output: string
    save: {seen: ["${{ result }}"]}
    emit: Counted
  tell:
    kind: transform
    accepts: Counted
    emit:
      event: Done
      with:
        names: ${{ [line.kind for line in inputs.lines if line.price > 3] }}
        text: |
          {% for line in inputs.lines %}
          ${{ line.kind }}: ${{ line.price }}
          {% endfor %}
"""
JOINS = """\
wfc: 1
workflow: joins
start: Came
end: Done
state:
  bought: {type: list of string, default: [], merge: append}
  sum: {type: integer, default: 0}
events:
  Came: {wanted: integer}
  Baked: {bread: string}
  Grown: {fruit: string}
  Milked: {}
  Done: {what: string}
steps:
  bake:
    kind: transform
    accepts: Came
    save: {bought: [bread]}
    emit: {event: Baked, with: {bread: rye}}
  grow:
    kind: transform
    accepts: Came
    save: {bought: [fruit]}
    emit: {event: Grown, with: {fruit: fig}}
  milk: {kind: transform, accepts: Came, emit: Milked}
  join:
    kind: transform
    accepts: {all: [Baked, Grown, Milked]}
    emit: {event: Done, with: {what: "${{ events.bread }}"}}
"""
LOOP = """\
wfc: 1
workflow: loop
start: Came
end: Done
events:
  Came: {}
  Again: {}
  Tried: {good: boolean}
  Done: {}
steps:
  try:
    kind: transform
    accepts: [Came, Again]
    max_runs: 3
    on_limit: Done
    emit: {event: Tried, with: {good: "${{ run.round == 2 }}"}}
  look:
    kind: transform
    accepts: Tried
    emit:
      - {event: Done, when: event.good}
      - Again
"""
WAYS = """\
wfc: 1
workflow: ways
start: Came
end: Done
events:
  Came: {many: integer}
  Many: {number: integer}
  Few: {number: integer}
  Done: {number: integer}
steps:
  look:
    kind: transform
    accepts: Came
    emit:
      - {event: Many, when: event.many > 3, with: {number: 1}}
      - {event: Few, with: {number: 2}}
  tell: {kind: transform, accepts: [Many, Few], emit: Done}
"""
ASKING = """\
wfc: 1
workflow: asking
start: Came
end: [Done, Late]
key: inputs.id
receives:
  Paid: {key: id}
models: {fast: {use: "openai:gpt-4o-mini"}}
agents:
  helper: {model: fast, system: Be kind.}
events:
  Came: {id: string, many: integer, page: string, orders: list of string}
  Again: {}
  Item: {name: string}
  Named: {name: string}
  Paid: {id: string, sum: integer}
  Helped: {answer: string}
  Page: {}
  Done: {}
  Late: {}
steps:
  help:
    kind: agent
    accepts: Came
    agent: helper
    prompt: Help ${{ event.id }}.
    emit: {event: Helped, with: {answer: "${{ result }}"}}
  wait:
    kind: wait
    accepts: Helped
    event: Paid
    that: result.sum > 3
    within: 3 days
    on_timeout: Late
    emit: Page
  read:
    kind: http
    accepts: [Page, Again]
    max_runs: 3
    on_limit: Done
    method: GET
    url: https://read.example/${{ inputs.page }}
    output: {good: boolean}
    on_error: [{errors: [http.404], event: Late}]
    emit:
      - {event: Again, when: inputs.many > 3 and result.good}
      - each: {in: inputs.orders, as: one, event: Item, with: {name: "${{ one }}"}, max: 9}
  name: {kind: transform, accepts: Item, emit: {event: Named, with: {name: "${{ event.name | upper }}"}}}
  go: {kind: transform, accepts: {each: Named}, emit: Done}
tests:
  - name: good
    start: {id: a, many: 1, page: x, orders: []}
    mock: {help: Yes., read: {good: true}}
    deliver: [{event: Paid, with: {id: a, sum: 4}}]
    expect: {end: Done}
"""
TEAM = """\
wfc: 1
workflow: team
start: Came
end: Done
models: {fast: {use: "openai:gpt-4o-mini"}}
agents:
  sales: {description: Sells., model: fast, handoffs: [bills]}
  bills: {description: Knows bills., model: fast}
events:
  Came: {text: string}
  Done: {text: string}
steps:
  help:
    kind: agent
    accepts: Came
    agent: sales
    prompt: ${{ event.text }}
    emit: {event: Done, with: {text: "${{ result }}"}}
tests:
  - name: handed over
    start: {text: Why?}
    script:
      sales: [{calls: [{hand_over: bills, with: {task: Why?}}]}]
      bills: [{say: So.}]
    expect: {end: Done}
"""
BASES = {"asking": ASKING, "lists": LISTS, "joins": JOINS, "loop": LOOP, "ways": WAYS, "team": TEAM}
URL = "url: https://read.example/${{ inputs.page }}"
FOR = "{% for line in inputs.lines %}"
NAMES = "${{ [line.kind for line in inputs.lines if line.price > 3] }}"
THREE = "{all: [Baked, Grown, Milked]}"
MERGE = "merge: append"
ITEM_TO_HELPED = ASKING[ASKING.index("  Item:") : ASKING.index("  Page:")]

HINTS: list[tuple[str, str, str, tuple[str, ...]]] = [
    # the spec, what stands there, what is written instead; the code and the hint of each finding
    # the name of an item, elsewhere
    (
        "lists",
        '"${{ event.lines | length }} lines"',
        '"about ${{ line.kind }}"',
        ("unknown-name", "known in `keep`, `do`, `give`, `require` and `on_item_error`; what is streamed is said once"),
    ),
    ("lists", "${{ result | first }}", "${{ line.kind }}", ("unknown-name", "all of them is the list `result`")),
    ("lists", "[line.kind for", "[l.kind for", ("unknown-name", "write `line.kind`")),
    ("lists", "[line.kind for", "[lne.kind for", ("unknown-name", "did you mean `line`?")),
    # texts in quotes, and what is none
    ("lists", "line in inputs.lines if", 'line in "inputs.lines" if', ("not-a-list", "write `inputs.lines` without")),
    ("lists", NAMES, "${{ [food.kind] }}", ("unknown-name", "there are `inputs`, `state`, `config`, `run`, `event`$")),
    ("lists", NAMES, "${{ [food] }}", ("unknown-name", 'a text stands in quotes: `"food"`')),
    (
        "asking",
        '"${{ event.name | upper }}"',
        "'${{ f'{event.name}' | upper }}'",
        ("syntax-error", "write `event.name`, without the quotes and braces around it"),
    ),
    ("lists", NAMES, "${{: event.lines }}", ("text-cut-by-colon", "leave out the colon behind `${{`$")),
    # heads of loops that cannot be read: nothing is said of the names in the loop
    ("lists", FOR, "{% for line of inputs.lines %}", ("unexpected-token", "write `in`$")),
    ("lists", FOR, "{% for line = inputs.lines %}", ("unexpected-token", "write `in`$")),
    ("lists", FOR, "{% for $line in inputs.lines %}", ("stray-character", "without `$`")),
    ("lists", FOR, "{% for (line) in inputs.lines %}", ("unexpected-token", "stand without brackets")),
    ("lists", FOR, '{% for "line" in inputs.lines %}', ("unexpected-token", "write `line` without quotes")),
    ("lists", FOR, "{% for line, inputs.lines %}", ("unexpected-token", "a loop is written `for NAME in LIST`")),
    ("lists", FOR, "{% for inputs.lines as line %}", ("unexpected-token", "a loop is written `for NAME in LIST`")),
    ("lists", FOR, "{% for line in inputs.lines if line.price > 3 %}", ("if-without-else", "[one for one in LIST if")),
    ("lists", FOR, "{% for line in enumerate(inputs.lines) %}", ("method-call", "`loop.index`")),
    ("lists", FOR, "{% for number, line in inputs.lines %}", ("not-a-list", "its number is `loop.index`")),
    ("lists", FOR, "{% for line in inputs.lines! %}", ("unexpected-token", "leave out the `!`")),
    ("lists", "line in inputs.lines if", "line of inputs.lines if", ("unexpected-token", "write `in`$")),
    ("lists", "[line.kind for line", "[line.kind foreach line", ("unexpected-token", "write `for`$")),
    # lists made of others without quotes, over several lines
    (
        "lists",
        NAMES,
        '[\n          "${{ line.kind }}"\n          for line in inputs.lines\n        ]',
        ("loop-read-as-list", 'write `"${{ [line.kind for line in inputs.lines] }}"`'),
    ),
    (
        "lists",
        NAMES,
        "[line.kind for line in inputs.lines] | sort",
        ("loop-read-as-list", 'write `"${{ [line.kind for line in inputs.lines] | sort }}"`'),
    ),
    ("lists", "event.lines\n", "[\n      {kind: one.kind, price: 3}\n      for one in event.lines\n    ]\n",
     ("loop-read-as-list", """write `'[{"kind": one.kind, "price": 3} for one in event.lines]'`""")),
    ("lists", NAMES, "[\n          {a: 1}\n          {b: 2}\n        ]", ("syntax-error", "write a `,` between")),
    # lists where one text is wanted
    ("lists", "inputs.files[0]", "inputs.files", ("wrong-value", 'write an item for each, such as `${{ LIST[0] }}`')),
    # sums
    ("lists", NAMES, '${{ inputs.files + "more" }}', ("no-arithmetic", "an item stands in brackets beside a list")),
    ("asking", "${{ event.name | upper }}", "${{ event.name + inputs.orders }}", ("no-arithmetic", "$")),
    ("lists", NAMES, """'${{ [{"a": 1} + {"b": 2}] }}'""", ("no-arithmetic", "write one record with all its fields")),
    # defaults without a type
    ("joins", "{type: integer, default: 0}", '{default: ""}', ("missing-key", '`{type: string, default: ""}`')),
    ("joins", "{type: integer, default: 0}", "{default: []}", ("missing-key", "`{type: list of …, default: []}`")),
    ("joins", "{type: integer, default: 0}", "{default: off}", ("missing-key", '`{type: string, default: "off"}`')),
    ("joins", "{fruit: string}", '{fruit: {default: ""}}', ("missing-key", '`{type: string, default: ""}`')),
    # a wrong `merge` is no race as well
    ("joins", MERGE, "merge: add", ("unknown-value", "`append` or `last`")),
    ("joins", MERGE, "merge: {by: id}", ("merge-does-not-fit", "")),
    ("joins", "{type: list of string, default: [], merge: append}", "{type: any, default: [], merge: append}",
     ("merge-does-not-fit", "`merge: last` if the last one is to win")),
    # joins in joins, and how many
    ("joins", THREE, "{all: [Baked, {any: [Grown, Milked]}]}", ("wrong-type", "write `[Grown, Milked]`: of a list")),
    ("joins", THREE, "{all: [Baked, {all: [Grown, Milked]}]}", ("wrong-type", "beside the others: Grown, Milked")),
    ("joins", THREE, "{any: [Baked, {all: [Grown, Milked]}]}", ("wrong-type", "a step of its own have `accepts: {")),
    ("joins", THREE, "[Baked, {all: [Grown, Milked]}]", ("wrong-type", "a step of its own have `accepts: {")),
    ("joins", THREE, "[{all: [Baked, Grown]}]", ("wrong-type", "write `accepts: {all: …}`")),
    ("joins", THREE, "{any: [Baked, [Grown, Milked]]}", ("wrong-type", "only within `all` a list stands for one")),
    ("joins", THREE, '{any: [Baked, Grown, Milked], count: "${{ inputs.wanted }}"}', ("wrong-type", "as a number")),
    # `any` for `all`, or for a list
    ("joins", THREE, "{any: [Baked, Grown, Milked]}",
     ("wrong-value", "to wait for all of them write `accepts: {all: [Baked, Grown, Milked]}`")),
    ("loop", "[Came, Again]", "{any: [Came, Again]}", ("other-join", "an end with `accepts: [Came, Again]`")),
    ("ways", "accepts: [Many, Few]", "accepts: {any: [Many, Few]}",
     ("unfilled-field", "to take each as it comes write `accepts: [Many, Few]`")),
    # names of steps, and of events that differ in a number
    ("joins", THREE, "{all: [bake, Grown, Milked]}", ("unknown-event", "`bake` accepts `Came` and emits `Baked`")),
    ("asking", "accepts: Item,", "accepts: Item2,", ("unknown-event", "there are `Again`")),
    # names that have a field elsewhere
    ("asking", "that: result.sum", "that: event.sum", ("unknown-field", "there is `result.sum`")),
    ("asking", "when: inputs.many", "when: event.many", ("unknown-field", "there is `inputs.many`")),
    ("asking", "in: inputs.orders", "in: orders", ("unknown-name", "write `inputs.orders`")),
    ("asking", "${{ event.name | upper }}", "${{ event.name.addDays(3) }}", ("method-call", '`run.now + "3 days"`')),
    # keys that are said elsewhere, or otherwise
    ("asking", "that: result.sum > 3", "when: result.sum > 3", ("unknown-key", "is said by `that: result.…`")),
    ("asking", "[{errors: [http.404], event: Late}]", "{http.404: {event: Late}}",
     ("unknown-key", "`- {errors: [http.404], event: …}`")),
    ("asking", "system: Be kind.", "instructions: Be kind.", ("unknown-key", "write `system`; what is asked")),
    ("asking", "    prompt: Help ${{ event.id }}.", "    input: Help ${{ event.id }}.",
     ("unknown-key", "what is asked stands under `prompt`")),
    ("asking", "  - name: good\n    start", "  good:\n    start", ("wrong-type", "instead of a map: `- name: good`")),
    ("asking", "agents:\n", "arguments: {parameters: [a]}\nagents:\n", ("unknown-key", "`state`, or `config`")),
    ("asking", '{event: Named, with: {name: "${{ event.name | upper }}"}}', 'Named, with: {name: "${{ event.name }}"}',
     ("misplaced-key", "write `emit: {event: Named, with: …}`")),
    (
        "asking",
        """each: {in: inputs.orders, as: one, event: Item, with: {name: "${{ one }}"}, max: 9}""",
        "each: inputs.orders",
        ("wrong-type", "write `each: {in: inputs.orders, as: …, event: …, max: …}`"),
    ),
    ("asking", "kind: wait\n    accepts: Helped\n    event: Paid\n", "kind: signal\n    signal: Paid\n",
     ("unknown-kind", "write `wait` to take an event")),
    ("asking", "kind: transform, accepts: {each", "kind: parallel, accepts: {each", ("unknown-kind", "`emit: {all: ")),
    ("asking", "accepts: Item,", "accepts: {Item},", ("text-cut-by-comma", "a join is written `{all: [ ]}`")),
    ("lists", 'prompt: "About ${{ line.kind }}"', "prompt: {kind}", ("text-cut-by-comma", "put in by `\"${{ … }}\"`")),
    ("lists", 'prompt: "About ${{ line.kind }}"}', 'prompt: "About ${{ line.kind }}", on_error: skip}',
     ("unknown-key", "stands beside `do`: `on_item_error: skip`")),
    ("lists", "    max: 10\n", "    max: 10\n    output: integer\n", ("unknown-key", "write it within `do`")),
    ("lists", NAMES, "${{ inputs.lines | sum('price') }}", ("unexpected-argument", '`| pluck("price") | sum`')),
    ("lists", FOR, "{% for line, price in inputs.prices.items() %}", ("method-call", "`for key, value in MAP` goes")),
    ("loop", "when: event.good", "when: Done", ("unknown-name", "`Done` is an event, which no expression reads")),
    ("joins", "{type: integer, default: 0}", "false", ("wrong-type", "`{type: boolean, default: false}`")),
    ("team", "{hand_over: bills,", "{tool: hand_over_to_bills,", ("not-of-an-agent", "`hand_over: bills`")),
    # values of each other: the fact alone
    ("asking", 'event: Item, with: {name: "${{ one }}"}', 'with: Item, event: {name: "${{ one }}"}',
     ("exchanged-values", "$")),
    ("loop", "{event: Done, when: event.good}", "{event: event.good, when: Done}", ("exchanged-values", "$")),
    ("loop", "start: Came\nend: Done", "start: Done\nend: Came", ("exchanged-values", "$")),
    ("asking", "  - name: good\n    start: {id: a, many: 1, page: x, orders: []}\n",
     "  - start: good\n    name: {id: a, many: 1, page: x, orders: []}\n", ("exchanged-values", "$")),
    ("ways", "  Came: {many: integer}\n", "  Came: {number: integer}\n", ("unknown-field", "there is `number`$")),
    ("asking", ITEM_TO_HELPED, ITEM_TO_HELPED.replace("name: string}\n  N", "answer: string}\n  N").replace(
        "Helped: {answer", "Helped: {name"), ("exchanged-values", "$")),
    # lines that are indented wrongly: what is seen, for a key may be missing as well
    ("loop", "    max_runs: 3\n", "  max_runs: 3\n", ("syntax-error", "like the lines before, and only the one")),
    ("loop", "    max_runs: 3\n", "      max_runs: 3\n", ("syntax-error", "or this line belongs under another key")),
    ("loop", "    emit:\n      - {event: Done,", "    - {event: Done,",
     ("syntax-error", "the key of the list is missing")),
    ("loop", "  Again: {}\n", "  : {}\n", ("syntax-error", "$")),
    # signs that stand twice
    ("asking", 'name: "${{ event.name | upper }}"', 'name: ""${{ event.name | upper }}"',
     ("syntax-error", "leave out one")),
    ("joins", '"${{ events.bread }}"', '"${{ events.bread }}""', ("syntax-error", "leave out one of them$")),
    ("joins", "{wanted: integer}", "{{wanted: integer}}", ("key-not-text", "leave out one `{`")),
    ("loop", "events:\n", "events:\nevents:\n", ("duplicate-key", "$")),
    ("asking", '"${{ event.name | upper }}"', '""${{ event.name | upper }}""',
     ("syntax-error", "`\"${{ event.name | upper }}\"`; a text that has quotes of its own stands in `'`$")),
    ("asking", '"${{ result }}"', "\"\"${{ 'a' ~ result }}\"\"",
     ("syntax-error", "^leave out one of them at each end: `\"${{ 'a' ~ result }}\"`$")),
    # keys at another level, which something lacks
    ("asking", "    prompt: Help ${{ event.id }}.\n    emit: {", "    prompt: |\n      Help.\n      emit: {",
     ("missing-key", "a line of the text of `prompt` begins with `emit:`; a key begins further left than it$")),
    ("asking", "  go: {kind: transform, accepts: {each: Named}, emit: Done}",
     "all: {kind: transform, accepts: {each: Named}, emit: Done}", ("misplaced-key", "move it there")),
    ("joins", "  join:\n    kind: transform\n", "  join:\n    kind: send\n",
     ("missing-key", "^`send` delivers an `event` to other runs; a step that only emits is a `transform`$")),
    ("loop", "  look:\n", "  Spare: {name: string}\n  look:\n",
     ("missing-key", "if `Spare` is an event, it stands under `events`$")),
    ("loop", "start: Came\n", "start: Came\nkind: transform\n", ("unknown-key", "it is a key of a step")),
    # a key that steps of other kinds have is no misspelling of another one
    ("loop", "    max_runs: 3\n", "    max_runs: 3\n    on_timeout: Done\n",
     ("unknown-key", "where to go after a `timeout` is said by `on_error:")),
    ("loop", "    max_runs: 3\n", "    max_runs: 3\n    within: 3s\n",
     ("unknown-key", "an attempt is bounded by `timeout`")),
    ("loop", "    max_runs: 3\n", "    max_runs: 3\n    files: []\n",
     ("unknown-key", "it is a key of a step of kind `llm`, and of other things")),
    ("loop", "start: Came\n", "start: Came\nkeep: 3\n",
     ("unknown-key", "it is a key of a step of kind `map`, and of other things")),
    # a field of the entry's event beside the event
    ("ways", "{event: Many, when: event.many > 3, with: {number: 1}}",
     "{event: Many, number: 1, when: event.many > 3, with: {number: 1}}",
     ("unknown-key", "an event's fields stand under `with`")),
    # signs that may be meant otherwise
    ("asking", "${{ event.name | upper }}", "${{ event.name || replace('a', 'b') }}",
     ("foreign-operator", "write `|`")),
    ("asking", "when: inputs.many > 3 and result.good", "when: inputs.many not 3 and result.good",
     ("unexpected-token", "that two values differ is written `!=`")),
    ("asking", "${{ event.name | upper }}", "${{{ event.name | upper }}",
     ("unclosed-braces", "a `{` is too many, or a `}` is missing")),
    ("ways", "      - {event: Few, with: {number: 2}}", "      - {event: - a, with: {number: 2}}",
     ("syntax-error", "between brackets a list is written `[a, b]`")),
    ("ways", "      - {event: Many, when: event.many > 3, with: {number: 1}}",
     "      - {event: Many, when: event.many > 3, with: {number: 1}}}",
     ("syntax-error", "leave it out, or open it before")),
    ("loop", "  Tried: {good: boolean}", "  Tried: {good: list{: boolean}",
     ("syntax-error", "a map or a list begins with the bracket")),
    ("loop", "  Tried: {good: boolean}", "  Tried: good{: boolean}",
     ("text-cut-by-colon", "what stands in brackets begins with the bracket")),
    ("loop", "  Tried: {good: boolean}", "  Tried: good: boolean}", ("text-cut-by-colon", "open the map with `{`")),
    ("ways", "  look:\n", "  :look\n", ("syntax-error", "write `look:`")),
    ("loop", "  look:\n", "  :look\n", ("syntax-error", "write `look:`")),
    ("loop", "  Tried: {good: boolean}", "  Tried: {good: boolean: more: string}",
     ("text-cut-by-colon", "between two entries stands a `,`")),
    ("loop", "  Tried: {good: boolean}", "  Tried: {good: }boolean",
     ("syntax-error", "a bracket is closed too early, or what follows is too much")),
    ("team", "bills: {description: Knows bills., model: fast}", "bills: {description: x, model: fast, emits: x}",
     ("unknown-key", "what can stand here too is")),
    ("asking", "when: inputs.many > 3 and result.good", "when: inputs.id is in inputs.orders",
     ("unexpected-token", "leave out `is`: `in` stands")),
    ("asking", "when: inputs.many > 3 and result.good", "when: inputs.id is not in inputs.orders",
     ("unexpected-token", "leave out `is`: `not in` stands")),
    ("asking", "${{ event.name | upper }}", "${{ event.name replace('a', 'b') }}",
     ("unexpected-token", "what changes a value is a filter after `|`: `| replace(…)`")),
    ("joins", "\"${{ events.bread }}\"", "\"${{ : }}\"", ("unexpected-token", "leave out the `:`$")),
    ("loop", "  Came: {}\n", "  Came: {name: customer?}\n", ("unknown-type", "$")),
    ("asking", "[{errors: [http.404], event: Late}]", "[{errors: [http.404], event: Late, mock: {a: 1}}]",
     ("unknown-key", "what can stand here too is")),
    ("loop", "    max_runs: 3\n", "    max_runs: 3\n    emit: {event: Again, when: result.x}\n",
     ("duplicate-key", "$")),
    ("joins", THREE, "{all: [Baked, Grown, Baked]}", ("accepted-twice", "`Milked` stands nowhere: it would fit")),
    ("joins", THREE, "{all: [Baked, Grown]}", ("event-never-accepted", "let a step have `accepts: Milked`")),
    # what is given by text, and what the environment gives
    ("asking", 'answer: "${{ result }}"', 'answer: "${{ result.text }}"', ("no-fields", "`result` is the text itself")),
    ("asking", "${{ event.name | upper }}", "${{ event.name + 3 }}", ("no-arithmetic", "to put texts together write")),
    ("asking", "${{ event.name | upper }}", "${{ events.name }}", ("unknown-name", "write `event.name`")),
    ("asking", "    on_timeout: Late\n", "    on_timeout: nothng\n", ("unknown-event", "did you mean `nothing`?")),
    # an entry that stands twice, and one that is taken before others
    ("loop", "      - Again\n", "      - Again\n      - Again\n",
     ("entry-never-taken", "one of the two needs a `when`, and stands first then; or leave one out")),
    ("loop", "      - {event: Done, when: event.good}\n      - Again\n",
     "      - Again\n      - {event: Done, when: event.good}\n", ("entry-never-taken", "move entry 1 to the end")),
    # what asks for a type, and what compares
    ("asking", "when: inputs.many > 3 and result.good", "when: inputs.id is text",
     ("unknown-test", "asked for by `is string`, and a text compared by `== \"text\"`")),
    ("asking", "when: inputs.many > 3 and result.good", "when: inputs.id is urgent",
     ("unknown-test", "to compare write `== \"urgent\"`")),
    # a list whose key is missing
    ("loop", "    accepts: Tried\n    emit:\n", "    accepts: Tried\n",
     ("syntax-error", "the key of the list is missing above it")),
    # braces that open once more
    ("asking", "${{ event.name | upper }}", "${{ { }}", ("unclosed-braces", "a `{` is too many, or a `}` is missing")),
    # what is not read may emit what nobody seems to emit
    ("ways", "accepts: [Many, Few], emit: Done", "emit: nothing, emit: Done, accepts: [Many, Few]",
     ("duplicate-key", "$")),
    ("asking", "    on_timeout: Late\n", "    that: true\n",
     ("endless-wait", "add `on_timeout`$", "duplicate-key", "$")),
    ("asking", "    on_error: [{errors: [http.404], event: Late}]\n    emit:\n      - {event: Again,",
     "    otherwise: [{errors: [http.404], event: Again}]\n    emit:\n      - {event: Page,",
     ("unknown-key", "what can stand here too is")),
    # a key of the language that is none, whatever it is to YAML
    ("asking", "each: {in: inputs.orders, as:", "each: {2: inputs.orders, as:", ("unknown-key", "")),
    # colons that are missing, or have changed places with a bracket
    ("loop", "  try:\n", "  try\n", ("syntax-error", "write `try:`$")),
    ("joins", "  milk: {kind", "  milk, {kind", ("syntax-error", "write `milk: {…`")),
    ("joins", "  milk: {kind", "  milk {kind", ("syntax-error", "write `milk: {")),
    ("loop", "  Tried: {good: boolean}", "  Tried{ :good: boolean}", ("bad-name", "write `Tried: {good: boolean}`")),
    ("loop", "  Tried: {good: boolean}", "  Tried{ {good: boolean}", ("bad-name", "write `Tried: {good: boolean}`")),
    ("ways", "when: event.many > 3, with: {number: 1}}", "when: event.many > 3, with: number: 1}}",
     ("text-cut-by-colon", "a `{` is missing before this key, or a `,`")),
    ("ways", "  Came: {many: integer}", "  Came{ :many: integer, more: string}",
     ("syntax-error", "write `Came: {…`")),
    ("joins", "  milk: {kind", "  :milk {kind", ("syntax-error", "write `milk: ")),
    # what holds an expression as it is, with braces around it
    ("asking", "key: inputs.id", "key: {{ inputs.id }}",
     ("key-not-text", "an expression stands here as it is: leave out the braces; in a field of yours called `key`")),
    ("asking", "key: inputs.id", "key: {inputs.id}",
     ("text-cut-by-comma", "an expression stands here as it is: leave out the braces, `key: inputs.id`; in a field")),
    ("asking", "that: result.sum > 3", "that: {{ result.sum > 3 }}", ("key-not-text", "leave out the braces; in a")),
    ("asking", "that: result.sum > 3", "that: ${result.sum > 3}", ("stray-character", "leave out `${` and `}`$")),
    ("asking", "that: result.sum > 3", 'that: "{% if result.sum > 3 %}"', ("stray-character", "without `{%` and")),
    ("asking", "that: result.sum > 3", "that: ${{ result.sum > 3 }}", ("stray-character", "leave out `${{` and `}}`$")),
    ("asking", "in: inputs.orders", "in: ${inputs.orders}",
     ("syntax-error", "leave out the braces, and the `$`; in a field of yours called `in` write `\"${{ … }}\"`")),
    # an expression that is not closed, where more text follows that has quotes or another one in it
    ("lists", "${{ line.kind }}: ${{ line.price }}", '${{ line.kind\n          is "so": ${{ line.price }}',
     ("unclosed-braces", "add `}}` where the expression ends$")),
    ("lists", "${{ line.kind }}: ${{ line.price }}", "${{ line.kind }\n          that don't go",
     ("unclosed-braces", "close it with `}}` where the expression ends$")),
    # dollar signs before other braces
    ("lists", "${{ line.kind }}: ${{ line.price }}", "${{ line.kind }}: $${inputs.prices}",
     ("expression-as-text", "without the `$`, which stays if a dollar sign is to be shown")),
    ("lists", "${{ line.kind }}: ${{ line.price }}", "${{ line.kind }}: $ {{ line.price }}",
     ("braces-without-dollar", "the blank between `$` and `{{`: `${{`; if a dollar sign is to be shown")),
    ("asking", '"${{ event.name | upper }}"', '"$${event.name}"',
     ("expression-as-text", "write `${{ event.name }}` without the `$`, which stays if a dollar sign is to be shown")),
    ("asking", 'name: "${{ event.name | upper }}"', r'name="${{ [event.name] | join(\" \") }}"',
     ("no-colon-in-braces", r'write `name: "${{ [event.name] | join(\" \") }}"`')),
    # an address in which an expression is written as elsewhere is one mistake
    ("asking", URL, 'url: "{inputs.page}"', ("bad-url", "write `${{ inputs.page }}`$")),
    ("asking", URL, "url: ${inputs.page}/x", ("bad-url", "write `${{ inputs.page }}`$")),
    ("asking", URL, 'url: "{desk_url}/x"', ("bad-url", "is put in by `${{ … }}`")),
    ("asking", URL, "url: inputs.page",
     ("bad-url", "a value is put in by `${{ inputs.page }}`; an address begins with `https://`")),
    # a `with` that stands too far out
    ("joins", "emit: {event: Baked, with: {bread: rye}}", "emit: Baked\n    with: {bread: rye}",
     ("misplaced-key", "write `emit: {event: Baked, with: …}`")),
    ("ways", "{event: Few, with: {number: 2}}", "event: Few\n      - with: {number: 2}",
     ("missing-key", "if it belongs to the entry above, leave out the `- ` before it; ")),
    # texts, and ways to leave, that may have changed places
    ("asking", "    prompt: Help ${{ event.id }}.", "    description: Help ${{ event.id }}.\n    prompt: Help.",
     ("expression-in-plain-text", "; or `description` and `prompt` have each other's text")),
    ("loop", 'on_limit: Done\n    emit: {event: Tried, with: {good: "${{ run.round == 2 }}"}}',
     'emit: Done\n    on_limit: {event: Tried, with: {good: "${{ run.round == 2 }}"}}',
     ("unbounded-cycle", "; an `on_limit` in it may be meant to leave it as well")),
    ("loop", "    on_limit: Done\n", "    on_limit: Again\n",
     ("unbounded-cycle", "let it leave by another event, or exchange it with `emit` if each has what the other one")),
    # an end that is there, and was not read
    ("lists", "${{ line.price }}\n          {% endfor", "${{ line.price\n          {% endfor",
     ("unclosed-braces", "add `}}`")),
    ("lists", "          {% endfor %}\n", "", ("statement-not-ended", "add `{% endfor %}`")),
    # what is made of each item cannot be read: nothing is said of its fields
    ("lists", """stream: {before: "${{ event.lines | length }} lines"}
    emit: {event: Asked, save: {last: "${{ result | first }}"}}""",
     """give: {kind, text: "${{ result }}"}
    emit: {event: Asked, save: {last: "${{ [one.text for one in result] | first }}"}}""",
     ("text-cut-by-comma", "write `key: value`")),
    # keys that must be there
    ("loop", "end: Done\n", "end:\n", ("wrong-type", "write a value after the colon$")),
    ("loop", "    max_runs: 3\n", "    max_runs: 3\n    description:\n", ("wrong-type", "or remove the key")),
    # a condition in brackets
    ("ways", "when: event.many > 3,", "when: '[event.many > 3]',", ("not-a-condition", "without brackets; of")),
    # a quote that is not closed, behind texts in quotes of the other kind
    ("lists", 'before: "${{ event.lines | length }} lines"}',
     """before: "${{ event.files | join(', ') }}, after: "x"}""",
     ("syntax-error", "before the key `after`, or escape")),
    # types behind two colons
    ("asking", "${{ event.name | upper }}", "${{ event.name::text }}",
     ("unexpected-token", "a type is made by a filter, such as `| string`; a field stands behind a dot")),
    ("asking", "${{ event.name | upper }}", "${{ event::name }}", ("unexpected-token", "behind a dot: `event.name`")),
    # no time at all
    ("asking", "within: 3 days", "within: 0", ("wrong-type", "write how long, with a unit, such as `30s`$")),
    ("asking", "within: 3 days", "within: 90", ("wrong-type", "write a unit, such as `90s`")),
    # a number in quotes beside another one
    ("ways", "event.many > 3,", "'event.many + \"5\" > 3',", ("no-arithmetic", "^write `5` without quotes; texts are")),
    ("ways", "event.many > 3,", "'event.many - \"5\" > 3',", ("no-arithmetic", "^write `5` without quotes$")),
    ("ways", "event.many > 3,", "'event.many + \"5 km\" > 3',", ("no-arithmetic", "^to put texts together write `~`$")),
    # an event is no error
    ("asking", "errors: [http.404]", "errors: [Told]", ("unknown-error", "^the broad ones are")),
    ("asking", "errors: [http.404]", "errors: [Page]", ("unknown-error", "^`Page` is an event; errors are `http`")),
    ("asking", "errors: [http.404]", "errors: [tol]", ("unknown-error", "did you mean `tool`?")),
    # a value at the place of another one, where it is enough to write one of them anew
    ("asking", "agent: helper\n    prompt: Help ${{ event.id }}.", "agent: Help ${{ event.id }}.\n    prompt: helper",
     ("unknown-agent", "there is `helper`; `agent` and `prompt` may have each other's value")),
    ("asking", "agent: helper", "agent: helpers", ("unknown-agent", "did you mean `helper`?$")),
    # not so in a step that lacks a key: nobody has looked at what its other values would mean
    ("asking", "kind: agent\n    accepts: Came\n    agent: helper\n    prompt: Help ${{ event.id }}.\n",
     "kind: llm\n    accepts: Came\n    model: [fast]\n",
     ("missing-key", "`prompt`: what the model is asked", "wrong-type", "$")),
    # no time at all, where that is sensible and where it is not
    ("loop", "steps:\n", "retries: {slow: {max_attempts: 3, delay: 0}}\nsteps:\n", ("wrong-type", "write `0s`$")),
    ("loop", "steps:\n", "retries: {slow: {max_attempts: 3, jitter: 0}}\nsteps:\n", ("wrong-type", "write `0s`$")),
    ("loop", "steps:\n", "retries: {slow: {max_attempts: 3, delay: -1}}\nsteps:\n",
     ("wrong-type", "write how long, with a unit, such as `30s`$")),
    ("loop", "steps:\n", "retries: {slow: {max_attempts: 3, max_delay: 0}}\nsteps:\n",
     ("wrong-type", "without a bound there is no such key$")),
    ("asking", "    expect: {end", "    cancel: 0\n    expect: {end", ("wrong-type", "such as `30s`$")),
    ("asking", "    expect: {end", "    expect: {after: 0, end", ("wrong-type", "write `0s`$")),
    ("asking", "go: {kind: transform, accepts: {each: Named}", "go: {kind: wait, for: 0, accepts: {each: Named}",
     ("wrong-type", "write how long, with a unit, such as `30s`$")),
    ("loop", "  Came: {}\n", "  Came: {long: {type: duration, default: 5}}\n",
     ("default-does-not-fit", "^write how long, with a unit, such as `30s`, `2h` or `5 days`$")),
    ("loop", "  Came: {}\n", "  Came: {long: {type: duration, default: five days}}\n",
     ("default-does-not-fit", "^write how long, with a unit, such as `30s`, `2h` or `5 days`$")),
    # what other systems have at another place, or not at all
    ("asking", "system: Be kind.}", "system: Be kind., budget: 5}",
     ("unknown-key", "^what may be used is bounded by `limits: {tokens: …, cost_usd: …}`$")),
    ("asking", "    agent: helper\n", "    agent: helper\n    budget: {usd: 5}\n",
     ("unknown-key", "^what may be used is bounded by `limits: {tokens: …, cost_usd: …}`$")),
    ("loop", "start: Came\n", "start: Came\nbudget: 5\n",
     ("unknown-key", "^what may be used is bounded by `limits: {tokens: …, cost_usd: …}`$")),
    ("asking", "system: Be kind.}", "system: Be kind., approve: true}",
     ("unknown-key", "where an agent has the tool: `tools: [{tool: NAME, approve: {within: 4h}}]`$")),
    ("asking", "agents:\n", 'tools:\n  act: {python: "shop:act", approve: true}\nagents:\n',
     ("unknown-key", "where an agent has the tool: `tools: [{tool: NAME, approve: {within: 4h}}]`$")),
    ("loop", "kind: transform\n    accepts: Tried", "kind: mail\n    accepts: Tried",
     ("unknown-kind", "^a mail or a message to people is sent by a `tool` or an `http` request; `send` brings")),
    ("loop", "kind: transform\n    accepts: Tried", "kind: send\n    to: a\n    subject: b\n    accepts: Tried",
     ("unknown-key", "; a mail or a message to people is sent by a tool or a request$")),
    ("loop", "start: Came\n", "start: Came\ntriggers: {a: {cron: 0 7 * * * Europe/Berlin, zone: Europe/Berlin}}\n",
     ("bad-cron", "^the zone stands under `zone`: `zone: Europe/Berlin`$")),
    ("loop", "start: Came\n", "start: Came\ntriggers: {a: {cron: CRON_TZ=UTC 0 7 * * *, zone: UTC}}\n",
     ("bad-cron", "^the zone stands under `zone`: `zone: UTC`$")),
    ("loop", "start: Came\n", "start: Came\ntriggers: {a: {cron: 0 0 7 * * *, zone: UTC}}\n",
     ("bad-cron", "^seconds and years have no field: minute, hour, day of the month, month, day of the week$")),
    ("loop", "start: Came\n", "start: Came\ntriggers: {a: {cron: 0 7 * * *, zone: Berlin}}\n",
     ("unknown-time-zone", "^write `Europe/Berlin`$")),
    ("loop", "start: Came\n", 'start: Came\ntriggers: {a: {cron: 0 7 * * *, zone: "+02:00"}}\n',
     ("unknown-time-zone", "^zones are named after places, such as `Europe/Berlin`, or `UTC`$")),
    # an expression in a list of names, with quotes or without, and in a list of values
    ("joins", "{all: [Baked, Grown, Milked]}", "{all: [Baked, ${{ inputs.wanted }}, Milked]}",
     ("expression-needs-quotes", "^names of events stand under `all`, and no expression; if `all` is a field")),
    ("joins", "{all: [Baked, Grown, Milked]}", '{all: [Baked, Grown, "${{ inputs.wanted }}"]}',
     ("unknown-event", "^there are `Baked`, `Came`, `Done`, `Grown`, `Milked`$")),
    ("joins", "{all: [Baked, Grown, Milked]}", '{all: [Baked, Grown, "${{ Milked }}"]}',
     ("unknown-event", "^write `Milked`$")),
    ("loop", "accepts: [Came, Again]", "accepts: [Came, ${{ inputs.x }}]",
     ("expression-needs-quotes", "^names of events stand under `accepts`, and no expression; if ")),
    ("ways", "{event: Many, when", "{event: ${{ inputs.many }}, when",
     ("expression-needs-quotes", "is sent is chosen by `when`: `[{event: A, when: …}, B]`; if ")),
    ("asking", "errors: [http.404]", "errors: [timeout, ${{ inputs.id }}]",
     ("expression-needs-quotes", "^names of errors stand under `errors`, and no expression; if ")),
    ("asking", "errors: [http.404]", 'errors: ["${{ inputs.id }}"]', ("unknown-error", "^the broad ones are `http`")),
    ("joins", "save: {bought: [fruit]}", "save: {bought: [fruit, ${{ inputs.wanted }}]}",
     ("expression-needs-quotes", '^write `"${{ … }}"`$')),
    # the case of letters in the name of an error
    ("asking", "[http.404]", "[HTTP]", ("unknown-error", "write `http`")),
    ("asking", "[http.404]", "[Connection]", ("unknown-error", "write `connection`")),
    ("asking", "[http.404]", "[Http.5XX]", ("unknown-error", "write `http.5xx`")),
    ("asking", "[http.404]", "[Python.ValueError]", ("unknown-error", "write `python.ValueError`")),
    # a key that stands twice where no event is
    ("loop", "end: Done\nevents:\n", "end: [Done, Lost]\nlabels: {a: b, a: c}\nevents:\n  Lost: {}\n",
     ("unreachable-end", "let a step `emit: Lost`", "duplicate-key", "$")),
    ("loop", "  look:\n", "  try:\n", ("duplicate-key", "$")),
    # sections that cannot be empty
    ("loop", LOOP[LOOP.index("steps:") :], "steps:\n", ("wrong-type", "^indent below it what belongs to it$")),
    # a text of several lines that a colon cuts
    ("loop", "workflow: loop\n",
     "workflow: loop\ndescription: This is\n  for people, such as\n  users [a, b]: all of them\n",
     ("text-cut-by-colon", "put the whole value in quotes")),
    ("loop", "workflow: loop\n", "workflow: loop\ndescription: This is\n  for such\n  users\n    of it: all of them\n",
     ("text-cut-by-colon", "put the whole value in quotes")),
    ("loop", "workflow: loop\n", "workflow: loop\ndescription: This is\n  for such\n  users\n    more: all of them\n",
     ("text-cut-by-colon", "put the whole value in quotes")),
    ("asking", "  - name: good\n", "  - name:\n", ("wrong-type", "^write a value after the colon; a text that")),
    ("loop", "  Again: {}\n", "  Again: {name: null}\n", ("wrong-type", "or remove the key$")),
    # what does not begin a text: the signs around code in Markdown, an item below a bracket that is open
    ("loop", "wfc: 1\n", "```yaml\nwfc: 1\n", ("syntax-error", "leave out the line that begins with")),
    ("loop", "      - {event: Done, when: event.good}\n",
     "      - {event: Again, when: event.good\n      - {event: Done}\n",
     ("syntax-error", "^an item of a list begins here: close the bracket that opens above, or write")),
    # an end that is not there, beside another mistake
    ("lists", "${{ line.price }}\n          {% endfor %}\n", "${{ line.price + }}\n",
     ("statement-not-ended", "add `{% endfor %}`", "unfinished-expression", "")),
    ("lists", "${{ line.price }}\n          {% endfor %}\n",
     "{{ line.price }}\n          {% for file in inputs.files %}${{ file }}{% endfor %}\n",
     ("statement-not-ended", "add `{% endfor %}`", "braces-without-dollar", "write `${{`")),
]  # fmt: skip


@pytest.mark.parametrize("base", BASES)
def test_what_the_mistakes_are_made_in_is_right(base: str) -> None:
    assert not check_text(BASES[base].encode(), "spec.yaml").diagnostics


NAMELESS = """\
wfc: 1
workflow: w
start: Came
end: Done
events: {Came: {}, Done: {}}
steps:%s
    kind: transform
    accepts: Came
    max_runs: 3
    emit: Done
"""


@pytest.mark.parametrize(
    ("name", "hint"), [("", "write the step's name above"), ("\n    go:", "indent the keys of `go` below it")]
)
def test_keys_without_the_name_of_their_step_are_one_finding(name: str, hint: str) -> None:
    (found,) = check_text((NAMELESS % name).encode(), "spec.yaml").diagnostics
    assert found.code == "misplaced-key"
    assert found.hint.startswith(hint)


FULL = "\n    full: {kind: transform, accepts: Came, emit: Done}"


@pytest.mark.parametrize(
    ("above", "below", "hint", "also"),
    [
        ("", "    later:\n", "write the step's name above", ["`later` must be a step, and this is nothing"]),
        (
            "\n    go:",
            "    later:\n",
            "indent the keys of `go`",
            ["`later` must be a step, and this is nothing"],
        ),
        ("\n    one:\n    go:", "", "indent the keys of `go`", ["`one` must be a step, and this is nothing"]),
        (
            f"\n    one:{FULL}",
            "",
            "write the step's name above",
            ["`one` must be a step, and this is nothing"],
        ),
    ],
)
def test_the_empty_step_right_above_is_the_one_without_its_keys(
    above: str, below: str, hint: str, also: list[str]
) -> None:
    found = check_text((NAMELESS % above + below).encode(), "spec.yaml").diagnostics
    (misplaced,) = (each for each in found if each.code == "misplaced-key")
    assert misplaced.hint.startswith(hint)
    assert [each.message for each in found if each is not misplaced] == also


@pytest.mark.parametrize(
    ("base", "right", "wrong", "said"), HINTS, ids=[f"{row[0]}: {row[2]}" for row in HINTS]
)
def test_a_hint_leads_to_what_was_meant(base: str, right: str, wrong: str, said: tuple[str, ...]) -> None:
    """Before a hint `^` says that nothing precedes, behind it `$` that nothing follows; `$` alone, that none is."""
    assert right in BASES[base]
    text = BASES[base].replace(right, wrong, 1)
    found = check_text(text.encode(), "spec.yaml").diagnostics
    told = [(each.code, each.hint) for each in found]
    assert [code for code, _ in told] == list(said[::2]), told
    for (_, hint), expected in zip(told, said[1::2], strict=True):
        assert (hint == "") if expected == "$" else (expected in f"^{hint}$"), told


TWO = """\
wfc: 1
workflow: two
start: Came
end: Done
events: {Came: {n: integer}, Found: {n: integer}, Lost: {n: integer}, Done: {}}
steps:
  one: {kind: transform, accepts: Came, emit: {event: Found, with: {n: "${{ event.n }}"}}}
  two: {kind: transform, accepts: Found, emit: Done}
"""
NESTED = """\
wfc: 1
workflow: nested
start: Came
end: Done
types: {Who: {name: string}}
events: {Came: {data: Who, text: string}, Done: {data: Who}}
steps:
  go: {kind: transform, accepts: Came, emit: {event: Done, with: {data: "${{ event.data }}"}}}
"""
SEVERAL = {
    "the run's own exit": (
        [("wfc: 1\n", "wfc: 1\non_error: {event: Came}\n"), ("emit: Done", "emit: Nothing")],
        [],
    ),
    "either end may be wrong": (
        [("accepts: Found", "accepts: Lost")],
        [
            "nothing would be wrong with `Found`, and not `Lost`, in `two` under `accepts`, "
            "or `Lost`, and not `Found`, in `one` under `emit`; or the step is missing that emits `Lost`"
        ],
    ),
    "a typo beside a section that is none": (
        [("workflow: two\n", "workflow: two\ndescription: [a]\n"), ("accepts: Came", "acepts: Came")],
        ["did you mean `accepts`?"],
    ),
}


@pytest.mark.parametrize("case", SEVERAL)
def test_what_is_said_of_several_findings(case: str) -> None:
    changes, hints = SEVERAL[case]
    text = TWO
    for right, wrong in changes:
        assert right in text
        text = text.replace(right, wrong)
    told = [each.hint for each in check_text(text.encode(), "spec.yaml").diagnostics]
    assert told
    assert set(hints) <= set(told), told


@pytest.mark.parametrize(
    ("name", "right", "wrong", "hint"),
    [
        (
            "waiting",
            "when: result is MoneyCame",
            "when: events.MoneyCame is not none",
            "what the step has waited for is `result`, and `result is MoneyCame` says whether it is this one",
        ),
        (
            "testing",
            "emit: InvoicePaid",
            'emit: {event: InvoicePaid, with: {amount: "${{ events.MoneyCame.amount }}"}}',
            "what the step has waited for is `result`",
        ),
        (
            "waiting",
            "when: result is MoneyCame",
            "when: events.Money is not none",
            "`events` is what a join has accepted; other steps have `event`",
        ),
        (
            "allowing_calls",
            "when: call.args.amount",
            "when: args.amount",
            "what a call of a tool is given is in `call.args`: `call.args.name`",
        ),
    ],
)
def test_what_a_model_wrote_that_had_read_the_skill_alone(
    name: str, right: str, wrong: str, hint: str
) -> None:
    text = (LANGUAGE / f"{name}.yaml").read_text(encoding="utf-8")
    assert right in text
    found = check_text(text.replace(right, wrong, 1).encode(), "spec.yaml").diagnostics
    assert [(each.code, each.hint) for each in found][:1] == [("unknown-name", hint)]


WITHOUT_STEPS = """\
wfc: 1
workflow: w
start: Came
end: Done
events:
  Came: {}
  Seen: {}
  Done: {}
%s  go: {kind: transform, accepts: Came, emit: {all: [Seen, Done]}}
%s"""
NOTE = "  note: {kind: transform, accepts: Seen, emit: nothing}\n"


@pytest.mark.parametrize("also", ["", NOTE])
def test_steps_that_have_lost_the_line_above_them_are_one_finding(also: str) -> None:
    right = WITHOUT_STEPS.replace("  Seen: {}\n", "" if not also else "  Seen: {}\n")
    right = right if also else right.replace("{all: [Seen, Done]}", "Done")
    assert not check_text((right % ("steps:\n", also)).encode(), "spec.yaml").diagnostics
    (found,) = check_text((right % ("", also)).encode(), "spec.yaml").diagnostics
    assert (found.code, found.hint) == ("misplaced-key", "write `steps:` above `go`")


PERSON = """\
wfc: 1
workflow: w
start: Came
end: [Paid, Late]
events: {Came: {}, Paid: {amount: decimal, note: {type: string, default: ""}}, Late: {}}
steps:
  ask: {kind: human, accepts: Came, title: Well?, form: {amount: decimal}, within: 1 day, on_timeout: Late, emit: Paid}
"""


def test_what_a_person_may_be_asked_for_is_told() -> None:
    assert not check_text(PERSON.encode(), "spec.yaml").diagnostics
    (found,) = check_text(PERSON.replace("form: {amount: decimal}, ", "").encode(), "spec.yaml").diagnostics
    assert found.code == "unfilled-field"
    assert found.hint.startswith(
        "if the person is to say it, ask for it by `form: {amount: decimal}`; else write `with: {amount: …}`"
    )


RACE = """\
wfc: 1
workflow: race
start: Asked
end: [Taken, Told]
events:
  Asked: {part: string}
  OfferA: {price: decimal}
  OfferB: {price: decimal}
  Late: {}
  Taken: {price: decimal}
  Told: {}
steps:
  a: {kind: http, accepts: Asked, method: GET, url: "https://a.example/", output: {price: decimal}, emit: OfferA}
  b: {kind: http, accepts: Asked, method: GET, url: "https://b.example/", output: {price: decimal}, emit: OfferB}
  first:
    kind: transform
    accepts: {any: [OfferA, OfferB], within: 30s, on_timeout: Late, rest: cancel}
    emit:
      - event: Taken
        when: events.OfferA is not none
        with: {price: "${{ events.OfferA.price }}"}
      - event: Taken
        with: {price: "${{ events.OfferB.price }}"}
  tell: {kind: transform, accepts: Late, emit: Told}
"""
GUARD = """\
wfc: 1
workflow: guard
start: Asked
end: [Done, Refused]
models: {gpt: {use: "openai:gpt-4o"}}
tools:
  refund: {python: "shop:refund", args: {order: string}}
events:
  Asked: {host: string, urls: list of string}
  Yes: {}
  No: {}
  Fetched: {}
  Helped: {}
  Done: {}
  Refused: {}
steps:
  ask:
    kind: human
    accepts: Asked
    assign: ["${{ event.host }}"]
    title: Well?
    form: {ok: boolean}
    within: 2h
    on_timeout: No
    emit: [{event: Yes, when: result.ok}, No]
  fetch:
    kind: map
    accepts: Yes
    in: inputs.urls
    as: url
    max: 9
    do: {kind: http, method: GET, url: {from: url, only: public}}
    emit: Fetched
  help:
    kind: agent
    accepts: Fetched
    model: gpt
    prompt: Help.
    tools: [{tool: refund, approve: {within: 1h}}]
    limits: {cost_usd: 1}
    emit: Helped
  settled: {kind: transform, accepts: Helped, emit: Done}
  refused: {kind: transform, accepts: No, emit: Refused}
tests:
  - name: good
    start: {host: a, urls: []}
    mock: {ask: {ok: true}}
    script: {help: [{calls: [{tool: refund, with: {order: a}}]}, {say: done}]}
    people: {refund: [{decision: continue}]}
    expect: {end: Done}
"""
FALLS = "emit: {event: OfferB, when: result.price > 3}}"
ANSWER = "{decision: continue}"
DECIDE = "write `decision: continue`, `change` or `refuse`, or `error: timeout` if nobody answers"
AGAIN = "{event: Told, when: events.OfferB}"
JOIN_HINT = "`event` is the one event that a step accepts; a join has `events`"
WAITS = """\
  hour: {kind: wait, accepts: Asked, for: 1 hour, emit: Due}
  remind: {kind: tool, accepts: Due, tool: mail, with: {to: "${{ inputs.host }}"}, emit: nothing}
tests:"""
MAIL = [
    ("tools:\n", 'tools:\n  mail: {python: "desk:mail", args: {to: string}}\n'),
    ("  No: {}\n", "  No: {}\n  Due: {}\n"),
]
BARE = [("events.OfferA.price", "event.price"), ("events.OfferB.price", "event.price")]
BESIDE = "it is a key of the step: write it there, beside `do`"
AT_ONCE = WAITS.replace("kind: wait, accepts: Asked, for: 1 hour", "kind: transform, accepts: Asked")


@pytest.mark.parametrize(
    ("spec", "changes", "expected"),
    [
        # a join that says more than its events is no list of them, whatever else is wrong
        (
            RACE,
            [("emit: OfferB}", FALLS), *BARE],
            [("emit-falls-through", "add a last entry"), *[("unknown-name", JOIN_HINT)] * 2],
        ),
        (
            RACE,
            [*BARE, (", rest: cancel", "")],
            [("unknown-name", JOIN_HINT)] * 2,
        ),
        # the same mistake in the entry that follows
        (
            RACE,
            [
                ("events.OfferA is not none", "events.OfferA"),
                ("- event: Taken\n        with", f"- {AGAIN}\n      - event: Taken\n        with"),
            ],
            [("not-a-condition", "ask `is not none`")] * 2,
        ),
        # a field of a field
        (NESTED, [("{data: \"${{ event.data }}\"}", "{name: a}")], [("unknown-entry", "write `data: {name: …}`")]),
        (
            NESTED,
            [('"${{ event.data }}"', '{name: "${{ event.name }}"}')],
            [("unknown-field", "write `event.data.name`, or declare `name` beside `data`")],
        ),
        (
            NESTED,
            [("start: Came", "moved: {Came.a: text, Came.guest:data, Done.b: data}\nstart: Came")],
            [("no-colon-in-braces", "write `Came.guest: data`")],
        ),
        (NESTED, [('"${{ event.data }}"', '${{ event.data }}"')], [("expression-needs-quotes", "the text begins")]),
        (NESTED, [('emit: {event: Done, with: {data: "${{ event.data }}"}}', "emit: [event: Done, with: {data: a}]")],
         [("missing-key", "between `[ ]` one entry is written in braces, `{event: …, with: …}`")]),
        (NESTED, [("emit: {event: Done,", "emit: [{event: Done, when: !event.n > 3}, {event: Done,")],
         [("syntax-error", "write `not` for `!`")]),
        (NESTED, [("${{ event.data }}", "${{ $.data }}")], [("stray-character", "or `result.name` (what its action")]),
        # what is cut off, beside a question or not
        (GUARD, [*MAIL, ("tests:", WAITS)], [("race-with-the-end", "if it reminds of `ask`, write `remind: 1h`")] * 2),
        (GUARD, [*MAIL, ("tests:", AT_ONCE)], [("race-with-the-end", ": join the branches before the run ends")] * 2),
        # keys of the step in the action of a `map`, beside other mistakes
        (
            GUARD,
            [("method: GET", "method: get"), ("only: public}", "only: public}, timeout: 20s, retry: 3")],
            [("unknown-value", "did you mean `GET`?"), ("misplaced-key", "move it there"), ("unknown-key", BESIDE)],
        ),
        # what a person says to a call
        (GUARD, [(ANSWER, "{}")], [("empty-reply", DECIDE)]),
        (GUARD, [(ANSWER, "{decision: {}}")], [("unknown-value", "it can be `continue`, `change` or `refuse`")]),
        (GUARD, [(ANSWER, "{give: {decision: continue}, after: 3h}")], [("empty-reply", "as it is, without `give`")]),
        (GUARD, [(f"[{ANSWER}]", "yes")], [("wrong-type", "write `[{decision: continue}]`")]),
        (GUARD, [(ANSWER, "yes")], [("wrong-type", "write `{decision: continue}`")]),
        (GUARD, [(ANSWER, "approve")], [("wrong-type", "write `{decision: continue}`")]),
        (GUARD, [("approve: {within: 1h}", "approve: true")], [("wrong-type", "write `{within: …}`, with how long")]),
        # what a person answers in a test
        (GUARD, [("ask: {ok: true}", "ask: {answer: {ok: true}}")], [("unknown-entry", "or `{give: …}`")]),
        (GUARD, [("ask: {ok: true}", "ask: {answer: yes}")], [("unknown-entry", "an answer is the value itself, or")]),
        (GUARD, [("ask: {ok: true}", "ask: yes")], [("wrong-value", "its form is `{ok: …}`")]),
    ],
)  # fmt: skip
def test_hints_beside_other_findings(
    spec: str, changes: list[tuple[str, str]], expected: list[tuple[str, str]]
) -> None:
    assert not check_text(spec.encode(), "spec.yaml").diagnostics
    for old, new in changes:
        assert old in spec
        spec = spec.replace(old, new, 1)
    found = check_text(spec.encode(), "spec.yaml").diagnostics
    assert [each.code for each in found] == [code for code, _ in expected]
    for each, (_, hint) in zip(found, expected, strict=True):
        assert hint in each.hint
