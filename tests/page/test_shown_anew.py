"""What comes again and again is shown anew around what is the same, so that no press on that goes nowhere."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.full

SHOWN = """async ([before, after, marked]) => {
    const { h, renew, show } = await import("./page/dom.js");
    const told = [];
    const made = (one, time) => {
        if (typeof one === "string") return one;
        const [tag, attributes, ...children] = one;
        const click = tag === "button" ? { click: () => told.push(time) } : {};
        return h(tag, { ...attributes, ...click }, children.map((child) => made(child, time)));
    };
    const [place, other] = [h("div"), h("div")];
    document.body.append(place);
    renew(place, before.map((one) => made(one, "before")));
    const old = place.querySelector(marked);
    old.focus();
    renew(place, after.map((one) => made(one, "after")));
    show(other, after.map((one) => made(one, "other")));
    place.querySelector("button")?.click();
    const found = [
        place.innerHTML === other.innerHTML,
        old.isConnected,
        document.activeElement === place.querySelector(marked),
        told.join(" "),
    ];
    place.remove();
    return found;
}"""
"""
Shows one thing after another, and tells: whether the second is there, whether an element of the first still is, whether
who was at it is at what is in its place, and what a press on the button does.
"""


def link(to: str) -> list[Any]:
    return ["a", {"href": to}, to]


def row(to: str, *more: str) -> list[Any]:
    return ["tr", {}, ["td", {}, link(to)], *(["td", {}, one] for one in more)]


GO_ON: list[Any] = ["button", {"id": "go"}, "Go on"]


@pytest.mark.parametrize(
    ("before", "after", "marked", "stays", "does"),
    [
        ([GO_ON], [GO_ON], "#go", True, "after"),
        ([["p", {}, "2 s", GO_ON]], [["p", {}, "3 s", GO_ON]], "#go", True, "after"),
        ([GO_ON], ["so", GO_ON, ["p", {}]], "#go", True, "after"),
        ([["b", {}], "so", GO_ON], [GO_ON], "#go", True, "after"),
        (
            [["p", {}, GO_ON]],
            [["p", {"class": "bad"}, GO_ON]],
            "#go",
            False,
            "after",
        ),  # what is around changed
        ([GO_ON], [["button", {"id": "go"}, "Stop"]], "#go", False, "after"),  # a press meant the other one
        ([GO_ON], [["button", {"id": "go", "disabled": True}, "Go on"]], "p, #go", False, ""),
        ([link("#/a")], [link("#/a"), link("#/b")], "a", True, ""),
        ([link("#/b")], [link("#/a"), link("#/b")], "a[href='#/b']", True, ""),
        ([row("#/b", "2 s")], [row("#/b", "3 s")], "a", True, ""),
        ([row("#/b", "2 s"), row("#/c")], [row("#/a", "1 s"), row("#/b", "3 s")], "a[href='#/b']", True, ""),
        ([row("#/b", "2 s")], [row("#/a", "2 s")], "a", False, ""),
        ([["p", {}, "x"], GO_ON], [GO_ON, ["p", {}, "x"]], "#go", True, "after"),
    ],
)
def test_what_is_the_same_stays_and_does_what_the_new_one_would(
    reader: Any, before: list[Any], after: list[Any], marked: str, stays: bool, does: str
) -> None:
    page = reader.open("inbox")
    is_there, has_stayed, is_in_focus, told = page.evaluate(SHOWN, [before, after, marked])
    assert (is_there, has_stayed, told) == (True, stays, does)
    if stays or marked == "#go":
        assert is_in_focus


ANYHOW = """async ([seed, times]) => {
    const { h, renew, show } = await import("./page/dom.js");
    let state = seed;
    const below = (most) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * most);
    };
    const told = [];
    const tree = (deep, time) => {
        if (!deep || !below(3)) return ["a", "b", " ", "."][below(4)];
        const tag = ["p", "a", "button", "tr", "span"][below(5)];
        const attributes = [{}, { class: "soft" }, { href: `#/${below(3)}` }, { id: `n${below(3)}` }][below(4)];
        const children = Array.from({ length: below(4) }, () => tree(deep - 1, time));
        return h(tag, { ...attributes, click: () => told.push(time) }, children);
    };
    const [place, other] = [h("div"), h("div")];
    for (let time = 0; time < times; time += 1) {
        const began = state;
        renew(place, Array.from({ length: below(5) }, () => tree(3, time)));
        state = began;
        show(other, Array.from({ length: below(5) }, () => tree(3, -1)));
        if (place.innerHTML !== other.innerHTML) return [began, place.innerHTML, other.innerHTML];
        for (const one of place.querySelectorAll("*")) one.dispatchEvent(new Event("click"));
        if (told.some((one) => one !== time)) return [began, "an old one was called"];
        told.length = 0;
    }
    return [];
}"""


@pytest.mark.parametrize("number", range(3))
def test_whatever_is_shown_after_whatever_is_there_and_nothing_else(
    reader: Any, seed: str, number: int
) -> None:
    page = reader.open("inbox")
    assert page.evaluate(ANYHOW, [sum(seed.encode()) + number, 1500]) == []


def test_a_press_that_has_begun_before_a_run_moves_ends_where_it_was_meant(reader: Any, server: Any) -> None:
    run = str(server.start("desk", 60, what="a long press")["run"])
    (task,) = server.call("GET", f"/v1/tasks?run={run}")[1]["tasks"]
    page = reader.open(f"runs/{run}")
    page.get_by_role("link", name="Questions: 1").hover()
    page.mouse.down()
    with page.expect_response(f"**/v1/runs/{run}/deeds"):  # after which all is shown anew
        server.call("POST", f"/v1/tasks/{task['task'].replace('/', '%2F')}/delegate", {"to": "user:max"})
    page.locator("table.log").get_by_text("question delegated").wait_for()
    page.wait_for_timeout(500)
    page.mouse.up()
    page.wait_for_url(f"**/#/inbox?*run={run}")
    reader.arrive()
    page.get_by_role("link", name="May they have a long press?").wait_for()
