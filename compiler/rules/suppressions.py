"""Problems with comments and settings about findings: suppressions, severities."""

from __future__ import annotations

from collections.abc import Sequence

from wfc.compiler.diagnostics import Edit, Finding, Fix, Place
from wfc.compiler.rules import closest, problem, warning
from wfc.compiler.rules.fixes import correct_name

__all__ = [
    "error_made_milder",
    "error_suppressed",
    "suppression_without_code",
    "suppression_without_reason",
    "unknown_code",
    "unknown_severity",
    "unreadable_settings",
    "unused_suppression",
    "wrong_hosts",
    "wrong_tell",
]


@problem
def unknown_code(place: Place, code: str, known: Sequence[str]) -> Finding:
    """A code is mentioned that no finding has.

    `# wfc: ignore[code] because …` in a spec and the table `[tool.wfc.severity]` of the settings mention findings by
    their codes, which stand in brackets at the end of each finding. A code that there is not would do nothing.
    `wfc explain` lists them all.
    """
    return Finding(
        "unknown-code",
        f"no finding has the code `{code}`",
        place,
        closest(code, known) or "`wfc explain` lists the codes",
        fix=correct_name(place, code, known),
    )


@problem
def suppression_without_code(place: Place) -> Finding:
    """A comment asks for findings to be ignored, and does not say which.

    What is ignored is named, so that other findings on the line are still seen: `# wfc: ignore[unused-event] because
    the next version needs it`. The code stands in brackets at the end of the finding.
    """
    return Finding(
        "suppression-without-code",
        "this does not say what is to be ignored",
        place,
        "write `# wfc: ignore[code] because …`",
    )


@warning
def suppression_without_reason(place: Place) -> Finding:
    """A comment asks for a finding to be ignored, and does not say why.

    Whoever reads the spec next wants to know whether the reason still holds. Write it after `because`. The finding is
    ignored all the same.
    """
    return Finding(
        "suppression-without-reason",
        "this does not say why the finding is ignored",
        place,
        "write `# wfc: ignore[code] because …`",
    )


@problem
def error_suppressed(place: Place, code: str) -> Finding:
    """A comment asks for an error to be ignored.

    Only warnings can be ignored. An error means that the workflow could not run, or that what the compiler promises
    about it would not hold. Mend what the error is about, and take the comment away.
    """
    return Finding(
        "error-suppressed", f"`{code}` is an error, and only warnings can be ignored", place, "mend the error"
    )


@warning
def unused_suppression(place: Place, code: str, edit: Edit) -> Finding:
    """A comment asks for a finding to be ignored that is not there.

    The reason for it has gone, or the comment stands on another line than the finding: it belongs on the finding's own
    line, or on a line of its own above. Left where it is, it would hide the next finding of this kind. Take it away.
    """
    return Finding(
        "unused-suppression",
        f"there is no `{code}` here to be ignored",
        place,
        fix=Fix("remove it", (edit,), "safe"),
    )


@problem
def unreadable_settings(place: Place, why: str) -> Finding:
    """The file with the project's settings cannot be read.

    Settings are the table `[tool.wfc]` of `pyproject.toml`, or a file `wfc.toml`, in the spec's folder or one above.
    They are written in TOML: `[tool.wfc.severity]` on one line, and below it lines such as `unused-event = "error"`.
    """
    return Finding("unreadable-settings", f"these settings cannot be read: {why}", place)


@problem
def unknown_severity(place: Place, value: str, known: Sequence[str]) -> Finding:
    """The settings give a finding a severity that there is not.

    A finding is an `"error"`, a `"warning"`, or it is `"off"`.
    """
    return Finding(
        "unknown-severity",
        f"{value} is no severity",
        place,
        closest(value.strip('"'), known) or 'write `"error"`, `"warning"` or `"off"`',
        fix=correct_name(place, value.strip('"'), known),
    )


@problem
def error_made_milder(place: Place, code: str, level: str) -> Finding:
    """The settings turn an error into a warning, or off.

    Only warnings may be made milder; any finding may be made graver. An error means that the workflow could not run,
    or that what the compiler promises about it would not hold, in whichever project. Take the line out of the settings.
    """
    return Finding("error-made-milder", f"`{code}` is an error, and cannot be `{level}`", place)


@problem
def wrong_tell(place: Place, why: str) -> Finding:
    """The settings of who is told of questions and of failed runs are wrong, so that nobody would be told.

    The table `[tool.wfc.tell]` has one of `program`, `address` and `workflow`, and may say `of` what is told, what the
    addresses of `people` are, and where the `page` of the server is that messages have links to. A program is
    among the `commands` too, since it is started.
    """
    return Finding("wrong-tell", why, place)


@problem
def wrong_hosts(place: Place, why: str) -> Finding:
    """The settings of how often hosts may be asked are wrong, so that they would be asked at any time.

    The table `[tool.wfc.hosts]` has a host for each entry, with a port if it matters, and a table of `rate` (`60 per
    min`, `5 per s`), `at_once` (how many requests may be under way) or both, such as
    `"api.shop.example" = {rate = "60 per min"}`.
    """
    return Finding("wrong-hosts", why, place)
