"""A policy read from its file, and held against specs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any, TypeVar

import click

from wfc.compiler.diagnostics import Diagnostic, Finding, Severity
from wfc.compiler.diagnostics.results import Rule as Described
from wfc.compiler.limits import MAX_BYTES
from wfc.compiler.passes import check_text
from wfc.compiler.review.policy import Policy, judge, read_policy
from wfc.compiler.slotted import replace
from wfc.compiler.workspace.compiled import Compiled, with_findings
from wfc.compiler.workspace.project import Project
from wfc.compiler.workspace.sources import Source, load
from wfc.compiler.yaml import Document

__all__ = ["POLICY", "describe_rules_of", "held", "load_policy", "only_errors", "policy_in", "policy_option"]

POLICY = "wfc-policy.yaml"

F = TypeVar("F", bound=Callable[..., Any])


def policy_option(function: F) -> F:
    """Add the option that names the policy."""
    return click.option(
        "--policy", "file", metavar="FILE", default=POLICY, show_default=True, help="The policy."
    )(function)


def load_policy(path: str) -> tuple[Policy, Compiled]:
    """Return the policy in a file, and what is wrong with it.

    Raises:
        PathError: The file cannot be read.
    """
    return policy_in(load(path).raw[: MAX_BYTES + 1], path)


def policy_in(raw: bytes, path: str) -> tuple[Policy, Compiled]:
    """Return the policy in some bytes, and what is wrong with it."""
    findings: list[Finding] = []
    policy = read_policy(raw, path, findings.append)
    return policy, wrong_in(policy.document, findings, raw)


def wrong_in(document: Document, findings: Sequence[Finding], raw: bytes = b"") -> Compiled:
    """Return findings in a policy as those of a file."""
    # `wfc check --fix` mends specs, and no policies
    found = [replace(document.diagnostic(each), fix=None) for each in findings]
    return Compiled(document.path, document.text, sha256(raw).hexdigest(), None, "", in_order(found))


def in_order(found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(
        sorted(dict.fromkeys(found), key=lambda each: (each.start, each.end, each.code, each.message))
    )


def held(policy: Policy, sources: Sequence[Source], project: Project) -> list[Compiled]:
    """Return what a policy finds in specs, and their errors; specs with errors are not judged."""
    found: list[Compiled] = []
    wrong: list[Finding] = []
    for source in sources:
        checked = check_text(source.raw, source.path, project)
        errors = only_errors(checked)
        if checked.failed or checked.workflow is None:
            found.append(errors)
            continue
        document = project.units[source.path.replace(os.sep, "/")].document
        own, of_policy = judge(policy, checked.workflow, document)
        found.append(with_findings(errors, own, project))
        wrong += of_policy
    return [wrong_in(policy.document, wrong), *found] if wrong else found


def only_errors(checked: Compiled) -> Compiled:
    """Return a result without its warnings, which `wfc check` tells."""
    kept = tuple(each for each in checked.diagnostics if each.severity is Severity.ERROR)
    return replace(checked, diagnostics=kept, suppressed=())


def describe_rules_of(policy: Policy) -> Callable[[str], Described]:
    """Return a function that explains the rules of a policy, and the compiler's own findings."""
    known = {each.id: each for each in policy.rules}

    def describe(code: str) -> Described:
        if code in known:
            return Described(code, known[code].because, known[code].severity)
        from wfc.compiler.rules.catalogue import describe as of_catalogue

        return of_catalogue(code)

    return describe
