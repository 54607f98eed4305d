"""The packed extension in VS Code itself, from a folder that nobody trusts to a server that was killed.

One story in one window, for beginning costs more than all the rest.
"""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.editors.vscode.workbench import (
    Workbench,
    installed,
    packed,
    serving,
    virtual_environment,
    wait_until,
)

pytestmark = pytest.mark.slow

ROOMS = "wfc: 1\ntypes:\n  Room: {number: integer, beds: integer}\n"
FIND = """\
wfc: 1
workflow: find_room
imports: [./rooms.yaml]
start: RoomWanted
end: [RoomFound, NoRoom]
events:
  RoomWanted: {beds: integer, rooms: list of Room}
  RoomFound: {room: Room}
  NoRoom: {}
steps:
  choose:
    kind: transform
    accepts: RoomWanted
    emit:
      - {event: NoRoom, when: event.rooms is empty}
      - {event: RoomFound, with: {room: "${{ event.rooms[0] }}"}}
"""
BOOKING = """\
wfc: 1
workflow: booking
imports: [./rooms.yaml]
start: GuestCame
end: [KeyGiven, SentAway]
events:
  GuestCame: {beds: integer, rooms: list of Room}
  KeyGiven: {text: string}
  SentAway: {reason: string}
steps:
  find:
    kind: workflow
    accepts: GuestCame
    workflow: find_room
    with: {beds: "${{ event.beds }}", rooms: "${{ event.rooms }}"}
    emit:
      - {event: SentAway, when: result is NoRoom, with: {reason: we are full}}
      - {event: KeyGiven, with: {text: "Room ${{ result.room.number }}"}}
tests:
  - name: there is a room
    start: {beds: 2, rooms: [{number: 7, beds: 2}]}
    real: [find]
    expect: {end: KeyGiven, with: {text: Room 7}}
"""


@pytest.fixture(scope="module")
def program() -> Path:
    try:
        return installed()
    except (AssertionError, OSError) as error:
        pytest.skip(f"VS Code's server cannot be installed from npm here: {error}")


def test_the_essential_way(program: Path, browser: Any, tmp_path: Path) -> None:
    folder, log = tmp_path / "hotel", tmp_path / "started"
    folder.mkdir()
    texts = {"rooms": ROOMS, "find_room": FIND, "booking": BOOKING, "desk": "", "plain": "what: [is, this]\n"}
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)
    virtual_environment(folder, log)
    with serving(program, tmp_path / "data", packed()) as address:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        try:
            bench = Workbench(page, address, folder)
            nothing_before_there_is_trust(bench, log)
            a_spec_from_an_empty_file(bench, folder / "desk.yaml")
            a_finding_is_told_and_mended(bench)
            lines_begin_where_they_belong(bench)
            a_hover_and_a_definition(bench)
            a_name_in_two_files(bench, folder)
            plain_yaml_is_left_alone(bench)
            the_flow_beside_the_text(bench)
            a_test_is_run(bench)
            a_killed_server_comes_again(bench, log)
        except BaseException:
            page.screenshot(path=tmp_path / "window.png")
            raise
        page.close()
    wait_until(lambda: not any(map(is_there, started(log))), "the end of all servers")


def started(log: Path) -> list[int]:
    """The processes of all servers that were started."""
    return [int(each) for each in log.read_text().split()] if log.exists() else []


def is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def nothing_before_there_is_trust(bench: Workbench, log: Path) -> None:
    bench.open("booking.yaml")
    bench.page.wait_for_timeout(5000)
    assert not log.exists() and bench.page.locator(".codelens-decoration a").count() == 0
    bench.trust()
    assert len(started(log)) == 1 and bench.notes() == ""


def a_spec_from_an_empty_file(bench: Workbench, file: Path) -> None:
    bench.open("desk.yaml")
    bench.press("Control+Space")
    assert bench.offered()[:3] == ["new workflow", "wfc", "workflow"]
    bench.press("Enter")
    bench.until(lambda: "steps:" in bench.text(), "the new workflow")
    for word in ("front_desk", "Asked", "Answered", "name", "", "greeting", ""):
        if word:
            bench.type(word)
        else:
            assert bench.offered()[:2] == ["string", "integer"]
        bench.next_place()
    bench.press("Control+Space")
    assert "transform step" in bench.offered()
    bench.type("transform")
    bench.until(lambda: bench.offered()[0] == "transform step", "the step")
    bench.press("Enter")
    bench.type("greet")
    bench.next_place()
    bench.until(lambda: bench.offered() == ["Asked", "Answered"], "the events that it may accept")
    bench.next_place()
    bench.press("Control+Space")
    bench.until(lambda: bench.offered()[:2] == ["Asked", "Answered"], "the events that it may make")
    bench.type('{event: Answered, with: {greeting: "Good day ${{ event.')
    assert bench.offered() == ["name"]
    bench.press("Enter")
    bench.until(lambda: "${{ event.name" in bench.text(), "the field")
    bench.type(" }}")
    bench.press("Control+s")
    written = (
        "wfc: 1\nworkflow: front_desk\nstart: Asked\nend: Answered\n\nevents:\n  Asked: {name: string}\n"
        "  Answered: {greeting: string}\n\nsteps:\n  greet:\n    kind: transform\n    accepts: Asked\n"
        '    emit: {event: Answered, with: {greeting: "Good day ${{ event.name }}"}}'
    )
    bench.until(lambda: file.read_text() == written, f"what was written, and not {file.read_text()!r}")
    bench.until(lambda: bench.errors() == 0, "no errors")


