"""What is right at one place and stands at another is told by what says the same where it stands."""

from __future__ import annotations

import pytest

from wfc.compiler.passes import check_text

STEPS = """\
wfc: 1
workflow: steps
start: Came
end: Done
models: {fast: {use: "openai:gpt-4o-mini"}}
tools:
  look: {python: "lib:look", args: {name: string}, output: {found: string}}
  note: {http: {method: POST, url: "https://notes.example/new", body: {text: "${{ args.text }}"}}, args: {text: string}}
agents:
  clerk: {model: fast, tools: [look], description: Looks things up}
  chief: {model: fast, tools: [clerk]}
knowledge:
  books: {files: "./books/*.md"}
  notes: {per: inputs.name}
retries:
  patient: {max_attempts: 3, delay: 1 s}
state:
  last: optional string
key: inputs.name
receives: {Told: {}}
events:
  Came: {name: string, names: list of string}
  Looked: {found: string}
  Fetched: {}
  Counted: {}
  Written: {}
  Worked: {}
  Agreed: {ok: boolean}
  Late: {}
  Each: {}
  Waited: {}
  Heard: {}
  Sent: {}
  Found: {}
  Kept: {}
  Forgot: {}
  Told: {}
  Item: {name: string}
  ItemDone: {}
  Left: {}
  Right: {}
  Done: {}
steps:
  look:
    kind: tool
    accepts: Came
    tool: look
    with: {name: "${{ event.name }}"}
    emit: Looked
  fetch:
    kind: http
    accepts: Looked
    method: GET
    url: https://pages.example/index
    retry: patient
    emit: Fetched
  count:
    kind: command
    accepts: Fetched
    command: [wc, -w]
    emit: Counted
  write:
    kind: llm
    accepts: Counted
    model: fast
    prompt: About ${{ inputs.name }}
    emit: Written
  work:
    kind: agent
    accepts: Written
    agent: chief
    prompt: About ${{ inputs.name }}
    emit: Worked
  ask:
    kind: human
    accepts: Worked
    title: Go on?
    form: {ok: boolean}
    within: 4h
    on_timeout: Late
    emit: Agreed
  give_up:
    kind: transform
    accepts: Late
    emit: Done
  each:
    kind: map
    accepts: Agreed
    in: inputs.names
    as: name
    max: 10
    do: {kind: tool, tool: look, with: {name: "${{ name }}"}}
    emit: Each
  rest:
    kind: wait
    accepts: Each
    for: 1h
    emit: Waited
  hear:
    kind: wait
    accepts: Waited
    event: Told
    within: 1h
    on_timeout: Late
    emit: Heard
  send:
    kind: send
    accepts: Heard
    to: steps
    to_key: inputs.name
    event: Told
    emit: Sent
  find:
    kind: retrieve
    accepts: Sent
    knowledge: books
    query: ${{ inputs.name }}
    emit: Found
  keep:
    kind: remember
    accepts: Found
    knowledge: notes
    text: ${{ inputs.name }}
    emit: Kept
  forget:
    kind: forget
    accepts: Kept
    knowledge: notes
    emit: Forgot
  split:
    kind: transform
    accepts: Forgot
    emit: {each: {in: inputs.names, as: name, event: Item, with: {name: "${{ name }}"}, max: 10}}
  item:
    kind: tool
    accepts: Item
    tool: note
    with: {text: "${{ event.name }}"}
    emit: ItemDone
  collect:
    kind: transform
    accepts: {each: ItemDone}
    emit: {all: [Left, Right]}
  gather:
    kind: transform
    accepts: {all: [Left, Right]}
    emit: Done
tests:
  - name: all goes well
    start: {name: Ada, names: []}
    expect: {end: Done}
"""
OF_BATCH = "    accepts: {each: ItemDone}\n"
OF_JOIN = "    kind: transform\n    accepts: {all: [Left, Right]}\n"
FROM_FORK = "emit: {all: [Left, Right]}"
AN_AGENT = "clerk: {model: fast"
A_MODEL = 'fast: {use: "openai:gpt-4o-mini"'
ASKS = "    accepts: Worked\n"
RESTS = "    accepts: Each\n"
RETRIED = "    retry: patient\n"
WORKS = "    accepts: Written\n"
WRITES = "    accepts: Counted\n"
NAMED = "workflow: steps\n"
BEGINS = "    accepts: Came\n"
OF_MAP = "    max: 10\n"
HEARS = "    event: Told\n    within: 1h\n"
FINDS = "    knowledge: books\n"
FORGETS = "    accepts: Kept\n"
FETCHES = "    accepts: Looked\n"
ITEM = "    accepts: Item\n"
KEYED = ITEM + "    idempotency_key: %s\n"
SENDS = "    accepts: Heard\n"
RUNS = "    accepts: Fetched\n"
SPLIT = "    kind: transform\n    accepts: Forgot\n"
GIVES_UP = "    kind: transform\n    accepts: Late\n"
ABOUT_PATHS = "the steps that accept them run side by side; for each item of a list there is the kind `map`"

