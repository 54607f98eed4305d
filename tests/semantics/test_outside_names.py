"""Fields that have other names outside: what goes out has those, what comes in must have them, nothing is lost."""

from __future__ import annotations

import asyncio
import json
import random
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pydantic_core import to_jsonable_python

from wfc.runtime import StepFailedError
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.values.outputs import InvalidOutput, Wanted, form_schema, from_json
from wfc.runtime.values.outside_names import json_outside


class Mirror(ThreadingHTTPServer):
    """Answers each request with its body, and keeps it; with ``answer`` instead, if there is one."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), MirrorHandler)
        self.got: list[tuple[str, Any]] = []
        self.answer: object = None


class MirrorHandler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        mirror = self.server
        assert isinstance(mirror, Mirror)
        sent = self.rfile.read(int(self.headers["content-length"]))
        mirror.got.append((self.path, json.loads(sent)))
        content = sent if mirror.answer is None else json.dumps(mirror.answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mirror]:
    with Mirror() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        monkeypatch.setenv("WFC_URL", f"http://127.0.0.1:{server.server_address[1]}")
        yield server
        server.shutdown()
        thread.join()


REQUEST = """
start: Asked
end: Told
config: {url: {type: string, format: uri}}
types:
  Page: {id: {type: string, as: "_id"}, class: {type: string, as: "@class"}, tags: {type: list of Tag, as: "Tags"}}
  Tag: {name: {type: string, as: "tag name"}, on: {type: optional date, as: "On"}}
events: {Asked: {page: {type: Page, as: "Page"}}, Told: {page: {type: Page, as: "Told page"}}}
steps:
  send:
    kind: http
    accepts: Asked
    method: POST
    url: ${{ config.url }}/pages
    body: {page: "${{ event.page }}", id: "${{ event.page.id }}"}
    output: {back: {type: Page, as: page}, more: {type: optional string, as: "_more"}}
    emit: {event: Told, with: {page: "${{ result.back }}"}}
"""
PAGE = {"id": "1", "class": "x", "tags": [{"name": "a", "on": "2026-02-28"}, {"name": "b", "on": None}]}
OUTSIDE = {
    "_id": "1",
    "@class": "x",
    "Tags": [{"tag name": "a", "On": "2026-02-28"}, {"tag name": "b", "On": None}],
}


def run(workflow: type[Any], start: dict[str, Any]) -> Any:
    async def main() -> Any:
        kind = definition_of(workflow).plan.start_class
        return await workflow().run(start_event=kind.model_validate_json(json.dumps(start)))

    return asyncio.run(main())


def test_what_a_request_sends_and_what_is_read_of_its_answer(shown: Any, mirror: Mirror) -> None:
    end = run(shown.workflow(REQUEST), {"page": PAGE})
    ((path, body),) = mirror.got
    assert body == {"page": OUTSIDE, "id": "1"}
    assert path == "/pages"
    assert to_jsonable_python(end, by_alias=True) == {"page": PAGE}


@pytest.mark.parametrize("answer", [{"page": PAGE}, {"back": OUTSIDE}, {"page": {**OUTSIDE, "_id": 1}}])
def test_an_answer_by_other_names_is_refused(answer: object, shown: Any, mirror: Mirror) -> None:
    mirror.answer = answer
    with pytest.raises(StepFailedError, match="something else than declared"):
        run(shown.workflow(REQUEST), {"page": PAGE})


def test_an_own_name_in_an_answer_is_a_field_like_any_other(shown: Any, mirror: Mirror) -> None:
    mirror.answer = {"page": {**OUTSIDE, "id": 7, "tags": 8}, "back": 9}
    assert to_jsonable_python(run(shown.workflow(REQUEST), {"page": PAGE}), by_alias=True) == {"page": PAGE}


# --- by chance: types of every form, and data of theirs

SCALARS = {
    "string": lambda chance: chance.choice(["", "a", "_id", "ä\n", "0"]),
    "integer": lambda chance: chance.randrange(-5, 5),
    "boolean": lambda chance: chance.random() < 0.5,
    "date": lambda chance: f"2026-02-{chance.randrange(1, 29):02}",
    "decimal": lambda chance: str(chance.randrange(1000) / 100),
    "duration": lambda chance: f"PT{chance.randrange(1, 50)}M",
}
OWN = ["id", "class", "from", "items", "key", "name", "model_dump", "schema", "get", "x", "value", "größe"]
FOREIGN = ["_id", "@type", "first name", "$ref", "X-Y", "größe?", "2nd", "in", "_", "a.b", '"', "{", "#"]


class Some:
    """Random record types ``R0 R1 …``; each may hold those before it, and itself where that may be left out."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.records: list[dict[str, tuple[Any, str]]] = []
        """For each record and field its type and its name outside."""
        for number in range(chance.randrange(1, 5)):
            own = chance.sample(OWN, chance.randrange(1, 5))
            foreign = chance.sample(FOREIGN, len(own))
            self.records.append(
                {
                    name: (self.type(number), there if chance.random() < 0.6 else name)
                    for name, there in zip(own, foreign, strict=True)
                }
            )

    def type(self, number: int, deep: int = 0) -> Any:
        forms = ["scalar", "list", "map", "optional"] if deep < 3 else ["scalar"]
        forms += ["record"] * 3 if number else []
        forms += ["union"] if number > 1 and not deep else []
        form = self.chance.choice(forms)
        if form == "scalar":
            return form, self.chance.choice([*SCALARS])
        if form == "record":
            return form, self.chance.randrange(number)
        if form == "union":
            return form, self.chance.sample(range(number), 2)
        if form == "optional" and self.chance.random() < 0.3:
            return form, ("record", number)
        inner = self.type(number, deep + 1)
        return inner if form == inner[0] == "optional" else (form, inner)

    def written(self, type_: Any) -> str:
        form, of = type_
        if form == "scalar":
            return str(of)
        if form == "record":
            return f"R{of}"
        if form == "union":
            return f"{{one_of: [R{of[0]}, R{of[1]}]}}"
        return f"{ {'list': 'list of', 'map': 'map of', 'optional': 'optional'}[form] } {self.written(of)}"

    def spec(self) -> str:
        lines = ["start: Asked", "end: Told", "types:"]
        for number, fields in enumerate(self.records):
            lines.append(f"  R{number}:")
            # what tells two records of a union apart
            lines.append(f"    kind: {{enum: [k{number}]}}")
            for name, (type_, there) in fields.items():
                named = f", as: {json.dumps(there, ensure_ascii=False)}" if there != name else ""
                lines.append(f"    {name}: {{type: {self.written(type_)}{named}}}")
        last = f"R{len(self.records) - 1}"
        lines += [f"events: {{Asked: {{it: {last}}}, Told: {{it: {last}, all: list of {last}}}}}", "steps:"]
        lines += [
            '  go: {kind: transform, accepts: Asked, emit: {event: Told, with: {all: ["${{ event.it }}"]}}}'
        ]
        return "\n".join(lines)

    def value(self, type_: Any, deep: int = 0) -> tuple[Any, Any]:
        """Returns one value twice: with the own names, and with those outside."""
        form, of = type_
        if form == "scalar":
            value = SCALARS[of](self.chance)
            return value, value
        if form == "optional":
            return (None, None) if deep > 4 or self.chance.random() < 0.3 else self.value(of, deep + 1)
        if form == "list":
            pairs = [self.value(of, deep + 1) for _ in range(self.chance.randrange(3))]
            return [one for one, _ in pairs], [other for _, other in pairs]
        if form == "map":
            named = {key: self.value(of, deep + 1) for key in self.chance.sample([*OWN, *FOREIGN], 2)}
            return {k: one for k, (one, _) in named.items()}, {k: other for k, (_, other) in named.items()}
        number = self.chance.choice(of) if form == "union" else of
        own: dict[str, Any] = {"kind": f"k{number}"}
        outside: dict[str, Any] = {"kind": f"k{number}"}
        for name, (inner, there) in self.records[number].items():
            own[name], outside[there] = self.value(inner, deep + 1)
        return own, outside


