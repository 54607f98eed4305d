"""``wfc skill``: the file from which language models learn, whose every example holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wfc.compiler.cli import main
from wfc.compiler.cli.skill import PLACE, skill_text
from wfc.compiler.diagnostics.render import render
from wfc.compiler.model.kinds import STEP_KINDS
from wfc.compiler.passes import check_text

EXAMPLES = re.findall(r"^```yaml\n(.*?)^```$", skill_text(), re.MULTILINE | re.DOTALL)
LARGEST = 60_000


def test_it_is_printed(wfc) -> None:
    done = wfc("skill")
    assert (done.status, done.out, done.err) == (0, skill_text(), "")


def test_it_has_the_head_that_programs_for_agents_read() -> None:
    head = re.match(
        r"---\nname: (?P<name>[a-z0-9-]{1,64})\ndescription: (?P<says>[^\n]+)\n---\n", skill_text()
    )
    assert head is not None
    assert head["name"] == Path(PLACE).parent.name
    assert len(head["says"]) <= 1024


def test_it_leaves_a_model_room_to_work() -> None:
    assert len(skill_text().encode()) <= LARGEST
    assert "<!--" not in skill_text()
    assert not re.search(r"\]\((?:#|[\w/.]+\.md)", skill_text()), "a link leads nowhere in a file of its own"


@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: re.search(r"workflow: (\w+)", text)[1])
def test_each_example_is_whole_and_good_and_its_tests_pass(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checked = check_text(text.encode(), "shown.yaml")
    assert not checked.diagnostics, render(checked.diagnostics, {"shown.yaml": text})
    (tmp_path / "shown.yaml").write_text(text, encoding="utf-8")
    assert "\ntests:\n" in text
    assert main(["test", str(tmp_path / "shown.yaml")]) == 0, "".join(capsys.readouterr())


def test_it_tells_of_every_kind_of_step() -> None:
    assert len(EXAMPLES) >= 9
    assert not [kind for kind in STEP_KINDS if f"| `{kind}` |" not in skill_text()]


def test_it_is_written_where_it_is_wanted(wfc, tmp_path: Path) -> None:
    done = wfc("skill", "--write", "skills")
    assert (done.status, done.out) == (0, f"written: skills/{PLACE}\n")
    path = tmp_path / "skills" / PLACE
    assert path.read_text(encoding="utf-8") == skill_text()
    path.write_text("---\nname: wfc-specs\ndescription: of an earlier version\n---\n")
    assert wfc("skill", "--write", "skills").status == 0
    assert path.read_text(encoding="utf-8") == skill_text()


def test_what_is_not_ours_is_not_written_over(wfc, tmp_path: Path) -> None:
    path = tmp_path / PLACE
    path.parent.mkdir()
    path.write_text("mine")
    done = wfc("skill", "--write", ".")
    assert done.status == 2
    assert "is there already" in done.err
    assert path.read_text() == "mine"
    path.unlink()
    (tmp_path / "elsewhere").write_text(skill_text())
    path.symlink_to(tmp_path / "elsewhere")
    assert wfc("skill", "--write", ".").status == 2
    (tmp_path / "file").write_text("")
    assert wfc("skill", "--write", "file").status == 2