HINTS: list[tuple[str, str, tuple[str, ...]]] = [
    # a step that joins, by the words that others have for it
    (OF_JOIN, OF_JOIN.replace("transform", "wait"), ("wait-for-what", "no more, write `kind: transform`; for what")),
    (
        OF_JOIN,
        OF_JOIN.replace("transform", "wait\n    within: 1h\n    on_timeout: Late"),
        ("wait-for-what", "write `kind: transform`, with `within` and `on_timeout` within `accepts`; for"),
    ),
    ("    for: 1h\n", "", ("wait-for-what", "`for` or `until` for a time, or `event` for one from outside; a step")),
    *(
        (OF_JOIN, OF_JOIN.replace("transform", kind), ("unknown-kind", "^write `transform`$"))
        for kind in ("join", "merge", "gather", "barrier", "fanIn", "parallel", "gateway", "parallel-gateway")
    ),
    (
        SPLIT,
        SPLIT.replace("transform", "join"),
        ("unknown-kind", "^write `transform`: which events it waits for says its `accepts`, as `{all: [A, B]}`$"),
    ),
    (SPLIT, SPLIT.replace("transform", "fork"), ("unknown-kind", ABOUT_PATHS)),
    (
        SPLIT,
        SPLIT.replace("transform", "exclusiveGateway"),
        ("unknown-kind", "it chooses by the `when` of the entries of its `emit`"),
    ),
    (
        GIVES_UP,
        GIVES_UP.replace("transform", "while"),
        ("unknown-kind", "to repeat steps, let an event lead back to an earlier one, which has a bound, `max_runs`"),
    ),
    ("    kind: map\n", "    kind: loop\n", ("unknown-kind", "^write `map`: the step has all")),
    (GIVES_UP, GIVES_UP.replace("transform", "end"), ("unknown-kind", "stands under `end`")),
    # an agent among its own tools
    (
        "tools: [clerk]}",
        "tools: [clerk, chief]}",
        ("agents-in-a-circle", "^take `chief` out of its own `tools`: it goes on by itself after each call"),
    ),
    # the start event is of no batch
    (
        OF_BATCH,
        "    accepts: {each: Came}\n",
        ("each-outside-batch", "^replace the join by the event: `accepts: Came`; a batch is collected by"),
    ),
    (
        OF_BATCH,
        "    accepts: {each: [ItemDone, Came]}\n",
        ("each-also-outside-batch", "take `Came` out of the `each`: the run starts with it, and no batch sends it out"),
    ),
    # the first of several events may be enough
    (
        FROM_FORK,
        "emit: [{event: Left, when: inputs.name is empty}, Right]",
        ("join-starves", "or, if the first of its events is enough, write `accepts: {any: [Left, Right]}`$"),
    ),
    # keys of a join
    (
        "{each: ItemDone}",
        "{each: {in: inputs.names, event: ItemDone}}",
        ("wrong-type", "^write `each: ItemDone`: it collects what an `each` under `emit` has sent out$"),
    ),
    # agents and models
    *(
        (AN_AGENT, f"{AN_AGENT}, {line}", ("unknown-key", hint))
        for line, hint in (
            ("seed: 3", "^it is said of the model: `models: {fast: {…, settings: {seed: …}}}`$"),
            ('input: {a: "${{ inputs.name }}"}', "^what it is given is said where it is called, under `with`"),
            ("temperature: 1", "^it is said of the model, where that is declared: `models: {fast: {…, temperature"),
            ("thread: talk", "^it is said by the step that lets the agent work: `thread` beside `kind: agent`$"),
            ("max_retries: 3", "^it is said by the step that lets the agent work: `retry` beside `kind: agent`$"),
        )
    ),
    *(
        (A_MODEL, f"{A_MODEL}, {line}", ("unknown-key", hint))
        for line, hint in (
            ("system: Be kind", "^it is said where the model is asked: `system` of a step of kind `llm`, or of"),
            ("max_turns: 3", "^it is said of an agent, which has a `model`: `agents: {NAME: {model: …, max_turns"),
            ("max_retries: 3", "^how often it is asked is said by the `retry` of the step"),
        )
    ),
    *(
        ("{each: ItemDone}", wrong, ("unknown-key", hint))
        for wrong, hint in (
            ("{each: ItemDone, within: 1h, timeout: 2h, on_timeout: Late}",
             "^`within` stands here already, and bounds how long the join waits$"),
            ("{each: ItemDone, timeout: 2h}", "^write `within`$"),
            ("{each: ItemDone, min: 2}", "^how many of them are enough is said by `count`$"),
            ("{each: ItemDone, max: 10}", "^what is sent for each item is said where it is emitted: `emit: {each: {"),
            ("{all: [ItemDone], count: 2}", "`{any: [A, B, C], count: 2}`, and of a batch `{each: A, count: 2}`$"),
            ("{event: ItemDone, count: 2}", "`{any: [A, B, C], count: 2}`, and of a batch `{each: A, count: 2}`$"),
            ("{many: ItemDone}", "^write `each`: it collects all `ItemDone` that an `each` under `emit` leads to$"),
            ("{every: ItemDone}", "^write `each`: it collects all `ItemDone`"),
            ("{every: [Left, Right]}", "^write `all`$"),
        )
    ),
    # what an action within a `map` has not
    *(
        ("do: {kind: tool, ", f"do: {{kind: tool, {line}, ", ("unknown-key", hint))
        for line, hint in (
            ("retries: 3", "^how often it is tried is said by the step, beside `do`: `retry: {max_attempts: …}`$"),
            ("continue_on_error: true", "^what follows when an item fails stands beside `do`: `on_item_error: skip`"),
            ("on_failure: Late", "^what follows when an item fails stands beside `do`"),
            ("deadline: 1h", "^how long each item may take is said by the step, beside `do`: `timeout`$"),
            ("register: x", "^what each item gives is said by `give`, beside `do`$"),
            ("parallel: 3", "^how many items are worked on at once is said by `concurrency`, beside `do`$"),
            ("max: 3", "^it is a key of the `map` itself: write it there, beside `do`$"),
            ("description: x", "^it is a key of the step: write it there, beside `do`$"),
        )
    ),
    # what is no tool
    ("tool: look\n", "tool: books\n", ("unknown-tool", "searched by a step of kind `retrieve`: `knowledge: books`$")),
    ("tool: look\n", "tool: clerk\n", ("unknown-tool", "works in a step of kind `agent`: `agent: clerk`$")),
    # keys of a policy, of a join, and of a test
    ("{max_attempts: 3,", "{max_attempts: 3, timeout: 9 s,", ("unknown-key", "^all attempts together are bounded by")),
    ("{max_attempts: 3,", "{max_attempts: 3, filter: x,", ("unknown-key", "^what can stand here too is")),
    ("{max_attempts: 3,", "{max_attempts: 3, description: x,", ("unknown-key", "^what can stand here too is")),
    (
        "{all: [Left, Right]}\n    emit",
        "{all: [Left, Right], within: 1h, on_timeout: Late, with: {a: b}}\n    emit",
        ("unknown-key", "`on_timeout: {event: Late, with: …}`$"),
    ),
    (
        "    expect: {end: Done}",
        "    expect: {end: Done}\n    fails: timeout",
        ("misplaced-key", "^write `expect: {fails: …}`, without `end`: a run that fails comes to none$"),
    ),
    # a key that cannot be read is not said to be the same each time as well
    (ITEM, KEYED % "note-${{ inputs.name }}", ("repeated-idempotency-key", "use a field of `event` in the key")),
    (ITEM, KEYED % "note-${{ item }}", ("unknown-name", "")),
    (ITEM, KEYED % "note-${{ inputs.nme }}", ("unknown-field", "did you mean `name`?")),
    (ITEM, KEYED % '"{{ event.name }}"', ("braces-without-dollar", "write `${{`")),
]  # fmt: skip
ADDED: list[tuple[str, str, str]] = [
    # whether a step runs
    (FETCHES, "when: inputs.name is not empty", "^whether a step runs is said where `Looked` is emitted: `emit: [{eve"),
    (FETCHES, "runIf: inputs.name != ''", "^whether a step runs is said where `Looked`"),
    (FETCHES, "if: ${{ success() }}", "^leave it out: a step runs when what it `accepts` comes"),
    (FETCHES, "if: success() && inputs.name != ''", "^whether a step runs is said where `Looked`"),
    (FETCHES, "if: always()", "where the step that fails says so: `on_error: [Looked]`, with the event that this step"),
    (FETCHES, "if: ${{ failure() }}", "says so: `on_error: [Looked]`"),
    (FETCHES, "if: cancelled()", "is cancelled is said by `on_cancel` at the top"),
    (FETCHES, "when: response.status == 200", "^what a step gives is asked for by the `when` of an entry"),
    (GIVES_UP, "if: inputs.name is empty", "[{event: A, when: …}, B]`; whether it runs, where `Late` is emitted"),
    (OF_JOIN, "if: inputs.name is empty", "whether it runs, where what it accepts is emitted"),
    (BEGINS, "when: event.name != ''", "by a step before it, `{kind: transform, accepts: Came, emit: [{event: A,"),
    (OF_MAP, "when: name != ''", "^which items anything is done with is said by `keep`$"),
    (OF_MAP, "where: name != ''", "^which items anything is done with is said by `keep`$"),
    (OF_MAP, "when: inputs.name != ''", "^whether a step runs is said where `Agreed` is emitted"),
    (HEARS, "when: result.x == 1", "^which event is taken is said by `that: result.…`; what a step gives is asked for"),
    (FINDS, "filter: about.x == 1", "^which passages count is said by `that`$"),
    (FORGETS, "if: always()", "`on_error: [Kept]`"),
    # further attempts, where there are none, or where `retry` says so already
    (ASKS, "retries: 3", "^a `human` has no action that could fail: leave it out; a person is reminded by `remind`; "
     "how often the step may run is said by `max_runs`$"),
    (HEARS, "maxRetries: 3",
     "^a `wait` has no action that could fail: leave it out; how often the step may run is said by `max_runs`$"),
    (GIVES_UP, "backoff: 2", "^a `transform` has no action that could fail: leave it out$"),
    (RETRIED, "max_attempts: 4", "^the policy `patient`, which `retry` names here, says so: `retries: {patient: {…, m"),
    (RETRIED, "retries: 4", "`retries: {patient: {…, max_attempts: …}}`$"),
    (RETRIED, "backoff: 2", "`retries: {patient: {…, backoff: …}}`$"),
    (BEGINS, "retries: 3", "^write `retry: {max_attempts: 4}`: the first attempt is counted too$"),
    (ASKS, "on_failure: Late", "leave it out; what follows when nothing comes in time is said by `on_timeout`$"),
    # how long something may take
    (ASKS, "deadline: 3h", "^`within` stands here already, and bounds how long it waits$"),
    (RESTS, "deadline: 3h", "^how long it waits is said by `for`, and until when by `until`: leave it out$"),
    (OF_JOIN, "within: 1h", "^how long a join waits is said within it: `accepts: {…, within: 1h, on_timeout: A}`$"),
    (FETCHES, "deadline: 1h", "^an attempt is bounded by `timeout`, a wait by `within`, and the whole run by"),
    (WRITES, "within: 1h", "^an attempt is bounded by `timeout`; how long to wait is said by `within` in steps of"),
    # what follows
    (RESTS, "next: hear", "^steps are tied by events: what one step has under `emit`, another one"),
    (RESTS, "then: hear", "^steps are tied by events"),
    (FETCHES, "goto: count", "^steps are tied by events"),
    (FETCHES, "on_success: count", "^steps are tied by events"),
    (FETCHES, "depends_on: [look]", "^steps are tied by events"),
    (FETCHES, "all: [Looked, Came]", "^which events a step waits for says its `accepts`: `{all: [A, B]}`"),
    # side by side
    (WORKS, "parallel: true", "^how many tools an agent calls at once is said by `parallel_calls`; steps that accept"),
    (OF_MAP, "continue-on-error: true", "^`on_item_error: skip` leaves out an item that fails"),
    (OF_MAP, "parallel: 4", "^how many items are worked on at once is said by `concurrency`$"),
    (FETCHES, "parallel: true", "^steps that accept the same event run side by side$"),
    # what is said of a model, or of a tool
    (WRITES, "max_tokens: 400", "^it is said of the model, where that is declared: `models: {fast: {…, max_tokens: …"),
    (WRITES, "top_p: 1", "^it is said of the model: `models: {fast: {…, settings: {top_p: …}}}`$"),
    (WRITES, "fallback: [fast]", "`models: {fast: {…, fallback: …}}`$"),
    (WRITES, "fallback: Late", "^write `on_error`$"),
    (ITEM, "read_only: true", "^it is said of the tool, where that is declared: `tools: {note: {…, read_only: true"),
    (FETCHES, "read_only: true", "^what a request does is said by its `method`"),
    (ASKS, "output: {ok: boolean}", "^what a person answers is said by `form`$"),
    (FETCHES, "approve: {within: 1h}", "^whether somebody allows it is asked by a step of kind `human` before"),
    # the top of the file
    (NAMED, "retry: 3", "^what holds for all steps is said by `defaults: {retry: {max_attempts: …}}`"),
    (NAMED, "needs: look", "^steps are tied by events"),
    (NAMED, "title: A walk", "^the workflow's name stands under `workflow`; for more words there is `description`$"),
    (NAMED, "timeout_seconds: 30", "^how long a run may take is said by `deadline`, such as `deadline: 1h`$"),
    (NAMED, "person: Ada", "^what can stand here too is `version`"),
    (NAMED, "event: Late", "^it is a key of steps of kind `wait` and `send`"),
    # words that are only like a key in letters
    *((WRITES, line, "^what can stand here too is") for line in ("fields: {a: b}", "roles: x", "try: x", "return: x")),
    (ASKS, "throw: x", "^what can stand here too is"),
    (FETCHES, "module: x", "^what can stand here too is"),
    (WRITES, "retry_on: [timeout]", "^it belongs to the retry policy: `retry: {…}`$"),
    (RESTS, "MaxConcurrency: 3", "^a `wait` has no action that could fail or be limited: leave it out$"),
    # the value that a key of others has here
    (FETCHES, "timeout_minutes: 4", "^write `timeout: 4 min`$"),
    (FETCHES, "timeoutSeconds: 45", "^write `timeout: 45s`$"),
    (FETCHES, "assert: result != 3", "^write `require: [{that: result != 3, say: …}]`$"),
    (WRITES, "response_format: json", "^what comes back is said by `output`, with its type"),
    (WRITES, "format: string", "^write `output`$"),
    # what a step gives, where it gives something
    (FETCHES, "result: page", "^what a step gives is its `result`: hand it on in an event"),
    (RESTS, "register: page", "^a `wait` has no `result`: what it hands on stands in its event"),
    (SENDS, "register: page", "^a `send` has no `result`"),
    (SENDS, "assert: result", "^what can stand here too is"),
    # which event
    (FETCHES, "event: Looked", "^the event that starts a step stands under `accepts`, and the one that it sends under"),
    (ASKS, "with: {ok: true}", "`emit: {event: Agreed, with: …}`, or `on_timeout: {event: Late, with: …}`$"),
    (FETCHES, "with: {a: b}", "^what is sent with a request stands under `body` or `query`; what an event carries"),
    (FETCHES, "with: {a: b}", "and likewise under `on_error` and `on_limit`$"),
    # how long it waits
    (HEARS, "ttl: 2h", "^`within` stands here already, and bounds how long it waits$"),
    (RESTS, "ttl: 2h", "^how long it waits is said by `for`, and until when by `until`: leave it out$"),
    (WRITES, "for: 1h", "^it is a key of a step of kind `wait`, and of other things$"),
    # how often something is called
    (FETCHES, "rate: 1 per s", "`tools: {NAME: {http: …, rate: 60 per min}}`, and a step of kind `tool` calls it$"),
    (BEGINS, "rate_limit: 60", "`tools: {look: {…, rate: 60 per min}}`$"),
    (WRITES, "rpm: 60", "^it is said of the model, where that is declared: `models: {fast: {…, rate: …}}`$"),
    (ASKS, "rate: 60", "^only what is called has a rate: a tool or a model, where it is declared$"),
    # an agent that is declared
    (WORKS, "max_iterations: 3", "^it is said of the agent, where that is declared: `agents: {chief: {…, max_turns"),
    (WORKS, "llm: fast", "`agents: {chief: {…, model: …}}`$"),
    (WRITES, "thread_id: x", "`threads: {NAME: {…}}` at the top, and is used by it: `thread: NAME`"),
    # the list of a map, and what is given to a program
    (OF_MAP, "items: inputs.names", "^which list it goes through is said by `in`"),
    (OF_MAP, "limit: 10", "^how many items there may be is said by `max`"),
    (RUNS, "args: [a]", "^what a program is given stands behind its name: `command: [sort, -u]`"),
    (RUNS, 'with: {id: "7"}', "^what a program is given stands behind its name: `command: [sort, -u]`"),
    (FETCHES, "env: {A: b}", "`config.name`; a key or a password is a name under `secrets`$"),
]  # fmt: skip
"""Lines that are added to a step below one of its own, each with the hint for the key that it begins with."""