def a_finding_is_told_and_mended(bench: Workbench) -> None:
    column = bench.text().split("\n")[13].index("event.name") + len("event.name") + 1
    bench.go_to(14, column)
    bench.type("e")
    bench.press("Escape")
    bench.until(lambda: bench.errors() == 1, "an error")
    bench.press("Control+.")
    bench.page.locator(".action-widget .monaco-list-row", has_text="name").first.wait_for()
    bench.press("Enter")
    bench.until(lambda: bench.errors() == 0 and "event.name }}" in bench.text(), "the mended text")
    bench.press("Control+s")


def lines_begin_where_they_belong(bench: Workbench) -> None:
    bench.press("Control+End")
    bench.type("\n")
    bench.press("Home")
    for line in ("tests:", "- name: a guest", "start:", "name: Ada"):
        bench.type(line)
        bench.press("Escape", "Enter")
    wanted = "\ntests:\n  - name: a guest\n    start:\n      name: Ada\n"
    bench.until(lambda: wanted in bench.text(), "lines that begin below their keys")
    for _ in range(60):
        if "tests:" not in bench.text():
            break
        bench.press("Control+z")
    bench.until(lambda: bench.errors() == 0, "what was there before")
    bench.press("Control+s")


def a_hover_and_a_definition(bench: Workbench) -> None:
    bench.go_to(13, 15)
    bench.press("Control+k", "Control+i")
    hover = bench.page.locator(".monaco-hover:visible").first
    bench.until(lambda: hover.count() and "name" in hover.inner_text(), "what an event is")
    bench.press("Escape", "F12")
    bench.until(lambda: bench.line() == 7, "the line of the declaration")


def a_name_in_two_files(bench: Workbench, folder: Path) -> None:
    bench.open("find_room.yaml")
    bench.go_to(9, 4)
    bench.rename("AllTaken")
    bench.until(lambda: "AllTaken: {}" in bench.text(), "the new name")
    bench.command("File: Save All")
    bench.until(lambda: "result is AllTaken" in (folder / "booking.yaml").read_text(), "it in the other file")
    assert "NoRoom" not in (folder / "find_room.yaml").read_text()


def plain_yaml_is_left_alone(bench: Workbench) -> None:
    bench.open("plain.yaml")
    bench.press("Control+End")
    bench.type("th")
    assert "this" in bench.offered()  # a word of the text, as ever
    bench.press("Escape", "Control+z", "Control+z")
    assert bench.page.locator(".codelens-decoration a").count() == 0


def the_flow_beside_the_text(bench: Workbench) -> None:
    bench.open("booking.yaml")
    bench.lens("show the flow")
    frame = bench.flow()
    frame.locator("g.box.framed").first.click(position={"x": 12, "y": 12})
    bench.until(lambda: bench.line() == 11, "the line of the step")
    frame.get_by_role("button", name="Open find_room").click()
    frame.locator("[data-name=find_room] g.box", has_text="choose").wait_for()
    bench.show("booking.yaml")
    bench.go_to(8, 3)
    bench.rename("KeyHanded")
    frame.locator("svg", has_text="KeyHanded").first.wait_for()
    bench.press("Control+s")


def a_test_is_run(bench: Workbench) -> None:
    bench.lens("run this test")
    bench.until(lambda: re.search(r"1 test|passed", bench.notes()), "how the test went")
    bench.command("Notifications: Clear All Notifications")


def a_killed_server_comes_again(bench: Workbench, log: Path) -> None:
    before = started(log)
    os.kill(before[-1], signal.SIGKILL)
    bench.until(lambda: len(started(log)) > len(before), "another server")
    bench.open("desk.yaml")
    bench.press("Control+End")
    bench.type("\nwrong: 1")
    bench.until(lambda: bench.errors() > 0, "a finding by the new server")
    assert "wfc" not in bench.notes()
