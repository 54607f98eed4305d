"""A run is forked from within a turn of its agent over the application: what was done before is not done again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from asgi_client import Client, serving, until

AGENTS = Path(__file__).parents[1] / "agents"


@pytest.mark.parametrize(
    ("place", "again"),
    [
        ("answer", ["think 1", "find A", "find B", "think 2", "find C", "think 3"]),
        ("answer/turn 2", ["think 2", "find C", "think 3"]),
        ("answer/turn 2/find", ["find C", "think 3"]),
        ("answer/turn 3", ["think 3"]),
    ],
)
def test_a_fork_goes_on_from_a_turn(
    place: str, again: list[str], store: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(AGENTS))
    from desk_flow import written_down

    log = tmp_path / "log"

    async def use(client: Client) -> None:
        begun = await client.post("/v1/workflows/desk/runs?wait=20", {"inputs": {"question": "?"}})
        assert begun.json["status"] == "done", begun.body
        run, result = begun.json["run"], begun.json["result"]
        assert result["with"]["text"] == "A is here, B is here, C is here"
        before = log.read_text().splitlines()
        listed = (await client.get("/v1/runs")).json["runs"]

        dry = await client.post(f"/v1/runs/{run}/fork?dry", {"step": place})
        assert (dry.status, dry.json["dry"]) == (200, True), dry.body
        assert (await client.get("/v1/runs")).json["runs"] == listed
        assert log.read_text().splitlines() == before

        made = await client.post(f"/v1/runs/{run}/fork", {"step": place})
        assert (made.status, made.json["of"]) == (201, run), made.body
        told = await until(client, made.json["run"], "done")
        assert told["result"] == result
        assert log.read_text().splitlines()[len(before) :] == again
        assert (await client.get(f"/v1/runs/{run}")).json == begun.json, "the run itself stays as it is"

        nowhere = await client.post(f"/v1/runs/{run}/fork", {"step": "answer/turn 9"})
        assert (nowhere.status, "was at no place `answer/turn 9`" in nowhere.json["detail"]) == (409, True)
        assert len((await client.get("/v1/runs")).json["runs"]) == 2 * len(listed)

    async def main() -> None:
        address = store if isinstance(store, str) else store.parent
        async with serving(address, written_down(log)) as client, asyncio.timeout(240):
            await use(client)

    asyncio.run(main())
