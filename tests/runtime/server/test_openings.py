"""What the operator opens: forms that strangers fill in, talks by links and tokens; and nothing that he does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from asgi_client import OPENINGS, TOKENS, Answer, Client, Served, serving, until
from served_flows import Echo, Talk

from wfc.runtime.errors import SettingsError
from wfc.runtime.server.application import Application
from wfc.runtime.server.calls import Problem
from wfc.runtime.server.installation import Installation, ServerBounds
from wfc.runtime.server.openings import Opening, Openings, read_openings

TO_FORM, TO_CHAT = "/v1/links/form", "/v1/links/chat"


async def linked(client: Client, method: str, path: str, token: str, data: object = None) -> Answer:
    body = b"" if data is None else json.dumps(data).encode()
    headers = [("Authorization", f"Link {token}"), ("Content-Type", "application/json")]
    return await client.as_("").send(method, path, body, headers)


async def made(client: Client, kind: str, name: str) -> str:
    answer = await client.post(f"/v1/{kind}s/{name}/link", {"for": "user:eve"})
    assert answer.status == 201, answer.body
    assert answer.json["link"].endswith(f"/{kind}#{answer.json['token']}")
    return str(answer.json["token"])


async def runs(client: Client) -> list[dict[str, Any]]:
    return list((await client.get("/v1/runs")).json["runs"])


def test_a_stranger_fills_in_a_form_and_sees_nothing_of_its_run(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        stranger = client.as_("")
        shown = (await stranger.get("/v1/forms/ask")).json
        assert (shown["title"], set(shown["inputs"]["properties"])) == ("What is it?", {"text", "times"})
        wrong = await stranger.post("/v1/forms/ask", {"inputs": {"text": 3}})
        assert (wrong.status, wrong.json["errors"][0]["pointer"]) == (422, "/inputs/text")
        taken = await stranger.post("/v1/forms/ask", {"inputs": {"text": "a"}})
        assert (taken.status, taken.json) == (202, {"taken": True})
        (run,) = await runs(client)
        assert (await until(client, run["run"], "done"))["result"]["with"]["text"] == "a"
        assert (await stranger.get(f"/v1/runs/{run['run']}")).status == 401
        (entry,) = (await client.get("/v1/audit")).json["entries"]
        assert (entry["via"], entry["action"], entry["result"]) == ("open", "fill_form", "202")
        for path in ("/v1/forms/invited", "/v1/forms/echo", "/v1/forms/desk"):
            assert (await stranger.get(path)).code == "form.unknown"
            assert (await stranger.post(path, {"inputs": {"text": "a"}})).code == "form.unknown"

    served_anew(use)


def test_strangers_start_only_so_many_runs() -> None:
    now = [0.0]
    opening = Opening("form", "ask", "echo", "anybody", per_minute=3, clock=lambda: now[0])
    for _ in range(3):
        opening.come_in()
    now[0] = 20.0
    with pytest.raises(Problem, match="too many") as refused:
        opening.come_in()
    assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "40"})
    now[0] = 60.0
    opening.come_in()


def test_a_link_to_a_talk_is_good_for_so_many_messages_an_hour() -> None:
    now = [0.0]
    opening = Opening("chat", "desk", "talk", "links", per_hour=2, clock=lambda: now[0])
    for talk in ("a", "b"):  # each for itself
        for _ in range(2):
            opening.hear(talk)
    now[0] = 600.0
    with pytest.raises(Problem, match="too much was said") as refused:
        opening.hear("a")
    assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "3000"})
    now[0] = 3600.0
    opening.hear("a")


def test_messages_are_counted_for_the_talks_that_spoke_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wfc.runtime.server.openings.MOST_COUNTED", 2)
    opening = Opening("chat", "desk", "talk", "links", per_hour=1, clock=lambda: 0.0)
    for talk in ("a", "b", "c"):
        opening.hear(talk)
    opening.hear("a")  # it was forgotten, and takes the place of b
    with pytest.raises(Problem):
        opening.hear("c")


def test_links_have_streams_of_their_own_and_half_of_all_at_most(tmp_path: Path) -> None:
    application = Application(Installation.__new__(Installation))
    application.server.bounds = ServerBounds(streams=6, streams_each=2)
    for reader in ("user:ann", "l-1", "l-1", "l-2"):
        application._take_place(reader)
    for reader in ("l-1", "l-2", "l-3"):  # one has two, and all links have three
        with pytest.raises(Problem, match="too many streams"):
            application._take_place(reader)
    application._take_place("user:ann")
    application._leave_place("l-2")
    application._take_place("l-3")


def test_what_is_open_is_listed_for_those_who_may_see_the_workflow(served: Served) -> None:
    async def use(client: Client) -> None:
        told = (await client.get("/v1/openings")).json
        assert [(one["name"], one["to"]) for one in told["forms"]] == [
            ("ask", "anybody"),
            ("invited", "links"),
        ]
        assert {one["name"] for one in told["chats"]} == {"desk", "own"}
        other = (await client.as_("other").get("/v1/openings")).json
        assert (other["forms"], other["chats"]) == ([], [])
        assert (await client.as_("bob").get("/v1/openings")).status == 403
        stranger = client.as_("")
        assert (await stranger.get("/v1/open/chats/desk")).json["inputs"]["required"] == ["person", "text"]
        assert (await stranger.get("/v1/open/chats/own")).code == "chat.unknown"

    served(use)


def test_a_link_to_a_form_is_good_for_one_run(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        token = await made(client, "form", "invited")
        shown = await linked(client, "GET", TO_FORM, token)
        assert (shown.json["form"], shown.json["for"]) == ("invited", "user:eve")
        inputs = {"inputs": {"text": "a"}}
        assert (await linked(client, "POST", TO_FORM, token, {"inputs": {}})).code == "run.inputs"
        assert (await linked(client, "POST", TO_FORM, token, inputs)).status == 202
        assert (await linked(client, "POST", TO_FORM, token, inputs)).code == "link.used"
        assert (await linked(client, "GET", TO_FORM, token)).code == "link.used"
        assert len(await runs(client)) == 1
        other = await made(client, "form", "invited")
        assert other != token
        for purpose in ("task", "chat"):  # a link is good for what it was made for alone
            assert (await linked(client, "GET", f"/v1/links/{purpose}", other)).code == "link.invalid"
        assert (await client.post("/v1/chats/own/link", {"for": "user:eve"})).code == "chat.no_links"
        for name in ("", " ", "a,b", "a\nb", "x" * 101):
            assert (await client.post("/v1/forms/invited/link", {"for": name})).code == "body.members"
        assert (await client.as_("other").post("/v1/forms/invited/link", {"for": "a"})).code == "form.unknown"

    served_anew(use)


async def heard(client: Client, path: str, count: int, token: str = "") -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    after = ""
    while len(found) < count:
        where = f"{path}?wait=60{after}"
        told = (await (linked(client, "GET", where, token) if token else client.get(where))).json
        found += [(one["by"], one["text"]) for one in told["messages"]]
        assert told["messages"], told
        after = f"&after={told['next']}"
    return found


def test_a_talk_goes_on_by_a_link_until_it_is_over(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        token = await made(client, "chat", "desk")
        assert (await linked(client, "GET", TO_CHAT, token)).json["begun"] is False
        assert (await linked(client, "POST", TO_CHAT, token, {"text": "a"})).code == "chat.not_begun"
        begin = {"inputs": {"person": "eve", "text": "hello"}}
        assert (await linked(client, "POST", TO_CHAT, token, begin)).status == 201
        assert (await linked(client, "POST", TO_CHAT, token, begin)).code == "chat.begun"
        assert await heard(client, TO_CHAT, 2, token) == [
            ("person", "hello"),
            ("workflow", "you said: hello"),
        ]
        for _ in range(2):  # said once
            said = await linked(client, "POST", TO_CHAT, token, {"text": "tea", "message_id": "m1"})
            assert said.status == 202
        told = await heard(client, TO_CHAT, 4, token)
        assert told[2:] == [("person", "tea"), ("workflow", "you said: tea")]
        assert (await linked(client, "POST", TO_CHAT, token, {"text": " "})).code == "chat.text"
        assert (await linked(client, "POST", TO_CHAT, token, {"text": "x" * 20_001})).code == "chat.text"
        assert (await linked(client, "POST", TO_CHAT, token, {})).code == "body.members"
        (run,) = await runs(client)
        stream = client.parts(
            "GET",
            f"{TO_CHAT}/stream",
            headers=[("Authorization", f"Link {token}"), ("Accept", "application/x-ndjson")],
        )
        client.who = ""
        lines = b""
        assert (await linked(client, "POST", TO_CHAT, token, {"text": "bye"})).status == 202
        async for part in stream:
            lines += part.get("body", b"")
        client.who = "ann"
        messages = [json.loads(line) for line in lines.splitlines() if line]
        assert [one["event"] for one in messages] == ["hello", *["said"] * 5, "end"]
        assert b"nobody's business" not in lines and run["run"].encode() not in lines
        await until(client, run["run"], "done")
        shown = (await linked(client, "GET", TO_CHAT, token)).json
        assert (shown["over"], len(shown["messages"])) == (True, 5)
        assert (await linked(client, "POST", TO_CHAT, token, {"text": "more"})).code == "run.ended"

    served_anew(use)


def test_what_is_said_while_one_looks_is_not_waited_for(
    served_anew: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def use(client: Client) -> None:
        token = await made(client, "chat", "desk")
        begin = {"inputs": {"person": "eve", "text": "hello"}}
        assert (await linked(client, "POST", TO_CHAT, token, begin)).status == 201
        assert len(await heard(client, TO_CHAT, 2, token)) == 2
        after = (await linked(client, "GET", TO_CHAT, token)).json["next"]
        watch = client.app.server.watch
        progress, changed = watch.progress, watch.changed

        async def said_meanwhile(run: str) -> Any:
            monkeypatch.setattr(watch, "progress", progress)
            assert (await linked(client, "POST", TO_CHAT, token, {"text": "tea"})).status == 202
            monkeypatch.setattr(watch, "changed", changed)
            assert len(await heard(client, TO_CHAT, 4, token)) == 4
            monkeypatch.setattr(watch, "changed", nothing_comes)
            return await progress(run)

        async def nothing_comes(*_: object) -> None:
            raise AssertionError("what is there already is waited for")

        monkeypatch.setattr(watch, "progress", said_meanwhile)
        monkeypatch.setattr(watch, "changed", nothing_comes)
        told = (await linked(client, "GET", f"{TO_CHAT}?wait=60&after={after}", token)).json
        assert [one["text"] for one in told["messages"]] == ["tea", "you said: tea"]
        monkeypatch.undo()

    served_anew(use)


def test_a_principal_talks_and_nobody_else_hears_it(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        starter = client.as_("starter")
        begun = await starter.post("/v1/chats/own", {"inputs": {"person": "a", "text": "hello"}})
        assert begun.status == 201, begun.body
        path = f"/v1/chats/{begun.json['chat']}"
        assert len(await heard(starter, path, 2)) == 2
        assert (await starter.post(f"{path}/messages", {"text": "tea"})).status == 202
        assert len(await heard(starter, path, 4)) == 4
        assert (
            len((await client.as_("viewer").get(path)).json["messages"]) == 4
        )  # who sees runs sees this one
        assert (await client.as_("answerer").get(path)).status == 403
        assert (await client.as_("viewer").post(f"{path}/messages", {"text": "a"})).status == 403
        assert (await client.as_("other").get(path)).code == "chat.unknown"
        foreign = await client.post("/v1/chats/own", {"inputs": {"person": "b", "text": "mine"}})
        for asked in ("", "/stream"):
            assert (await starter.get(f"/v1/chats/{foreign.json['chat']}{asked}")).code == "chat.unknown"
        refused = await starter.post(f"/v1/chats/{foreign.json['chat']}/messages", {"text": "a"})
        assert refused.code == "chat.unknown"
        echo = (await client.post("/v1/workflows/echo/runs?wait=5", {"inputs": {"text": "a"}})).json["run"]
        assert (await client.get(f"/v1/chats/{echo}")).code == "chat.unknown"
        assert (await starter.post("/v1/chats/echo", {})).code == "chat.unknown"

    served_anew(use)


def test_a_stranger_begins_a_talk_that_is_open_to_anybody(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        stranger = client.as_("")
        begun = await stranger.post("/v1/open/chats/desk", {"inputs": {"person": "x", "text": "hello"}})
        assert begun.status == 201, begun.body
        assert len(await heard(client, TO_CHAT, 2, begun.json["token"])) == 2
        assert (await stranger.post("/v1/open/chats/own", {"inputs": {}})).code == "chat.unknown"

    served_anew(use)


def test_what_is_not_open_any_more_is_closed_to_links(tmp_path: Path) -> None:
    import asyncio

    async def main() -> None:
        async with serving(tmp_path, Echo, Talk, openings=OPENINGS) as client:
            form, chat = await made(client, "form", "invited"), await made(client, "chat", "desk")
        async with serving(tmp_path, Echo, Talk) as client:
            for path, token in ((TO_FORM, form), (TO_CHAT, chat)):
                assert (await linked(client, "GET", path, token)).code == "link.used"
            assert (await client.as_("").get("/v1/forms/ask")).code == "form.unknown"

    asyncio.run(main())


# --- the operator's file

GOOD = '[[form]]\nname = "ask"\nworkflow = "echo"\nto = "anybody"\n'
CHAT = '[[chat]]\nworkflow = "talk"\nreplies = ["Answered.text"]\n'


def test_a_file_opens_what_it_says(tmp_path: Path) -> None:
    file = tmp_path / "who.toml"
    file.write_text(GOOD + "per_minute = 5\n" + CHAT + 'per_hour = 9\ntext_of = ["answer"]\n')
    found = read_openings(file)
    assert (found.forms["ask"].workflow, found.forms["ask"].per_minute) == ("echo", 5)
    assert (found.chats["talk"].per_hour, found.chats["talk"].text_of) == (9, {"answer"})
    assert (found.chats["talk"].to, found.chats["talk"].replies) == ("principals", {"Answered": "text"})


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace("anybody", "all"),
        GOOD.replace('to = "anybody"\n', ""),
        GOOD.replace('"ask"', '"../x"'),
        GOOD.replace('"ask"', "3"),
        GOOD + "per_minute = 0\n",
        GOOD + "per_minute = true\n",
        GOOD + "title = 3\n",
        GOOD + 'replies = ["A.b"]\n',
        GOOD + GOOD,
        CHAT.replace("Answered.text", "Answered"),
        CHAT.replace('["Answered.text"]', '"Answered.text"'),
        CHAT.replace('replies = ["Answered.text"]\n', ""),
        CHAT + 'more = "x"\n',
        CHAT + "per_hour = 0\n",
        CHAT + 'text_of = "answer"\n',
        CHAT + "text_of = [1]\n",
        GOOD + "per_hour = 3\n",
        GOOD + 'text_of = ["a"]\n',
        "form = 3",
        "[form]\nx = 1",
    ],
)
def test_a_mistake_in_it_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "who.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=r"who\.toml"):
        read_openings(file)


@pytest.mark.parametrize(
    "one",
    [
        Opening("form", "a", "nobody", "links"),
        Opening("chat", "a", "echo", "links"),
        Opening("chat", "a", "talk", "links", text_of=frozenset({"nothing"})),
    ],
)
def test_what_does_not_fit_the_workflows_is_refused(tmp_path: Path, one: Opening) -> None:
    import asyncio

    openings = Openings({"a": one}, {}) if one.kind == "form" else Openings({}, {"a": one})

    async def main() -> None:
        with pytest.raises(SettingsError, match=r"`a`|`echo`"):
            async with serving(tmp_path, Echo, Talk, openings=openings):
                pass

    asyncio.run(main())


def test_no_token_is_in_what_strangers_see(served: Served) -> None:
    async def use(client: Client) -> None:
        text = (await client.as_("").get("/v1/forms/ask")).body.decode()
        assert not [one for one in TOKENS.values() if one in text]

    served(use)
