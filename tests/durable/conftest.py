"""What the tests of this folder share is imported by name: `from durable_flows import FLOWS`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parent), str(Path(__file__).with_name("flows"))]
