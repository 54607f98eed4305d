"""Slips of authors who know the language: one change of a spec of the guide, and the hint that leads back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.diagnostics.fixes import fix_until_stable
from wfc.compiler.diagnostics.render import render
from wfc.compiler.passes import check_text

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = DOCS / "guide.md"
SPECS = {
    name: text
    for text in (
        *re.findall(r"```yaml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL),
        *(
            (DOCS / f"language/{name}.yaml").read_text(encoding="utf-8")
            for name in ("keeping_talks", "who_has_answered")
        ),
    )
    for name in re.findall(r"^workflow: (\w+)$", text, re.MULTILINE)
}
PLACED = "OrderPlaced: {item: string, quantity: integer}"
ADDRESS = "url: ${{ config.weather_url }}/today/${{ event.city }}"
FAILS = "mock: {ask: {error: http.503}}"
JOIN = "accepts: {all: [PriceFound, StockFound]}"
TABLE = [
    # the workflow, what stands there, what is written instead, the one code, what the hint says
    ("orders", "workflow: orders", "name: orders", "unknown-key", "write `workflow`"),
    ("orders", "workflow: orders", "workflow: orders\nname: Orders", "unknown-key", "the workflow's name stands"),
    ("orders", "start: OrderPlaced", "start: [OrderPlaced]", "wrong-type", "write `OrderPlaced`"),
    ("orders", "end: [OrderAccepted, OrderRefused]", "end: OrderAccepted", "event-never-accepted", "add `Order"),
    ("orders", PLACED, f"{PLACED[:-1]}, tone: enum(red, green)}}", "text-cut-by-comma", "`{enum: [red, green]}`"),
    ("orders", PLACED, "OrderPlaced: [item: string, quantity: integer]", "wrong-type", "`{item: …, quantity: …}`"),
    ("orders", "kind: transform", "kind: transform\n    max_retries: 3", "unknown-key", "a `transform` has no action"),
    ("orders", "when: event.quantity > 100", 'when: "event.quantity" > 100', "syntax-error", "put all of it in quotes"),
    ("orders", "when: event.quantity > 100", "when: {a: 1}", "wrong-type", ""),
    ("orders", '"${{ event.quantity }} is more than we have"', "event.quantity + ' is more'", "expression-as-text",
     "to put texts together write `~`"),
    ("weather_note", "    retry: patient", "    retries: patient", "unknown-key", "write `retry`"),
    ("weather_note", "retry_on: [http.5xx, http.429,", "retry_on: [http.5xx, 429,", "wrong-type", "write `http.429`"),
    ("weather_note", ADDRESS, "url: config.weather_url/today/${{ event.city }}", "bad-url",
     "`${{ config.weather_url }}`"),
    ("weather_note", ADDRESS, "url: ${{ config.weather_url }} + '/today'", "bad-url", "without `+`"),
    ("weather_note", "result.celsius < 5", "response.celsius < 5", "unknown-field", "there is `result.celsius`"),
    ("weather_note", "result.celsius < 5", "ask.celsius < 5", "unknown-name", "write `result.celsius`"),
    ("weather_note", '"${{ error.message }}"', "\"${{ f'{error.name}' }}\"", "unexpected-token", "write `error.name`,"),
    ("weather_note", '"${{ error.message }}"', '"{% error.message %}"', "unknown-statement", "`${{ error.message }}`"),
    ("weather_note", 'with: {text: "Take a coat to ${{ event.city }}"}', 'with: {text "${{ event.city }}", }',
     "no-colon-in-braces", "write `text: …`"),
    ("weather_note", "result.celsius < 5", "await result.celsius < 5", "unexpected-token", "leave out `await`"),
    ("weather_note", "result.celsius < 5", "$.celsius < 5", "stray-character", "as in `event.name`"),
    ("weather_note", ADDRESS, "url: https://weather.example/{% event.city %}", "statement-elsewhere",
     "`${{ event.city }}`"),
    ("parcel", "    within: 5 days", "    within: 5 days\n    colour: [a]", "unknown-key",
     "what can stand here too is `until`, `description`, `max_runs`, `on_limit`, `save` and `stream`"),
    ("weather_note", "${{ error.message }}", "${{ {error.message} }}", "unexpected-token", "leave out the braces"),
    ("orders", "OrderAccepted: {item: string}", "OrderAccepted: {item: strnig}", "unknown-type", "`string`"),
    ("orders", "start: {item: pen, quantity: 3}", "start: {item: pen, quantity: 5.000,00}", "number-cut-by-comma",
     "write `5000.00`"),
    ("orders", "wfc: 1", 'wfc: "1"', "unknown-value", "write `1` without quotes"),
    ("orders", "wfc: 1", "apiVersion: wfc/v1", "unknown-key", "write `wfc`"),
    ("orders", PLACED, PLACED.replace("integer", "bigint"), "unknown-type", "write `integer`"),
    ("orders", PLACED, PLACED.replace("integer", "blob"), "unknown-type", "write `File` for a file"),
    ("orders", PLACED, PLACED.replace("integer", "{type: integer, required: true}"), "wrong-type",
     "leave out `required`"),
    ("orders", PLACED, f"{PLACED[:-1]}, tags: string[]}}", "syntax-error", "write `list of string`"),
    ("orders", "when: event.quantity > 100", "when: event.item =~ 'p.*'", "foreign-operator",
     'write `| matches(".*p.*")`'),
    ("orders", "when: event.quantity > 100", "when: exists(event.item)", "method-call", "is asked by `is not none`"),
    ("orders", "${{ event.quantity }} is", "${{ event.quantity || 0 }} is", "foreign-operator", "write `| default(…)`"),
    ("weather_note", "result.celsius < 5", "self.result.celsius < 5", "unknown-name", "leave out `self.`"),
    ("weather_note", "result.celsius < 5", "result.celsius &lt; 5", "foreign-operator", "write `<`"),
    ("weather_note", "delay: 2s ", "delay: 2000 ", "wrong-type", "write a unit: `2000ms` or `2000s`"),
    ("orders", "steps:", "States:", "unknown-key", "write `steps`"),
    ("orders", "      - OrderAccepted", "      - null", "wrong-type", "write `nothing`"),
    ("orders", "kind: transform", "kind: set", "unknown-kind", "write `transform`"),
    ("weather_note", "kind: http", "kind: httpRequest", "unknown-kind", "write `http`"),
    ("orders", "when: event.quantity > 100", "when: ={{ $json.quantity > 100 }}", "stray-character",
     "one of its fields `event.name`; and this is an expression already"),
    ("orders", '"${{ event.quantity }} is more than we have"', '"={{ event.quantity }} is more"',
     "braces-without-dollar", "write `${{`"),
    ("orders", "  OrderPlaced: {item", "  - OrderPlaced: {item", "syntax-error", "if this is no list, leave out"),
    ("orders", "expect: {end: OrderAccepted, with: {item: pen}}", "expect: {end: OrderAccepted, after 20s}",
     "text-cut-by-comma", "write `after: 20s` if that is another key"),
    ("weather_note", "url: ${{ config.weather_url }}/today/${{ event.city }}", "url: {% event.city %}", "syntax-error",
     "a value is put in by `${{ … }}`"),
    ("weather_note", "{city: Oslo}", "{city: ${{ inputs.cities['a'] | first }}}", "expression-needs-quotes",
     "in a test a value is written out"),
    ("expenses", 'pluck("amount") | sum | fixed', 'pluck("amount) | sum | default("") | fixed', "unclosed-text",
     "here or in a text before it"),
    ("expenses", "{category: name, amount: rows", "{(name): name, amount: rows", "unexpected-token", "made by `group`"),
    ("expenses", "{category: name, amount: rows", "{rows.x: name, amount: rows", "unexpected-token", "made by `group`"),
    ("weather_note", FAILS, "mock: {ask: {status: 503}}", "wrong-value", "`{error: http.503}`"),
    ("weather_note", FAILS, "mock: {ask: timeout}", "wrong-value", "`{error: timeout}`"),
    ("weather_note", FAILS, "mock: {ask: error}", "wrong-value", "`{error: NAME}`"),
    ("weather_note", '{type: string, format: uri, default: "https://weather.example"}', "https://weather.example",
     "unknown-type", "the `default` of a type"),
    ("quote", JOIN, "accepts: [{all: [PriceFound, StockFound]}]", "wrong-type", "`accepts: {all: …}`"),
    ("quote", "${{ events.price }}", "${{ ask_price.result.price }}", "unknown-name", "`events.PriceFound.price`"),
    ("quote", "${{ events.price }}", "${{ steps.ask_price.price }}", "unknown-name", "in a join `events`"),
    ("quote", "deadline: 1 min", "timeout: 1 min", "misplaced-key", "the time of the whole run is its `deadline`"),
    ("orders", "accepts: OrderPlaced", "accepts: {event: OrderPlaced}", "unknown-key", "`accepts: OrderPlaced`"),
    ("orders", "accepts: OrderPlaced", "accepts: {OrderPlaced: order}", "unknown-key", "`accepts: OrderPlaced`"),
    ("orders", "when: event.quantity > 100", "when: event::quantity > 100", "unexpected-token", "`event.quantity`"),
    ("orders", "when: event.quantity > 100", "when: event->quantity > 100", "unexpected-token", "`event.quantity`"),
    ("orders", "when: event.quantity > 100", "when: {event.quantity > 100}", "text-cut-by-comma",
     "leave out the braces, `when: event.quantity > 100`"),
    ("orders", "when: event.quantity > 100", "when: event.item is pen", "unknown-test", 'write `== "pen"`'),
    ("orders", "when: event.quantity > 100", "when: event.item is not pen", "unknown-test", 'write `!= "pen"`'),
    ("orders", "when: event.quantity > 100", "when: event.item == no", "unknown-name", 'in quotes: `"no"`'),
    ("orders", PLACED, "OrderPlaced: item: string, quantity: integer", "text-cut-by-colon", "the entries in braces"),
    ("orders", PLACED, "OrderPlaced: {item?: string, quantity: integer}", "bad-name", "`item: optional string`"),
    ("orders", PLACED, "OrderPlaced: {item: string, quantity: integer > 0}", "unknown-type",
     "`{type: integer, min: 1}`"),
    ("orders", PLACED, "OrderPlaced: {item: string = pen, quantity: integer}", "unknown-type",
     "`{type: string, default: pen}`"),
    ("orders", "      - event: OrderRefused", "      - OrderRefused", "syntax-error",
     "write `- event: OrderRefused`"),
    ("keeping_talks", "    key: inputs.guest ", "    key: event.guest ", "unknown-name", "write `inputs.guest`"),
    ("keeping_talks", "{messages: 4, summarize: fast}", "4", "wrong-type", "write `{messages: 4}`"),
    ("keeping_talks", "keep: {messages: 4, summarize: fast}", "keep_last: 4", "unknown-key",
     "write `keep: {messages: …}`"),
    ("keeping_talks", "    for: 90 days ", "    ttl: 90 days ", "unknown-key", "write `for`"),
    ("keeping_talks", "    thread: stay", "    session: stay", "unknown-key", "write `thread`"),
    ("keeping_talks", "threads:\n  stay:", "sessions:\n  stay:", "unknown-key", "write `threads`"),
    ("keeping_talks", "handoffs: [kitchen]", "hand_over: [kitchen]", "unknown-key", "write `handoffs`"),
    ("keeping_talks", '- {say: "Soup or salad?"}', "- Soup or salad?", "wrong-type", "write `{say: …}`"),
    ("keeping_talks", "[{calls: [{hand_over: kitchen, with: {}}]}]", "[{hand_over: kitchen}]", "unknown-key",
     "write `calls: [{hand_over: …}]`"),
    ("keeping_talks", "with: {guest: ann, text: Soup please.}", "with: [guest: ann, text: Soup]", "wrong-type",
     "a map instead of a list"),
    ("keeping_talks", "receives: {Said: {key: guest}}", "receives: [Said]", "wrong-type", "write `{Said: {}}`"),
    ("who_has_answered", "${{ state.tokens + agent.tokens }}", "${{ state.tokens }} + ${{ agent.tokens }}",
     "wrong-value", "write `${{ state.tokens + agent.tokens }}`"),
    ("who_has_answered", "[{calls: [{hand_over: kitchen}]}]", "[{calls: [{hand_over: kitchen, {tool: x}]}]",
     "key-not-text", "close the map before it"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("workflow", "right", "wrong", "code", "hint"), TABLE, ids=[f"{each[0]}: {each[2]}" for each in TABLE]
)
def test_the_hint_leads_back(workflow: str, right: str, wrong: str, code: str, hint: str) -> None:
    text = SPECS[workflow]
    assert right in text
    bad = text.replace(right, wrong, 1)
    found = check_text(bad.encode(), "slip.yaml").diagnostics
    assert [each.code for each in found] == [code], render(found, {"slip.yaml": bad})
    assert hint in found[0].hint
    assert hint or not found[0].hint


FIXED = [
    # the workflow, what stands there, what is written instead, and what the fixes make of it
    ("orders", "${{ event.quantity }} is", "${{ event.quantity is", "${{ event.quantity is more than we have }}"),
    ("count_down", 'rounds: "${{ state.rounds }}", reason: all', 'rounds: "${{ state.rounds ", reason: all', None),
    ("weather_note", "[http, timeout, connection]", "[http, http, connection]", "[http, http, connection]"),
    ("quote", JOIN, "accepts: {all: [PriceFound, [StockFound, PriceFound]]}",
     "accepts: {all: [PriceFound, [StockFound, PriceFound]]}"),
    ("quote", JOIN, "accepts: {all: [PriceFound, StockFound, StockFound]}", JOIN),
    ("holiday", 'when: result.answer == "later"', 'when: (result.answer == "later)', '(result.answer == "later)'),
]  # fmt: skip


@pytest.mark.parametrize(("workflow", "right", "wrong", "after"), FIXED, ids=[each[2] for each in FIXED])
def test_a_fix_gives_back_what_was_meant_or_leaves_it(
    workflow: str, right: str, wrong: str, after: str | None
) -> None:
    text = SPECS[workflow]
    assert right in text
    bad = text.replace(right, wrong, 1)

    def found(each: str) -> tuple[Diagnostic, ...]:
        return check_text(each.encode(), "slip.yaml").diagnostics

    fixed = fix_until_stable(bad, found(bad), found, unsafe=True).text
    assert fixed == text if after is None else after in fixed


QUOTED = [
    (f"{path.stem} line {line}", line, text[: found.end() - 1] + text[found.end() :])
    for path in sorted((Path(__file__).parents[2] / "docs/language").glob("*.yaml"))
    for text in [path.read_text(encoding="utf-8")]
    for found in [*re.finditer(r'^ *[\w-]+: "[^"\n]*"$', text, re.MULTILINE)][:1]
    for line in [text.count("\n", 0, found.start()) + 1]
]


@pytest.mark.parametrize(("line", "spec"), [each[1:] for each in QUOTED], ids=[each[0] for each in QUOTED])
def test_a_quote_that_is_lost_is_told_where_it_opens(line: int, spec: str) -> None:
    """Not where a quote below closes it by chance, and what follows there cannot be read."""
    first = check_text(spec.encode(), "slip.yaml").diagnostics[0]
    assert first.start.line == line
    assert "quote" in first.message
