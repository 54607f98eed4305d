"""The command line, called in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from wfc.compiler.cli import main


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str


Wfc = Callable[..., Done]


@pytest.fixture
def wfc(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Wfc:
    """Runs ``wfc`` with arguments, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*args: str) -> Done:
        capsys.readouterr()
        status = main(args)
        told = capsys.readouterr()
        assert "Traceback" not in told.out + told.err
        return Done(status, told.out, told.err)

    return call


@pytest.fixture
def greet(tmp_path: Path) -> Path:
    """A good spec."""
    path = tmp_path / "greet.yaml"
    path.write_bytes((Path(__file__).parent / "greet.yaml").read_bytes())
    return path
