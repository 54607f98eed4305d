"""``wfc policy``: what rules find, what is told of wrong ones, and their tests."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from wfc.compiler.diagnostics import Finding
from wfc.compiler.review.policy import read_policy
from wfc.compiler.review.policy.starter import starter_text
from wfc.compiler.review.policy.subjects import SUBJECTS
from wfc.schemas import load

SPEC = (Path(__file__).parents[2] / "draw/refund.yaml").read_text(encoding="utf-8")
APPROVAL = """\
policy: 1
rules:
  person-first:
    each: step
    where: step.tools | contains("pay_back")
    only_after: other.kind == "human"
    because: Money leaves only when a person has agreed.
"""


def rule(*lines: str) -> str:
    return "\n".join(["policy: 1", "rules:", "  own:", *(f"    {line}" for line in lines), ""])


def put(tmp_path: Path, policy: str, spec: str = SPEC) -> None:
    (tmp_path / "wfc-policy.yaml").write_text(policy)
    (tmp_path / "refund.yaml").write_text(spec)


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["each: step", "require: step.timeout is not none"], ["look", "ask"]),
        (["each: step", 'where: step.kind == "tool"', 'require: step.timeout <= "10 s"'], None),
        (
            ["each: step", 'require: step.timeout is none or step.timeout <= "10 s"'],
            ["pay"],
        ),
        (["each: step", 'require: step.timeout is none or step.timeout <= "20 s"'], []),
        (["each: tool", "require: tool.read_only"], ["pay_back"]),
        (["each: workflow", "require: workflow.has_deadline"], ["refund"]),
        (["each: workflow", 'require: not ([s.kind == "http" for s in workflow.steps] | any)'], []),
        (["each: step", "require: '\"group:support\" not in step.people'"], ["ask"]),
        (["each: test", "require: test.real is empty"], []),
    ],
)
def test_a_rule_finds_what_does_not_hold(
    wfc, tmp_path: Path, lines: list[str], found: list[str] | None
) -> None:
    put(tmp_path, rule(*lines, f"say: 'found ${{{{ {lines[0].split()[1]}.name }}}}'", "because: it is so"))
    done = wfc("policy", "check", "refund.yaml", "--format", "json")
    said = json.loads(done.out)
    if found is None:
        assert [each["code"] for each in said] == ["may-be-null"]
        assert said[0]["path"] == "wfc-policy.yaml"
        return
    assert [each["message"] for each in said] == [f"found {name}" for name in found]
    assert {each["path"] for each in said} <= {"refund.yaml"}
    assert done.status == (1 if found else 0)


def test_a_finding_stands_where_its_subject_is_declared(wfc, tmp_path: Path) -> None:
    put(
        tmp_path,
        rule("each: tool", "require: tool.read_only", "because: x", "severity: warning", "hint: say so"),
    )
    done = wfc("policy", "check", "--format", "concise")
    assert done.out.splitlines() == [
        "refund.yaml:12:3: warning: `pay_back` is not as `own` demands [own]; say so"
    ] or done.out.startswith("refund.yaml:12:3: warning: `pay_back` is not as `own` demands [own]")
    assert done.status == 1


@pytest.mark.parametrize("form", ["sarif", "junit", "github"])
def test_the_formats_of_findings_are_those_of_a_check(wfc, tmp_path: Path, form: str) -> None:
    put(tmp_path, rule("each: workflow", "require: workflow.has_deadline", "because: Nobody waits for ever."))
    done = wfc("policy", "check", "--format", form)
    assert done.status == 1
    assert "own" in done.out
    if form == "sarif":
        run = json.loads(done.out)["runs"][0]
        assert "Nobody waits for ever." in json.dumps(run["tool"]["driver"]["rules"])


def test_an_approval_stands_on_every_path(wfc, tmp_path: Path) -> None:
    put(tmp_path, APPROVAL)
    done = wfc("policy", "check", "--format", "concise")
    assert done.status == 1
    assert (
        "`pay` can be reached without what `person-first` demands: start → look → Granted → pay" in done.out
    )
    put(tmp_path, APPROVAL, SPEC.replace("      - Granted\n  ask", "      - Large\n  ask"))
    assert wfc("policy", "check").status == 0
    mended = SPEC.replace(
        "    emit:\n      - {event: Large, when: event.sum > 100}\n      - Granted\n", "    emit: Large\n"
    )
    put(tmp_path, APPROVAL, mended)
    assert wfc("policy", "check").status == 0
    # a time-out is no approval
    put(tmp_path, APPROVAL, mended.replace("on_timeout: Refused", "on_timeout: Granted"))
    done = wfc("policy", "check", "--format", "concise")
    assert "start → look → Large → ask (on_timeout) → Granted → pay" in done.out
    # unless the policy says so
    put(
        tmp_path,
        APPROVAL + '    leaving: way.exit in ["emit", "on_timeout"]\n',
        mended.replace("on_timeout: Refused", "on_timeout: Granted"),
    )
    assert wfc("policy", "check").status == 0
    # and a refusal can be told from a grant by what it emits
    put(tmp_path, APPROVAL + '    leaving: way.events | contains("Refused")\n', mended)
    assert wfc("policy", "check").status == 1


WRONG = {
    "a colon": ("policy: 1\nrules: [", 2),
    "nothing": ("", 1),
    "a list": ("- 1\n", 1),
    "no rules": ("policy: 1\n", 1),
    "another version": ("policy: 2\nrules: {}\n", 1),
    "true is no version": ("policy: true\nrules: {}\n", 1),
    "an unknown key": ("policy: 1\nrulse: {}\nrules: {}\n", 2),
    "a rule that is a text": ("policy: 1\nrules:\n  own: yes please\n", 3),
    "two in one map": ("policy: 1\nrules: {}\nrules: {}\n", 3),
    "a code of wfc": (
        rule("each: step", "require: step.bounded", "because: x").replace("own", "unknown-field"),
        3,
    ),
    "an id": (rule("each: step", "require: step.bounded", "because: x").replace("own", "Own Rule"), 3),
    "a subject": (rule("each: steps", "require: step.bounded", "because: x"), 4),
    "a misspelt field": (rule("each: step", "require: step.timout is none", "because: x"), 5),
    "a kind that there is not": (rule("each: step", 'require: step.kind != "htpp"', "because: x"), 5),
    "an exit that there is not": (APPROVAL + '    leaving: way.exit == "on_refusal"\n', 8),
    "no condition": (rule("each: step", "require: step.timeout", "because: x"), 5),
    "a condition that is none": (rule("each: step", "require: true", "because: x"), 5),
    "always true": (rule("each: step", "require: step.name == step.name or true", "because: x"), 5),
    "both": (rule("each: step", "require: step.bounded", "only_after: other.bounded", "because: x"), 5),
    "neither": (rule("each: step", "because: x"), 3),
    "no reason": (rule("each: step", "require: step.bounded"), 3),
    "after of a tool": (rule("each: tool", 'only_after: other.kind == "human"', "because: x"), 5),
    "leaving alone": (
        rule("each: step", "require: step.bounded", 'leaving: way.exit == "emit"', "because: x"),
        6,
    ),
    "a filter": (rule("each: step", 'require: step.name | matches("a+")', "because: x"), 5),
    "a test": (rule("each: step", "require: step.name is string", "because: x"), 5),
    "code": (rule("each: step", "require: __import__('os').system('true') == 0", "because: x"), 5),
    "a dunder": (rule("each: step", "require: step.__class__ == step.name", "because: x"), 5),
    "a severity": (rule("each: step", "require: step.bounded", "because: x", "severity: fatal"), 7),
    "a say": (rule("each: step", "require: step.bounded", "because: x", "say: ${{ step.nam }}"), 7),
    "a value": ("policy: 1\nvalues: {x: {y: 1}}\nrules: {}\n", 2),
    "mixed values": ("policy: 1\nvalues: {x: [1, a]}\nrules: {}\n", 2),
    "tests": ("policy: 1\nrules: {}\ntests: 7\n", 3),
    "a test of no rule": ("policy: 1\nrules: {}\ntests:\n  - {name: a, spec: b, expect: [c]}\n", 4),
    "a count": ("policy: 1\nrules: {}\ntests:\n  - {name: a, spec: b, expect: {c: -1}}\n", 4),
    "not UTF-8": ("policy: \udcff\n", 1),
    "an alias bomb": (
        "a: &a [1,1,1,1,1,1,1,1,1]\n"
        + "".join(
            f"{b}: &{b} [*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a}]\n" for a, b in pairwise("abcdefghi")
        ),
        None,
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_in_a_policy_is_told_at_its_place(wfc, tmp_path: Path, case: str) -> None:
    policy, line = WRONG[case]
    (tmp_path / "wfc-policy.yaml").write_bytes(policy.encode(errors="surrogateescape"))
    (tmp_path / "refund.yaml").write_text(SPEC)
    done = wfc("policy", "check", "--format", "json")
    assert done.status == 1
    found = json.loads(done.out)
    assert found and {each["path"] for each in found} == {"wfc-policy.yaml"}
    if line is not None:
        assert found[0]["start"]["line"] == line, found[0]


@pytest.mark.parametrize(
    "require",
    [
        pytest.param(
            "[[[[e.bounded for e in workflow.steps] | any for d in workflow.steps] | any for c in workflow.steps] | any"
            " for b in workflow.steps] | any",
            marks=pytest.mark.full,
        ),
        "(step.name ~ step.name ~ step.name) | length > 1_000",
        "values.large * values.large * values.large * values.large > 0",
        "1 / (step.emits | length) > 2",
        "values.many[7] == 1",
    ],
)
def test_work_is_bounded_and_what_cannot_be_worked_out_is_told(wfc, tmp_path: Path, require: str) -> None:
    steps = "".join(f"  s{n}: {{kind: transform, accepts: E{n}, emit: E{n + 1}}}\n" for n in range(60))
    events = "".join(f"  E{n}: {{}}\n" for n in range(61))
    spec = f"wfc: 1\nworkflow: w\nstart: E0\nend: E60\nevents:\n{events}steps:\n{steps}"
    head = f"policy: 1\nvalues: {{large: {10**300}, many: [1, 2]}}\n"
    put(
        tmp_path,
        head
        + rule("each: step", f"require: {json.dumps(require)}", "because: x").removeprefix("policy: 1\n"),
        spec,
    )
    done = wfc("policy", "check", "--format", "concise")
    assert done.status in (0, 1)
    assert "Traceback" not in done.out


def read_errors(text: str) -> list[Finding]:
    found: list[Finding] = []
    read_policy(text.encode(errors="surrogateescape"), "wfc-policy.yaml", found.append)
    return found


ODD = [None, True, 0, -1, 2, 1.5, "", "x", "a b", [], [[]], {}, {"a": {}}, {"": 1}, ["a", 1], [None]]


def mutated(data: Any, dice: random.Random) -> Any:
    """Return a policy in which one thing is another, is gone, or is there besides."""
    made = json.loads(json.dumps(data))
    places: list[tuple[Any, Any]] = []
    work = [made]
    while work:
        node = work.pop()
        inside = list(node.items() if isinstance(node, dict) else enumerate(node))
        places += [(node, key) for key, _ in inside]
        work += [each for _, each in inside if isinstance(each, (dict, list))]
    node, key = dice.choice(places)
    match dice.randrange(3):
        case 0:
            node[key] = dice.choice(ODD)
        case 1:
            del node[key]
        case _ if isinstance(node, dict):
            node[dice.choice(["x", "each", "policy", "A b"])] = dice.choice(ODD)
        case _:
            node.append(dice.choice(ODD))
    return made


@pytest.mark.parametrize("seed", range(3))
def test_what_does_not_fit_the_schema_is_told(seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311  no secret
    judge = jsonschema.Draft202012Validator(load("policy"))
    starter = yaml.safe_load(starter_text())
    assert judge.is_valid(starter)
    starter["tests"] = starter["tests"][:1]
    refused = 0
    for _ in range(150):
        data = mutated(starter, dice)
        found = read_errors(json.dumps(data))
        if not judge.is_valid(data):
            assert found, [each.message for each in judge.iter_errors(data)]
            refused += 1
    assert refused > 40


def test_the_schema_knows_what_rules_may_be_asked_of() -> None:
    assert load("policy")["$defs"]["rule"]["properties"]["each"]["enum"] == list(SUBJECTS)


def test_a_policy_that_is_not_there(wfc, tmp_path: Path) -> None:
    (tmp_path / "refund.yaml").write_text(SPEC)
    done = wfc("policy", "check")
    assert done.status == 2
    assert "wfc-policy.yaml" in done.err


def test_a_spec_with_errors_is_told_and_not_judged(wfc, tmp_path: Path) -> None:
    put(
        tmp_path,
        rule("each: workflow", "require: workflow.has_deadline", "because: x"),
        SPEC.replace("Asked\n", "Askd\n"),
    )
    done = wfc("policy", "check", "--format", "json")
    found = {each["code"] for each in json.loads(done.out)}
    assert done.status == 1
    assert "own" not in found and found


def test_the_starter_passes_its_own_tests_and_each_rule_has_one(wfc, tmp_path: Path) -> None:
    (tmp_path / "wfc-policy.yaml").write_text(wfc("policy", "starter").out)
    done = wfc("policy", "test")
    assert (done.status, done.err) == (0, "5 passed\n")


def test_a_test_that_expects_something_else_fails(wfc, tmp_path: Path) -> None:
    text = wfc("policy", "starter").out
    (tmp_path / "wfc-policy.yaml").write_text(text.replace("only-known-programs: 1, ", ""))
    done = wfc("policy", "test")
    assert done.status == 1
    assert "`only-known-programs` finds 1, and 0 are expected" in done.out
    assert "no test expects a finding of `only-known-programs`" in done.err


def test_facts_show_what_rules_can_ask(wfc, tmp_path: Path) -> None:
    (tmp_path / "refund.yaml").write_text(SPEC)
    done = wfc("policy", "facts", "refund.yaml")
    (spec,) = json.loads(done.out)["specs"]
    assert [each["name"] for each in spec["asked"]["step"]] == ["look", "ask", "pay"]
    assert spec["asked"]["step"][2]["tools"] == ["pay_back"]
    assert spec["asked"]["step"][2]["timeout"] == 20.0
    assert spec["facts"]["steps"]["pay"]["at"] == ["refund.yaml", "steps", "pay"]
