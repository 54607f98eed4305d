"""What goes wrong between a page and its server, who else is there, and what is tried before it is done."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from held import Held
from kept_ports import kept_port
from playwright.sync_api import expect
from serving_process import Serving
from talking import HELPER, Sayings, model_server

pytestmark = pytest.mark.full

QUORUM = """\
wfc: 1
workflow: vote
start: Proposed
end: Decided
events:
  Proposed: {what: string}
  Decided: {votes: integer}
steps:
  ask:
    kind: human
    accepts: Proposed
    assign: ["group:board"]
    quorum: 2
    title: Are you for ${{ event.what }}?
    form: {agreed: boolean}
    within: 4h
    on_timeout: {event: Decided, with: {votes: 0}}
    emit: {event: Decided, with: {votes: "${{ result | length }}"}}
"""

TRIED = """\
wfc: 1
workflow: tried
start: Begun
end: Over
events:
  Begun: {name: string}
  Over: {said: string}
tools:
  act: {http: {url: "http://127.0.0.1:9/act", method: POST}, output: {said: string}}
steps:
  go:
    kind: tool
    accepts: Begun
    tool: act
    timeout: 5 s
    emit: Over
tests:
  - name: it answers
    start: {name: Ada}
    mock: {go: {said: yes indeed}}
    expect: {end: Over}
"""

SUM = """\
wfc: 1
workflow: sum
start: Begun
end: Over
state: {total: {type: integer, default: 0}}
events:
  Begun: {number: integer}
  Added: {}
  Over: {total: integer}
steps:
  add:
    kind: transform
    accepts: Begun
    save: {total: "${{ event.number }}"}
    emit: Added
  tell:
    kind: transform
    accepts: Added
    emit: {event: Over, with: {total: "${{ state.total }}"}}
"""

SLOW = """\
wfc: 1
workflow: slow
start: Begun
end: Over
events:
  Begun: {name: string}
  Over: {name: string}
steps:
  rest:
    kind: wait
    accepts: Begun
    for: 3 s
    emit: {event: Over, with: {name: "${{ event.name }}"}}
