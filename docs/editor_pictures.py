"""The pictures of an editor in `docs/editors.md`: a real Neovim at work on a spec, its screen written as SVG.

    pip install pyte
    python docs/editor_pictures.py

A person looks at them afterwards; no test compares them, for what Neovim draws depends on its version.
"""

from __future__ import annotations

import html
import os
import pty
import select
import signal
import struct
import sys
import tempfile
import time
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ
from typing import Any, Final

import pyte

HERE: Final = Path(__file__).parent
COLUMNS: Final = 116
WIDE, HIGH = 8.4, 18
FONT: Final = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
COLORS: Final = {"default": "#24292f"}

SPEC: Final = """\
wfc: 1
workflow: refunds
start: RefundWanted
end: [RefundPaid, RefundRefused]

events:
  RefundWanted: {order_id: string, amount: decimal}
  RefundChecked: {amount: decimal}
  RefundPaid: {number: string}
  RefundRefused: {why: string}

retries:
  patient: {max_attempts: 4, delay: 2s, backoff: 3}

steps:
  check:
    kind: human
    accepts: RefundWanted
    title: Pay ${{ event.amount }} back?
    form: {agreed: boolean}
    within: 2 days
    on_timeout: {event: RefundRefused, with: {why: nobody answered}}
    emit:
      - {event: RefundRefused, when: not result.agreed, with: {why: not agreed}}
      - {event: RefundChecked, with: {amount: "${{ event.amuont }}"}}

  pay:
    kind: http
    accepts: RefundChecked
    method: POST
    url: https://bank.example/refunds
    body: {order: "${{ inputs.order_id }}"}
    output: {number: string}
    retry: patient
    emit: RefundPaid
"""
INIT: Final = """\
vim.o.termguicolors, vim.o.laststatus, vim.o.ruler, vim.o.showmode, vim.o.signcolumn = true, 0, false, false, "yes"
vim.o.completeopt, vim.o.shortmess = "menuone,noinsert", vim.o.shortmess .. "cFI"
vim.o.pumheight, vim.o.cmdheight, vim.o.swapfile = 8, 1, false
vim.cmd("set background=light | syntax on | hi Normal guibg=#ffffff guifg=#24292f | hi SignColumn guibg=#ffffff")
vim.cmd("hi Pmenu guibg=#eaeef2 guifg=#24292f | hi PmenuSel guibg=#0969da guifg=#ffffff | hi NormalFloat guibg=#f6f8fa")
vim.cmd("hi DiagnosticError guifg=#cf222e | hi DiagnosticUnderlineError guisp=#cf222e gui=underline")
vim.cmd("hi EndOfBuffer guifg=#ffffff")
vim.cmd("hi DiagnosticHint guifg=#57606a")
vim.cmd("hi Identifier guifg=#0550ae | hi Statement guifg=#0550ae | hi Constant guifg=#0a3069")
vim.keymap.set("n", "K", vim.lsp.buf.hover)
local function first_line(found) return found.message:match("[^\\n]*") end
vim.diagnostic.config({ virtual_text = { prefix = "■", format = first_line }, update_in_insert = true })
local id = vim.lsp.start_client({ name = "wfc", cmd = { COMMAND, "lsp" }, root_dir = vim.fn.getcwd() })
vim.api.nvim_create_autocmd("FileType", { pattern = "yaml", callback = function(args)
  vim.bo[args.buf].omnifunc = "v:lua.vim.lsp.omnifunc"
  vim.lsp.buf_attach_client(args.buf, id)
end })
"""
SCENES: Final = {
    "editor_completion": ["32Gf.lcw", "\x18\x0f"],  # behind `inputs.`, what there is by Ctrl-X Ctrl-O
    "editor_hover": ["34Gfp", "K"],
}
ROWS: Final = 36


def screen_of(keys: list[str]) -> pyte.Screen:
    """Return what Neovim shows after some keys, each with time for the server to answer."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "refunds.yaml").write_text(SPEC, encoding="utf-8")
        wfc = str(Path(sys.executable).parent / "wfc")
        (Path(folder) / "init.lua").write_text(f"local COMMAND = {wfc!r}\n{INIT}", encoding="utf-8")
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.environ["TERM"] = "xterm-256color"
            os.execvp("nvim", ["nvim", "-u", "init.lua", "-n", "refunds.yaml"])  # noqa: S606, S607
        ioctl(terminal, TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        screen = pyte.Screen(COLUMNS, ROWS)
        stream = pyte.ByteStream(screen)
        try:
            for each in ["", *keys]:
                os.write(terminal, each.encode())
                read_for(4 if each in ("", keys[-1]) else 1.5, terminal, stream)
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        return screen


def read_for(seconds: float, terminal: int, stream: Any) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            stream.feed(os.read(terminal, 65_536))


def svg(screen: pyte.Screen) -> str:
    """Return a screen as a picture."""
    found = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * WIDE + 16:g} {screen.lines * HIGH + 16}" '
        f'font-family="{FONT}" font-size="14">',
        '<rect width="100%" height="100%" rx="6" fill="#ffffff" stroke="#d0d7de"/>',
    ]
    for row in range(screen.lines):
        found += line_of(screen.buffer[row], row, screen)
    return "\n".join([*found, "</svg>", ""])


def line_of(cells: Any, row: int, screen: pyte.Screen) -> list[str]:
    """Return the stretches of a row that look alike."""
    found, at = [], 0
    while at < screen.columns:
        look, begin, text = looks(cells[at]), at, ""
        while at < screen.columns and looks(cells[at]) == look:
            text += cells[at].data
            at += 1
        fore, back, bold, under = look
        x, y = 8 + begin * WIDE, 8 + row * HIGH
        if back not in ("#ffffff", "default"):
            found.append(
                f'<rect x="{x:g}" y="{y}" width="{(at - begin) * WIDE:g}" height="{HIGH}" fill="{back}"/>'
            )
        if text.strip():
            more = ' font-weight="bold"' * bold + ' text-decoration="underline"' * under
            lead = len(text) - len(text.lstrip())
            found.append(
                f'<text x="{x + lead * WIDE:g}" y="{y + 13}" fill="{fore}"{more} xml:space="preserve" '
                f'textLength="{len(text.strip()) * WIDE:g}">{html.escape(text.strip())}</text>'
            )
    return found


def looks(cell: Any) -> tuple[str, str, bool, bool]:
    fore, back = color(cell.fg), color(cell.bg)
    if cell.reverse:
        fore, back = back, fore
    return fore, back, bool(cell.bold), bool(cell.underscore)


def color(name: str) -> str:
    return f"#{name}" if len(name) == 6 and set(name) <= set("0123456789abcdef") else COLORS.get(name, name)


if __name__ == "__main__":
    for scene, keys in SCENES.items():
        (HERE / f"{scene}.svg").write_text(svg(screen_of(keys)), encoding="utf-8")
