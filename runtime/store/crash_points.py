"""Points at which a process may be made to die at once, so that tests see what is left: ``WFC_CRASH_AT=point:3``.

The number says at which arrival it dies. Nothing is there without the variable. The points of a tick are, in order,
``encode``, ``advanced``, ``snapshot`` (if there is one), ``commit``, ``committed`` and ``release``. Others are
``recovered`` (a run goes on in another process), ``child`` and ``child-ended`` (a part of a run has been started, and
is over), ``restart`` (a run begins anew), ``exit`` (a run takes one of its exits), ``posted`` (something is in an
inbox, and nobody has been told) and ``pruned``.
"""

from __future__ import annotations

import os
import signal
from itertools import count
from typing import Final

__all__ = ["CRASHES", "reach"]

_POINT, _, _COUNT = os.environ.get("WFC_CRASH_AT", "").partition(":")

CRASHES: Final = bool(_POINT)
"""Whether this process is to die somewhere."""

_arrivals = count(1)
_LAST = int(_COUNT) if _COUNT.isdecimal() else 1


def reach(point: str) -> None:
    """Die as by a failure of the machine, if this is the arrival at which the process is to die."""
    if point == _POINT and next(_arrivals) == _LAST:
        os.kill(os.getpid(), signal.SIGKILL)
