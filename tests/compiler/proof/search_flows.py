"""A long search for flows that are accepted wrongly, or refused without need.

    python tests/compiler/proof/search_flows.py --first 15000000 --seeds 7000

Tells at once of each flow that was accepted and does not go well, every half minute how far it is, and at the end, or
when it is interrupted, the table by feature. `--form "exit on_deadline leads on"` looks only at flows with that.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from test_language_flows import Tally, judge

EVERY = 30.0
"""Seconds between two lines about how far it is."""


def search(seeds: range, form: str, tally: Tally) -> int:
    """Judge the flows of all these seeds; returns the first seed that was not looked at any more."""
    told, wrong = time.monotonic(), 0
    for seed in seeds:
        try:
            judge(tally, seed, form)
        except KeyboardInterrupt:
            return seed
        for each, how in tally.wrong[wrong:]:
            print(f"accepted wrongly: {each}, {how}", flush=True)
        wrong = len(tally.wrong)
        if time.monotonic() - told > EVERY:
            told = time.monotonic()
            print(
                f"up to seed {seed}: {tally.flows} flows, {tally.accepted} accepted, {wrong} wrongly, "
                f"{tally.refused} refused, {len(tally.harmless)} of them harmless, "
                f"{time.process_time():.0f} s of processor time",
                flush=True,
            )
    return seeds.stop


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", type=int, required=True, help="the first seed")
    parser.add_argument("--seeds", type=int, default=1000, help="how many")
    parser.add_argument("--form", default="", help="a feature of the table that each flow is to have")
    chosen = parser.parse_args()
    tally = Tally()
    stop = search(range(chosen.first, chosen.first + chosen.seeds), chosen.form, tally)
    tally.say(range(chosen.first, stop))
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
