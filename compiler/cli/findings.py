"""Output of the findings of several specs together."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TextIO

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.diagnostics.render import FORMATS, render
from wfc.compiler.diagnostics.results import Rule
from wfc.compiler.diagnostics.text import summary
from wfc.compiler.workspace.severity import Levels

__all__ = ["HasFindings", "note", "show"]


class HasFindings(Protocol):
    """The result of checking or compiling one spec."""

    @property
    def path(self) -> str:
        """The path as the user gave it."""

    @property
    def text(self) -> str:
        """The spec's text."""

    @property
    def texts(self) -> Mapping[str, str]:
        """The texts of other files that findings are in, by path."""

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The findings, sorted."""

    @property
    def suppressed(self) -> tuple[Diagnostic, ...]:
        """The findings that a comment suppresses."""


def show(
    compiled: Sequence[HasFindings],
    *,
    form: str = "full",
    on_error_stream: bool = False,
    settings: Sequence[Levels] = (),
    suppressed: bool = False,
    describe: Callable[[str], Rule] | None = None,
    what: str = "spec",
) -> bool:
    """Print all findings and a summary, and return whether there were none.

    Args:
        compiled: What was checked or compiled.
        form: How to show them.
        on_error_stream: Put them where they do not mix with the command's result.
        settings: Settings with something wrong in them, which comes first.
        suppressed: Show what is suppressed too; some formats always do.
        describe: Explains codes; by default those of the catalogue.
        what: What was looked at, as one word for the summary.
    """
    stream = sys.stderr if on_error_stream else sys.stdout
    files: list[HasFindings] = [*settings, *compiled]
    findings = list(dict.fromkeys(diagnostic for each in files for diagnostic in each.diagnostics))
    shown = findings
    if suppressed or FORMATS[form].suppressed:
        shown = [*findings, *(diagnostic for each in files for diagnostic in each.suppressed)]
    wrong = {diagnostic.path for diagnostic in shown}
    texts = {path: text for each in files for path, text in each.texts.items() if path in wrong}
    texts |= {each.path: each.text for each in files}
    stream.write(
        render(shown, texts, form=form, colour=colourful(stream), describe=describe or describe_rule)
    )
    stream.flush()
    if FORMATS[form].summary and (findings or not on_error_stream):
        specs = f"1 {what}" if len(compiled) == 1 else f"{len(compiled)} {what}s"
        offer = offered([each for one in compiled for each in one.diagnostics])
        print(f"{specs}: {summary(findings)}{'; ' if offer else ''}{offer}", file=sys.stderr)
    return not findings


def note(line: str) -> None:
    """Show the user a message that is not a finding."""
    print(line, file=sys.stderr)


def describe_rule(code: str) -> Rule:
    """Return the catalogue's entry for a code; the catalogue is imported only for formats that need it."""
    from wfc.compiler.rules.catalogue import describe

    return describe(code)


def offered(findings: Sequence[Diagnostic]) -> str:
    """Return how many findings could be fixed, and by which option; empty if none."""
    kinds = [each.fix.applicability for each in findings if each.fix is not None]
    safe, unsafe = kinds.count("safe"), kinds.count("unsafe")
    said = [f"{safe} can be fixed with `wfc check --fix`"] if safe else []
    if unsafe:
        said.append(f"{unsafe} {'more ' if safe else 'can be fixed '}with `wfc check --fix --unsafe`")
    return ", ".join(said)


def colourful(stream: TextIO) -> bool:
    """Return whether a stream is a terminal whose user has not disabled colours (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
