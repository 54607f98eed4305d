"""A real Neovim drives the server: a spec is typed from empty, mended by a quick fix, and renamed over three files."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.full

NEOVIM = shutil.which("nvim")
MISSING = (
    "there is no Neovim here: `apt-get install neovim` as root on Debian, which `tests/run.py --all` does"
)


def part(name: str) -> str:
    return (Path(__file__).parent / "neovim" / f"{name}.lua").read_text()


def neovim(folder: Path, script: str) -> dict[str, Any]:
    """Run a script of the folder beside this in a Neovim without a screen; return what it has noted."""
    if NEOVIM is None:
        pytest.skip(MISSING)
    command = ", ".join(json.dumps(each) for each in (str(Path(sys.executable).parent / "wfc"), "lsp"))
    told = folder / "told.json"
    text = "\n".join(
        [
            f"local COMMAND, FOLDER = {{ {command} }}, {json.dumps(str(folder))}",
            part("helpers"),
            "local fine, why = pcall(function()",
            part(script),
            "end)",
            "told.why_not = not fine and tostring(why) or nil",
            f"vim.fn.writefile({{ vim.json.encode(told) }}, {json.dumps(str(told))})",
            "vim.lsp.stop_client(id)",
            "vim.cmd('qall!')",
        ]
    )
    (folder / "script.lua").write_text(text)
    done = subprocess.run(
        [NEOVIM, "--headless", "--clean", "-n", "-c", f"luafile {folder / 'script.lua'}", "-c", "cquit 9"],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert told.exists(), done.stderr
    found: dict[str, Any] = json.loads(told.read_text())
    assert "why_not" not in found, found["why_not"]
    assert found.get("failed") is None, found["failed"]
    return found


def test_a_spec_is_typed_from_empty_with_completion(tmp_path: Path) -> None:
    told = neovim(tmp_path, "writing")
    assert told["broken"] and told["left"] in ([], {})
    assert told["text"].split("\n")[:4] == ["wfc: 1", "workflow: greet", "start: Asked", "end: Greeted"]
    assert "accepts: Asked" in told["text"] and '"${{ result.said }}"' in told["text"]


def test_a_quick_fix_mends(tmp_path: Path) -> None:
    wrong = "wfc: 1\nworkflow: a\nstart: Asked\nend: Done\nevents: {Asked: {name: string}, Done: {text: string}}\n"
    step = "{kind: transform, accepts: Asked, emit: {event: Done, with: {text: 'é ${{ event.nmae }}!'}}}"
    (tmp_path / "wrong.yaml").write_text(f"{wrong}steps:\n  say: {step}\n")
    told = neovim(tmp_path, "fixing")
    assert "é ${{ event.name }}!" in told["text"] and told["titles"]


def test_a_file_is_renamed_where_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "wfc.toml").touch()
    (tmp_path / "lib").mkdir()
    flow = "wfc: 1\nworkflow: pay\nstart: Asked\nend: Paid\nimports: [./shared.yaml]\nsteps: {}\n"
    (tmp_path / "flow.yaml").write_text(flow)
    (tmp_path / "shared.yaml").write_text("wfc: 1\nevents:\n  Paid: {order: string}\n")
    neovim(tmp_path, "moving")
    assert (tmp_path / "flow.yaml").read_text() == flow.replace("./shared.yaml", "./lib/common.yaml")
    assert not (tmp_path / "shared.yaml").exists()
    assert (tmp_path / "lib/common.yaml").read_text().startswith("wfc: 1\nevents:")


def test_a_rename_over_three_files(tmp_path: Path) -> None:
    (tmp_path / "wfc.toml").touch()
    files = {
        "shared": "wfc: 1\nevents:\n  Paid: {order: string}\n",
        "flow": "wfc: 1\nworkflow: pay\nstart: Asked\nend: Paid\nimports: [./shared.yaml]\nparts: [./desk.yaml]\n"
        "events:\n  Asked: {order: string}\n",
        "desk": "wfc: 1\npart: desk\naccepts: [Asked]\nemits: [Paid]\n"
        "steps:\n  pay: {kind: transform, accepts: Asked, emit: Paid}\n",
    }
    for name, text in files.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    told = neovim(tmp_path, "renaming")
    for name, text in files.items():
        assert (tmp_path / f"{name}.yaml").read_text() == text.replace("Paid", "Settled")
    assert "there is `Settled` already" in told["why"]