"""

TOKENS = {"user:boss": "b" * 40, "user:eve": "e" * 40, "user:max": "m" * 40}
ALL = ["see", "start", "answer", "author", "operate"]


def principals() -> str:
    """Return who may do what: one all of it, two others answer for the board."""
    tables = [
        f'[[principal]]\nname = "{name}"\nsha256 = "{hashlib.sha256(token.encode()).hexdigest()}"\n'
        f'roles = {ALL if name == "user:boss" else ["answer"]}\ngroups = ["board"]\n'
        for name, token in TOKENS.items()
    ]
    return "\n".join(tables)


@pytest.fixture(scope="module")
def sayings() -> Iterator[Sayings]:
    with model_server() as found:
        yield found


@pytest.fixture(scope="module")
def server(served: Any, sayings: Sayings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("days")
    for name, text in {
        "helper": HELPER.format(address=sayings.address),
        "vote": QUORUM,
        "tried": TRIED,
        "slow": SLOW,
        "sum": SUM,
    }.items():
        (folder / f"{name}.yaml").write_text(text)
    (folder / "who.toml").write_text(principals())
    (folder / ".wfc").mkdir()
    (folder / ".wfc/server.token").write_text(TOKENS["user:boss"])
    yield from served(folder, "--tokens", "who.toml")


def started(server: Any, workflow: str, wait: int = 60, **inputs: object) -> str:
    return str(server.start(workflow, wait, **inputs)["run"])


# --- tried before it is done


def test_a_run_is_rehearsed_with_what_a_test_answers(reader: Any, server: Any) -> None:
    before = server.call("GET", "/v1/runs?workflow=tried")[1]["runs"]
    page = reader.open("start/tried")
    page.get_by_text("Rehearse, without doing anything").click()
    page.get_by_label("The test that answers for all that acts").select_option("it answers")
    form = page.locator("details form")
    form.get_by_label("Name").fill("")
    form.get_by_role("button", name="Rehearse").click()
    page.get_by_text("nothing was done for real").wait_for()
    form.get_by_label("Name").fill("Eve")
    form.get_by_role("button", name="Rehearse").click()
    page.get_by_text('{"name":"Eve"}').wait_for()
    page.get_by_text("yes indeed").first.wait_for()
    page.locator("figure svg .box.lit.done", has_text="go").wait_for()
    assert server.call("GET", "/v1/runs?workflow=tried")[1]["runs"] == before


def test_an_author_rehearses_beside_the_text(reader: Any) -> None:
    page = reader.open("author/tried.yaml")
    page.get_by_text("No findings.").wait_for()
    page.get_by_role("button", name="Rehearse").first.click()
    page.locator("form").get_by_role("button", name="Rehearse").click()
    page.get_by_text("Rehearsed with it answers").wait_for()
    page.locator("figure svg .box.lit.done", has_text="go").wait_for()


def test_a_server_over_an_empty_folder_says_where_to_begin(readers: Any, tmp_path: Path) -> None:
    server = Serving(tmp_path, ".", "--author", "--store", "sqlite:///runs.db")
    reader = readers(of=server)
    for screen, said in (
        ("runs", "No workflow is served yet."),
        ("inbox", "Nothing waits for an answer."),
        ("start", "No workflow is served yet."),
        ("author", "There are no specs yet. New begins one from a pattern."),
    ):
        page = reader.open(screen)
        page.locator("main").get_by_text(said).wait_for()
    page.close()
    server.kill()


def test_where_nothing_is_written_the_page_offers_nothing_to_write(
    served: Any, readers: Any, tmp_path: Path
) -> None:
    serving = served(tmp_path, authoring=())
    server = next(serving)
    assert "author" not in server.call("GET", "/v1/me")[1]["roles"]
    reader = readers(of=server)
    page = reader.open("start/count")
    page.get_by_label("To").fill("1")
    page.get_by_role("button", name="Start", exact=True).click()
    page.locator(".status.done").first.wait_for()
    assert page.get_by_role("navigation").get_by_role("link").all_inner_texts() == ["Runs", "Inbox", "Start"]
    page.close()
    next(serving, None)  # which ends the server


# --- as it comes


def test_what_a_model_says_is_seen_as_it_comes_and_what_it_took(
    reader: Any, server: Any, sayings: Sayings
) -> None:
    sayings.goes_on.clear()
    run = started(server, "helper", 0, who="bo", text="is it late?")
    page = reader.open(f"runs/{run}")
    page.locator(".coming", has_text="answer: yes,").wait_for()
    sayings.goes_on.set()
    page.locator(".coming").wait_for(state="hidden")
    page.get_by_role("columnheader", name="Tokens and cost").wait_for()
    row = page.get_by_role("table", name="Steps and attempts").get_by_role("row", name="answer").first
    expect(row.get_by_role("cell").last).to_contain_text("·")


def test_a_run_of_an_earlier_version_is_compared_with_the_one_of_now(reader: Any, server: Any) -> None:
    run = started(server, "vote", what="a tree")
    path = server.folder / "vote.yaml"
    path.write_text(QUORUM.replace("Are you for", "Do you want"))
    status, told = server.call("POST", "/v1/offers", {"path": "vote.yaml"})
    assert (status, told["workflow"]) == (200, "vote")
    page = reader.open(f"runs/{run}")
    page.get_by_text("Its version differs from today's").click()
    page.get_by_text("+", exact=False).get_by_text("Do you want").first.wait_for()
    path.write_text(QUORUM)
    server.call("POST", "/v1/offers", {"path": "vote.yaml"})
    run = started(server, "vote", what="a bush")
    with page.expect_response(f"**/v1/runs/{run}/version"):
        reader.open(f"runs/{run}")
    page.wait_for_timeout(500)
    assert page.get_by_text("Its version differs").count() == 0


def test_a_failed_run_goes_on_with_a_mended_version_where_that_is_asked_for(reader: Any, server: Any) -> None:
    run = started(server, "tried", name="Ada")
    path = server.folder / "tried.yaml"
    mended = "    on_error: {event: Over, with: {said: nobody answers}}\n    emit: Over\ntests:"
    path.write_text(TRIED.replace("    emit: Over\ntests:", mended))
    assert server.call("POST", "/v1/offers", {"path": "tried.yaml"})[0] == 200
    page = reader.open(f"runs/{run}")
    for with_todays in (False, True):
        page.get_by_role("button", name="Go on").click()
        dialog = page.locator("dialog")
        dialog.get_by_text("the version that it began with").wait_for()
        dialog.get_by_label("With today's version of the workflow").set_checked(with_todays)
        dialog.get_by_role("button", name="Go on", exact=True).click()
        dialog.wait_for(state="detached")
        if not with_todays:
            page.get_by_text("It went on from tick").wait_for()
            told = server.call("GET", f"/v1/runs/{run}?wait=60")[1]
            assert told["status"] == "failed"  # again, with what it began with
    page.get_by_text("nobody answers").first.wait_for()
    reader.forgive(409)  # what the run was is not to be had while it moves
    path.write_text(TRIED)
    server.call("POST", "/v1/offers", {"path": "tried.yaml"})


def test_a_fork_goes_on_with_an_edited_state(reader: Any, server: Any) -> None:
    run = started(server, "sum", number=3)
    page = reader.open(f"runs/{run}")
    page.get_by_text('"total": 3').first.wait_for()
    page.get_by_text("Time machine").click()
    page.get_by_label("Tick").fill("2")
    page.get_by_text("Tick 2 of").wait_for()
    page.get_by_role("button", name="Fork from here").click()
    dialog = page.locator("dialog")
    dialog.get_by_label("The state from there on").fill("{nonsense")
    dialog.get_by_role("button", name="Fork from here").click()
    dialog.get_by_role("alert").get_by_text("that is not JSON").wait_for()
    dialog.get_by_label("The state from there on").fill('{"surplus": 1}')
    dialog.get_by_role("button", name="Fork from here").click()
    dialog.get_by_role("alert").filter(has_not_text="that is not JSON").wait_for()
    dialog.get_by_label("The state from there on").fill('{"total": 7}')
    dialog.get_by_role("button", name="Fork from here").click()
    page.wait_for_url(lambda address: run not in address)
    reader.arrive()
    page.locator(".status.done").first.wait_for()
    page.get_by_text('"total": 7').first.wait_for()
    reader.forgive(400, 422)


# --- answers that are long in coming


def test_who_goes_elsewhere_before_a_run_is_started_stays_there(reader: Any) -> None:
    page = reader.open("start/count")
    held = Held(page, "**/v1/workflows/count/runs", "POST")
    page.get_by_label("To").fill("1")
    page.get_by_role("button", name="Start", exact=True).click()
    reader.follow(page.get_by_role("link", name="Inbox"))
    with page.expect_response("**/v1/workflows/count/runs") as told:
        held.let_go()
    assert told.value.status == 201
    page.wait_for_timeout(500)
    assert page.url.endswith("#/inbox")


def test_saving_twice_in_a_row_is_no_conflict_with_oneself(reader: Any, server: Any) -> None:
    page = reader.open("author/sum.yaml")
    page.get_by_text("No findings.").wait_for()
    held = Held(page, "**/v1/files/*", "PUT")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+Home")
    for line in ("# one\n", "# two\n"):
        page.keyboard.insert_text(line)
        page.keyboard.press("Control+s")
    page.wait_for_timeout(500)
    held.let_go()
    page.get_by_text("Saved.").wait_for()
    assert (server.folder / "sum.yaml").read_text() == "# one\n# two\n" + SUM
    assert page.locator("dialog").count() == 0
    assert page.evaluate("sessionStorage.getItem('draft:sum.yaml')") is None


def test_a_button_that_is_pressed_twice_asks_once(reader: Any, server: Any) -> None:
    page = reader.open(f"runs/{started(server, 'payment', amount=1)}")
    held = Held(page, "**/resume?dry", "POST")
    page.locator("#go-on").dblclick()
    page.wait_for_timeout(500)
    held.let_go()
    page.locator("dialog").first.wait_for()
    page.wait_for_timeout(500)
    assert page.locator("dialog").count() == 1


# --- several people


def test_two_answer_one_question_and_only_one_counts(readers: Any, server: Any) -> None:
    run = started(server, "desk", what="a kite")
    (task,) = server.call("GET", f"/v1/tasks?run={run}")[1]["tasks"]
    link = server.call("POST", f"/v1/tasks/{task['task']}/link", {"for": "user:eve"})[1]["link"]
    first, second = readers(width=360), readers(width=360)
    for one in (first, second):
        one.page.goto(link)
        one.page.get_by_label("Why").fill("why not")
    first.page.get_by_role("button", name="Answer").click()
    first.page.get_by_text("Your answer is recorded").wait_for()
    second.page.get_by_role("button", name="Answer").click()
    second.page.get_by_text("is answered").or_(second.page.get_by_text("is used up")).first.wait_for()
    second.forgive(409, 410)
    altered = readers()
    altered.page.goto(link[:-4] + ("AAAA" if not link.endswith("AAAA") else "BBBB"))
    altered.page.get_by_role("alert").wait_for()
    altered.forgive(401)


def test_a_quorum_needs_two_people_with_tokens_of_their_own(readers: Any, server: Any) -> None:
    run = started(server, "vote", what="a bench")
    for number, token in enumerate((TOKENS["user:eve"], TOKENS["user:max"])):
        one = readers(width=360)
        one.token = token
        page = one.open("inbox")
        page.get_by_role("link", name="Are you for a bench?").click()
        page.get_by_label("Agreed").check()
        page.get_by_role("button", name="Answer", exact=True).click()
        page.get_by_text("Your answer is recorded").wait_for()
        if number == 0:
            assert server.call("GET", f"/v1/runs/{run}?wait=60")[1]["status"] == "parked"
            assert one.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert server.call("GET", f"/v1/runs/{run}?wait=60")[1]["result"]["with"] == {"votes": 2}


# --- hard days


def test_seven_pages_of_one_browser_are_followed_as_they_are_looked_at(reader: Any, server: Any) -> None:
    runs = [started(server, "slow", 0, name=f"number {number}") for number in range(7)]
    pages = []
    for run in runs:
        page = reader.context.new_page()
        page.goto(f"{reader.at}#k={reader.token}")
        page.goto(f"{reader.at}#/runs/{run}")
        pages.append(page)
    for page in pages:
        page.bring_to_front()
        page.locator(".status.done").first.wait_for()
        page.get_by_text("the end: done").wait_for()


def test_an_address_of_a_run_leads_to_it_and_back(reader: Any, server: Any) -> None:
    run = started(server, "count", to=1)
    page = reader.open(f"runs/{run}")
    page.get_by_role("heading", name=f"Run {run}").wait_for()
    page.get_by_role("link", name="Inbox").click()
    page.get_by_role("heading", name="Inbox").wait_for()
    page.go_back()
    page.get_by_role("heading", name=f"Run {run}").wait_for()
    page.reload()
    page.get_by_role("heading", name=f"Run {run}").wait_for()


def test_large_letters_on_a_small_screen(readers: Any, server: Any) -> None:
    run = started(server, "desk", what="a table")
    reader = readers(width=320)
    for screen in ("runs", f"runs/{run}", "inbox?view=open", "start/desk", "author"):
        page = reader.open(screen)
        page.locator("main h1").wait_for()
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        page.wait_for_timeout(200)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, screen


@pytest.mark.parametrize("width", [1200, 1000, 320])
def test_a_long_word_pushes_nothing_out(readers: Any, server: Any, width: int) -> None:
    word = "long" * 120
    cancelled, failed = started(server, "desk", what=word), started(server, "tried", name=word)
    server.call("POST", f"/v1/runs/{cancelled}/cancel", {"reason": word})
    asked = started(server, "desk", what=word)
    (task,) = server.call("GET", f"/v1/tasks?run={asked}")[1]["tasks"]
    reader = readers(width=width)
    for screen in (
        f"runs/{cancelled}",
        f"runs/{asked}",
        f"runs/{failed}",
        "inbox?view=open",
        f"inbox/{quote(task['task'], safe='')}",
    ):
        page = reader.open(screen)
        page.locator("main h1").wait_for()
        page.wait_for_timeout(500)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, screen
        inside = (
            "[...document.querySelectorAll('main table')].map((one) => one.getBoundingClientRect().right)"
        )
        assert all(right <= width - 15 for right in page.evaluate(inside)), screen


def test_a_token_that_is_gone_says_so(reader: Any) -> None:
    page = reader.open("runs")
    page.get_by_role("heading", name="Runs").wait_for()
    page.evaluate("sessionStorage.clear()")
    page.reload()
    page.get_by_label("Your token").wait_for()
    assert page.locator("table").count() == 0


NOTE = """\
#!/usr/bin/env python3
import pathlib, sys
pathlib.Path(__file__).with_name("alerts.txt").open("a").write(sys.stdin.read() + "\\n")
"""


def test_an_alert_leads_to_a_run_and_to_all_that_failed_alike(
    served: Any, readers: Any, tmp_path: Path
) -> None:
    note = tmp_path / "note"
    note.write_text(NOTE)
    note.chmod(0o755)
    (tmp_path / "wfc.toml").write_text(
        'commands = ["./note"]\n[tell]\nprogram = ["./note"]\nof = ["failed"]\n'
    )
    serving = served(tmp_path)
    server = next(serving)
    runs = {started(server, "payment", amount=number) for number in range(6)}
    alerts = tmp_path / "alerts.txt"
    end = time.monotonic() + 300
    while not alerts.exists() or len(alerts.read_text().splitlines()) < len(runs):
        assert time.monotonic() < end, alerts.exists() and alerts.read_text()
        time.sleep(0.1)
    told = [json.loads(line) for line in alerts.read_text().splitlines()]
    assert {one["link"] for one in told} == {f"http://127.0.0.1:{server.port}/#/runs/{run}" for run in runs}

    reader = readers(of=server)
    page = reader.page
    page.goto(told[0]["link"])  # from a mail, without a token
    page.get_by_label("Your token").fill(server.token)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=f"Run {told[0]['run']}").wait_for()
    page.get_by_role("link", name="6 runs failed alike").click()
    page.get_by_role("row").filter(has_text="connection at pay").get_by_role("button", name="Go on").click()
    dialog = page.locator("dialog")
    dialog.get_by_role("checkbox").nth(5).wait_for()
    dialog.get_by_label("Reason").fill("the bank is back")
    dialog.get_by_role("button", name="Go on").click()
    page.get_by_text("6 runs go on.").wait_for()
    page.close()
    next(serving, None)  # which ends the server


def test_a_run_goes_on_before_the_eyes_of_who_looks_when_its_server_is_killed(
    served: Any, readers: Any, tmp_path: Path
) -> None:
    port = kept_port()
    first = served(tmp_path, port=port)
    server = next(first)
    run = started(server, "desk", what="a boat")
    (task,) = server.call("GET", f"/v1/tasks?run={run}")[1]["tasks"]
    link = server.call("POST", f"/v1/tasks/{task['task']}/link", {"for": "user:eve"})[1]["token"]
    reader = readers(of=server)
    page = reader.open(f"runs/{run}")
    page.locator(".status.parked").first.wait_for()
    page.locator("table.log td", has_text="Wanted").wait_for()
    server.process.kill()
    server.process.wait()
    time.sleep(1.0)
    again = served(tmp_path, port=port)
    revived = next(again)
    answer = {"answer": {"granted": True, "why": "it floats"}}
    assert revived.call("POST", "/v1/links/task", answer, Authorization=f"Link {link}")[0] == 200
    page.get_by_text("the end: done").wait_for()
    page.locator(".status.done").first.wait_for()
    assert page.locator("table.log td", has_text="Wanted").count() == 1  # nothing is told twice
    page.close()
    reader.forgiven.append("net::ERR")
    for one in (again, first):
        next(one, None)  # which ends its server