@pytest.mark.parametrize(
    "number", [*range(20), *(pytest.param(each, marks=pytest.mark.full) for each in range(20, 60))]
)
def test_random_records_go_out_and_come_back_the_same(number: int, shown: Any, seed: str) -> None:
    some = Some(random.Random(f"{seed} {number}"))  # noqa: S311 - the same each time
    workflow = shown.workflow(some.spec())
    start = definition_of(workflow).plan.start_class
    kind = start.model_fields["it"].annotation
    last = ("record", len(some.records) - 1)
    for _ in range(5):
        own, outside = some.value(last)
        read = from_json(kind, json.dumps(outside), outside=True)
        assert json.loads(json_outside(read)) == outside
        assert to_jsonable_python(read, by_alias=True) == own
        assert from_json(kind, json.dumps(own)) == read
        wanted = Wanted(kind)
        wraps = "answer" in wanted.schema.get("properties", ())  # as if the type were none of an object
        assert wanted.read(json.dumps({"answer": outside} if wraps else outside)) == read
        end = run(workflow, {"it": own})
        assert to_jsonable_python(end, by_alias=True) == {"it": own, "all": [own]}
        assert json.loads(json_outside(end)) == {"it": outside, "all": [outside]}
        _only_its_names_are_read(kind, own, outside, read)


def _only_its_names_are_read(kind: Any, own: dict[str, Any], outside: dict[str, Any], read: Any) -> None:
    """Hold that a model asked for this type is told its names outside, and a person those of the spec."""
    for schema, data in ((Wanted(kind).schema, outside), (form_schema(kind), own)):
        assert schema is not None
        record = schema["properties"]["answer"] if "answer" in schema.get("properties", ()) else schema
        record = schema["$defs"][record["$ref"].rpartition("/")[2]] if "$ref" in record else record
        assert list(record["properties"]) == list(data)
    renamed = [name for name, there in zip(own, outside, strict=True) if name != there]
    reserved = {"class", "from", "items", "model_dump", "schema", "get"}
    for name in renamed:
        if name not in reserved and own[name] is not None:
            with pytest.raises(InvalidOutput):
                from_json(kind, json.dumps({**outside, name: own[name]}), outside=True)
