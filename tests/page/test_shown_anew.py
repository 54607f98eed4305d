"""What comes again and again is shown anew around what is the same, so that no press on that goes nowhere."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

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


def finding(at: str, told: str) -> list[Any]:
    return ["li", {}, ["button", {}, at], f" {told}", ["button", {"class": "fix"}, "remove it"]]


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
        ([["ul", {}, finding("3:1", "a")]], [["ul", {}, finding("4:1", "a")]], ".fix", True, "after"),
        ([["ul", {}, finding("3:1", "a")]], [["ul", {}, finding("9:1", "b")]], ".fix", False, "after"),
        (  # which of the two the first one is now, nobody can tell
            [["ul", {}, finding("3:1", "a"), finding("9:1", "a")]],
            [["ul", {}, finding("9:1", "a"), finding("12:1", "a")]],
            "li:first-child .fix",
            False,
            "after",
        ),
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


COUNTED = """async (many) => {
    const { h, renew, table } = await import("./page/dom.js");
    const place = h("div");
    const rows = (time) => Array.from({ length: many }, (_, number) => [h("a", { href: `#/${number}` }, number), time]);
    renew(place, table(["one", "other"], rows("before"), "many"));
    const old = [...place.querySelectorAll("a")];
    let count = 0;
    for (const name of ["isEqualNode", "cloneNode", "isSameNode", "compareDocumentPosition"]) {
        const own = Node.prototype[name];
        Node.prototype[name] = function (...given) {
            count += 1;
            return own.apply(this, given);
        };
    }
    renew(place, table(["one", "other"], rows("after").reverse(), "many"));
    const now = [...place.querySelectorAll("a")].reverse();
    return [count, old.every((one, number) => one === now[number])];
}"""
"""Shows many rows anew, each of them changed, and tells how often elements were compared, and if all stayed."""


def test_the_work_of_showing_rows_anew_grows_with_their_number_alone(reader: Any) -> None:
    page = reader.open("inbox")
    (few, few_stayed), (many, many_stayed) = (page.evaluate(COUNTED, number) for number in (50, 500))
    assert few_stayed
    assert many_stayed
    assert 0 < few <= 50 * 10
    assert many <= 500 * 10


RULES = """async (show_by) => {
    const dom = await import("./page/dom.js");
    const place = dom.h("div");
    dom[show_by](place, 0, "", "x", null, undefined, false, [0n]);
    return [place.textContent, place.childNodes.length];
}"""


@pytest.mark.parametrize("show_by", ["show", "renew"])
def test_a_nought_is_shown_and_what_is_not_there_is_not(reader: Any, show_by: str) -> None:
    assert reader.open("inbox").evaluate(RULES, show_by) == ["0x0", 4]


def test_who_is_at_a_group_of_failures_stays_there_when_another_one_comes_before_it(reader: Any) -> None:
    group = {"workflow": "payment", "error": "connection", "count": 1, "since": "2026-01-01T00:00:00Z"}
    groups = [{**group, "step": step, "runs": [f"run-of-{step}"]} for step in ("second", "first")]
    told: list[Any] = groups[:1]
    page = reader.open("inbox")
    page.route(
        "**/v1/runs/counts", lambda one: one.fulfill(json={"runs": [], "failures": told, "set_aside": 0})
    )
    page.route("**/v1/runs/set-aside*", lambda one: one.fulfill(json={"runs": [{"run": "a", "done": True}]}))
    reader.open("runs")
    aside = page.get_by_role("row", name="second").get_by_role("button", name="Set aside")
    aside.click()
    told.insert(0, groups[1])
    told[1] = {**told[1], "runs": ["run-that-failed-later", *told[1]["runs"]]}
    page.get_by_label("Reason").fill("so")
    page.keyboard.press("Enter")
    page.get_by_role("row", name="first").wait_for()
    page.locator("dialog").wait_for(state="detached")
    expect(aside).to_be_focused()


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