def test_what_the_mistakes_are_made_in_is_right() -> None:
    assert not check_text(STEPS.encode(), "spec.yaml").diagnostics


@pytest.mark.parametrize(
    ("right", "wrong", "said"), HINTS, ids=[f"{at}: {row[1]}" for at, row in enumerate(HINTS)]
)
def test_a_hint_is_of_the_place_where_the_mistake_is(right: str, wrong: str, said: tuple[str, ...]) -> None:
    """Before a hint `^` says that nothing precedes, behind it `$` that nothing follows."""
    assert right in STEPS
    found = check_text(STEPS.replace(right, wrong, 1).encode(), "spec.yaml").diagnostics
    told = [(each.code, each.hint) for each in found]
    assert [code for code, _ in told] == list(said[::2]), told
    for (_, hint), expected in zip(told, said[1::2], strict=True):
        assert expected in f"^{hint}$", told


@pytest.mark.parametrize(
    ("below", "line", "hint"), ADDED, ids=[f"{row[0].strip()}: {row[1]}" for row in ADDED]
)
def test_a_key_is_told_by_what_does_this_at_its_place(below: str, line: str, hint: str) -> None:
    assert below in STEPS
    indent = " " * (len(below) - len(below.lstrip()))
    text = STEPS.replace(below, f"{below}{indent}{line}\n", 1)
    (found,) = check_text(text.encode(), "spec.yaml").diagnostics
    assert found.code == "unknown-key"
    assert hint in f"^{found.hint}$", found.hint
