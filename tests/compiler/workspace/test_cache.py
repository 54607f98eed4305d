"""The cache of ``wfc check``: nobody can tell that it is there, but by the clock."""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.passes import check_text
from wfc.compiler.workspace.cache import Cache, CheckResult, entries, fingerprint, store
from wfc.compiler.workspace.project import Project

GREET = (Path(__file__).parents[1] / "greet.yaml").read_text()
BAD = GREET.replace("accepts: Asked", "accepts: Aksed")
ERRORS = sorted((Path(__file__).parents[3] / "compiler/rules/examples").glob("*.yaml"))


@pytest.fixture(autouse=True)
def kept(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of this test's own."""
    folder = tmp_path_factory.mktemp("cache") / "wfc"
    monkeypatch.delenv("WFC_NO_CACHE", raising=False)
    monkeypatch.setenv("WFC_CACHE_DIR", str(folder))
    return folder


def kept_files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]


def never(raw: bytes, path: str, project: Project) -> None:
    raise AssertionError(f"{path} is checked again")


# --- it answers


@pytest.mark.parametrize("text", [GREET, BAD], ids=["good", "bad"])
@pytest.mark.parametrize("form", ["full", "concise", "json"])
def test_what_is_unchanged_is_not_checked_again(
    wfc, greet: Path, monkeypatch: pytest.MonkeyPatch, text: str, form: str
) -> None:
    greet.write_text(text)
    first = wfc("check", "greet.yaml", "--format", form)
    monkeypatch.setattr("wfc.compiler.passes.check_text", never)
    assert wfc("check", "--format", form, "greet.yaml") == first


def test_one_answer_serves_every_format(wfc, greet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    greet.write_text(BAD)
    expected = wfc("check", "--format", "json", "--no-cache", "greet.yaml")
    wfc("check", "greet.yaml")
    monkeypatch.setattr("wfc.compiler.passes.check_text", never)
    assert wfc("check", "--format", "json", "greet.yaml") == expected


def test_in_a_folder_only_what_changed_is_checked(
    wfc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        (tmp_path / f"spec_{number}.yaml").write_text(BAD.replace("greet", f"greet_{number}"))
    wfc("check", ".")
    checked: list[str] = []

    def counted(raw: bytes, path: str, project: Project) -> object:
        checked.append(path)
        return check_text(raw, path, project)

    monkeypatch.setattr("wfc.compiler.passes.check_text", counted)
    (tmp_path / "spec_3.yaml").write_text(GREET)
    (tmp_path / "spec_5.yaml").write_text(GREET.replace("greet", "greet_5"))
    wfc("check", ".")
    assert checked == ["spec_3.yaml", "spec_5.yaml"]
    checked.clear()
    (tmp_path / "spec_4.yaml").unlink()
    wfc("check", ".")
    assert checked == []


def test_an_answer_is_of_one_path(wfc, tmp_path: Path) -> None:
    for name in ("one.yaml", "two.yaml"):
        (tmp_path / name).write_text(BAD)
        assert wfc("check", name).out.startswith(f"{name}:")


def test_a_hit_loads_neither_the_parser_nor_the_passes(tmp_path: Path, kept: Path) -> None:
    path = tmp_path / "greet.yaml"
    path.write_text(BAD)
    program = (
        f"import sys, wfc.compiler.cli as c; s = c.main(['check', {str(path)!r}]); print(s, *sys.modules)"
    )

    def loaded() -> set[str]:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        return set(done.stdout.splitlines()[-1].split())

    assert "wfc.compiler.resolve" in loaded()
    again = loaded()
    assert {name for name in again if name.startswith("wfc.compiler.")} == {
        "wfc.compiler.cli",
        "wfc.compiler.cli.checking",
        "wfc.compiler.cli.findings",
        "wfc.compiler.diagnostics",
        "wfc.compiler.diagnostics.escaping",
        "wfc.compiler.diagnostics.render",
        "wfc.compiler.diagnostics.results",
        "wfc.compiler.diagnostics.text",
        "wfc.compiler.limits",
        "wfc.compiler.slotted",
        "wfc.compiler.workspace",
        "wfc.compiler.workspace.cache",
        "wfc.compiler.workspace.cache.entries",
        "wfc.compiler.workspace.cache.fingerprint",
        "wfc.compiler.workspace.cache.store",
        "wfc.compiler.workspace.detection",
        "wfc.compiler.workspace.disk",
        "wfc.compiler.workspace.lookups",
        "wfc.compiler.workspace.reading",
        "wfc.compiler.workspace.severity",
        "wfc.compiler.workspace.sources",
    }
    assert not again & {"click", "yaml", "dataclasses", "inspect"}


# --- it never gives a stale answer


def mutations(rng: random.Random, folder: Path) -> Iterator[str]:
    """Edits of specs, one after the other; some undo what others did, and some change nothing."""
    names = ["a.yaml", "b.yaml", "deep/c.yaml"]
    words = [
        "Asked",
        "Aksed",
        "Greeted",
        "greet",
        "string",
        "integer",
        "${{",
        "}}",
        "event.name",
        "- ",
        "é",
        "\u2028",
    ]
    for _ in range(40):
        path = folder / rng.choice(names)
        path.parent.mkdir(exist_ok=True)
        kind = rng.choice(["word", "word", "fresh", "bad", "gone", "cut", "bytes", "touch", "copy"])
        if kind in {"fresh", "bad"} or not path.exists():
            path.write_text(GREET if kind != "bad" else BAD)
        elif kind == "word":
            text = path.read_text(encoding="utf-8", errors="replace")
            path.write_text(text.replace(rng.choice(words), rng.choice(words), 1), encoding="utf-8")
        elif kind == "gone":
            path.unlink()
        elif kind == "cut":
            path.write_bytes(path.read_bytes()[: rng.randrange(400)])
        elif kind == "bytes":
            path.write_bytes(path.read_bytes() + rng.choice([b"\xff", b"\0", b"\xef\xbb\xbf", b"# more\n"]))
        elif kind == "touch":
            os.utime(path, (0, 0))
        else:
            shutil.copy(path, folder / rng.choice(names[:2])) if path.name == "c.yaml" else None
        yield kind


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(each, marks=pytest.mark.full) for each in range(2, 6))]
)
def test_the_same_bytes_come_out_after_any_edit(wfc, tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311
    for kind in mutations(rng, tmp_path):
        form = rng.choice(["full", "concise", "json"])
        paths = rng.choice([["."], ["."], ["a.yaml"], ["b.yaml", "a.yaml"]])
        cached = wfc("check", "--format", form, *paths)
        assert cached == wfc("check", "--no-cache", "--format", form, *paths), f"seed {seed}, after {kind}"


FOLDERS = [path for path in sorted(ERRORS[0].parent.glob("[!_]*")) if path.is_dir()]
POOL: dict[str, list[bytes]] = {}
for _folder in FOLDERS:
    for _path in sorted(_folder.glob("*.yaml")):
        POOL.setdefault(_path.name, []).append(_path.read_bytes())


@pytest.mark.parametrize(
    "seed", [0, 1, 2, *(pytest.param(each, marks=pytest.mark.full) for each in range(3, 12))]
)
def test_the_same_bytes_come_out_after_any_edit_of_a_file_that_is_used(
    wfc, tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)  # noqa: S311
    seen: set[str] = set()
    own = sorted(rng.choice(FOLDERS).glob("*.yaml"))
    for path in own:
        shutil.copy(path, tmp_path)
    main = "main.yaml" if "main.yaml" in {path.name for path in own} else rng.choice(own).name
    for turn in range(25):
        name = rng.choice(
            [rng.choice([*POOL]), rng.choice(own).name]
        )  # most of the pool has nothing to do with it
        path = tmp_path / name
        kinds = [
            "other",
            "other",
            "more",
            "root",
            *(["gone", "outside", "folder"] if name != main else []),
        ]
        match rng.choice(kinds):
            case "gone":
                remove(path)
            case "outside":
                remove(path)
                path.symlink_to("/dev/null")
            case "folder":
                remove(path)
                path.mkdir()
            case "root":
                (tmp_path / "wfc.toml").touch()
            case "more" if path.is_file() and not path.is_symlink():
                path.write_bytes(path.read_bytes().replace(b"string", rng.choice([b"strin", b"integer"]), 1))
            case _:
                remove(path)
                path.write_bytes(rng.choice(POOL[name]))
        there = [each for each in sorted(POOL) if (tmp_path / each).is_file()]
        paths = rng.choice([["."], [main], [f"{tmp_path}/{main}"], there])
        cached = wfc("check", "--format", "full", *paths)
        seen.add(cached.out)
        assert cached == wfc("check", "--no-cache", "--format", "full", *paths), f"seed {seed}, turn {turn}"
    assert len(seen) > 2


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


@pytest.mark.parametrize("folder", FOLDERS, ids=[folder.name for folder in FOLDERS])
def test_folders_of_specs_are_not_checked_again(
    wfc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    for path in folder.glob("*.yaml"):
        shutil.copy(path, tmp_path)
    first = wfc("check", ".")
    monkeypatch.setattr("wfc.compiler.passes.check_text", never)
    assert wfc("check", ".") == first


def test_an_edit_that_keeps_size_and_time_is_seen(wfc, greet: Path) -> None:
    wfc("check", "greet.yaml")
    before = greet.stat()
    greet.write_text(BAD)
    os.utime(greet, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert greet.stat().st_size == before.st_size
    assert wfc("check", "greet.yaml").status == 1


def test_an_edit_of_the_compiler_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = tmp_path / "compiler"
    (code / "room").mkdir(parents=True)
    (tmp_path / "schemas").mkdir()
    schema = tmp_path / "schemas/one.json"
    schema.write_text("{}")
    module = code / "room/rule.py"
    module.write_text("LIMIT = 1\n")
    monkeypatch.setattr(fingerprint, "COMPILER", str(code))
    monkeypatch.setattr(fingerprint, "SCHEMAS", str(tmp_path / "schemas"))
    seen = {fingerprint.fingerprint()}
    assert fingerprint.fingerprint() in seen
    times = module.stat()

    def changed() -> None:
        found = fingerprint.fingerprint()
        assert found not in seen
        seen.add(found)

    module.write_text("LIMIT = 2\n")
    os.utime(module, ns=(times.st_atime_ns, times.st_mtime_ns))
    changed()
    module.rename(code / "room/rules.py")
    changed()
    (code / "room/more.py").write_text("")
    changed()
    schema.write_text("[]")
    changed()
    (code / "room/__pycache__").mkdir()
    (code / "room/__pycache__/rule.cpython-311.pyc").write_bytes(b"x")
    assert fingerprint.fingerprint() in seen
    monkeypatch.setattr(sys, "version", "3.99")
    changed()


@pytest.mark.parametrize("path", ERRORS, ids=[path.stem for path in ERRORS])
def test_whatever_is_found_comes_back_as_it_was(path: Path) -> None:
    raw = path.read_bytes()
    checked = check_text(raw, path.name)
    result = CheckResult(path.name, checked.text, checked.diagnostics)
    assert entries.decode(entries.encode(result, raw, "key"), raw, "key") == result
    assert entries.decode(entries.encode(result, raw, "key"), raw, "other") is None


def test_every_field_of_a_finding_can_be_kept() -> None:
    found = {
        type(part).__name__
        for path in ERRORS
        for each in check_text(path.read_bytes(), path.name).diagnostics
        for part in (
            each,
            each.severity,
            each.start,
            *each.related,
            each.fix,
            *(each.fix.edits if each.fix else ()),
        )
    }
    assert {"Diagnostic", "Severity", "Position", "Repair", "TextEdit"} <= found


# --- whatever the folder holds


def broken(content: bytes, key: str) -> list[bytes]:
    """Entries that are not what was written."""

    def signed(value: object) -> bytes:
        return signed_bytes(json.dumps(value).encode())

    def signed_bytes(text: bytes, key: str = key) -> bytes:
        return sha256(key.encode() + text).hexdigest().encode() + text

    good = json.loads(content[entries.DIGEST :])
    path, text, found, ignored, asked, texts, modules = good
    position = {"Position": [1, 1, 0]}
    return [
        b"",
        content[:-1],
        content + b" ",
        content[:10],
        content.replace(b"greet", b"great"),
        b"0" * entries.DIGEST + content[entries.DIGEST :],
        b"\xff" * 1000,
        b"[" * 100_000,
        signed(None),
        signed([]),
        signed(good[:3]),
        signed([path, text, found, ignored, [["content", "x"]], texts, modules]),
        signed([path, text, found, ignored, [["content", "x", "y"]], texts, modules]),
        signed([path, text, found, ignored, [["mood", "x", "y"]], texts, modules]),
        signed([path, text, found, ignored, asked, ["x"], modules]),
        signed([path, 17, found, ignored, asked, texts, modules]),
        signed(["other.yaml", text, found, ignored, asked, texts, modules]),
        signed([path, text, [{"Severity": [7]}], ignored, asked, texts, modules]),
        signed([path, text, [{"Popen": ["true"]}], ignored, asked, texts, modules]),
        signed([path, text, [{"Diagnostic": [1]}], ignored, asked, texts, modules]),
        signed([path, text, [position], ignored, asked, texts, modules]),
        signed([path, text, {"Position": [1, 1, 0], "Fix": []}, ignored, asked, texts, modules]),
        signed([path, text, "nothing", ignored, asked, texts, modules]),
        signed([path, text, found, [position], asked, texts, modules]),
        signed([path, text, found, ignored, asked, texts, 5]),
        signed([path, text, found, ignored, asked, texts, [5]]),
        signed_bytes(b"[" * 100_000),
        signed_bytes(json.dumps([path, text, [], [], asked, texts, modules]).encode(), "0" * 64),
    ]


@pytest.mark.parametrize("number", range(28))
def test_what_is_broken_is_as_if_it_were_not_there(wfc, greet: Path, kept: Path, number: int) -> None:
    greet.write_text(BAD)
    expected = wfc("check", "greet.yaml")
    (entry,) = kept_files(kept)
    entry.write_bytes(broken(entry.read_bytes(), entry.parent.name + entry.name)[number])
    assert wfc("check", "greet.yaml") == expected
    assert wfc("check", "greet.yaml") == expected


def test_a_folder_in_the_place_of_an_entry(wfc, greet: Path, kept: Path) -> None:
    expected = wfc("check", "greet.yaml")
    (entry,) = kept_files(kept)
    entry.unlink()
    entry.mkdir()
    assert wfc("check", "greet.yaml") == expected


@pytest.mark.parametrize("where", ["a file", "below a file", "nowhere", "a link to itself"])
def test_where_nothing_can_be_kept_specs_are_checked(
    wfc, greet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to("link")
    folder = {
        "a file": "file",
        "below a file": "file/cache",
        "nowhere": "/proc/no",
        "a link to itself": "link",
    }
    monkeypatch.setenv("WFC_CACHE_DIR", folder[where])
    for _ in range(2):
        assert (wfc("check", "greet.yaml").status, (tmp_path / "file").read_text()) == (0, "mine")


def spoil(entry: Path, how: str, tmp_path: Path) -> None:
    """Put something in the place of an entry, or do something to it, that says there were no findings."""
    kept = entry.read_bytes()
    if how in {"a link", "a pipe", "a socket", "a hard link"}:
        entry.unlink()
    match how:
        case "a link":
            (tmp_path / "elsewhere").write_bytes(kept)
            entry.symlink_to(tmp_path / "elsewhere")
        case "a hard link":
            (tmp_path / "elsewhere").write_bytes(kept.replace(b"Aksed", b"Asked"))
            entry.hardlink_to(tmp_path / "elsewhere")
        case "a pipe":
            os.mkfifo(entry)
        case "a socket":
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(os.path.relpath(entry))
        case "others may write":
            entry.chmod(0o666)
        case _:
            os.truncate(entry, 2**40)


SPOILT = ["a link", "a hard link", "a pipe", "a socket", "others may write", "without end"]


@pytest.mark.skipif(sys.platform == "win32", reason="this platform has other rights")
@pytest.mark.parametrize("how", SPOILT)
def test_an_entry_that_somebody_else_may_have_made_is_as_if_it_were_not_there(
    wfc, greet: Path, tmp_path: Path, kept: Path, how: str
) -> None:
    greet.write_text(BAD)
    expected = wfc("check", "greet.yaml")
    (entry,) = kept_files(kept)
    spoil(entry, how, tmp_path)
    assert Cache(str(kept)).find("greet.yaml", BAD.encode(), lambda _: True) is None
    assert wfc("check", "greet.yaml") == expected
    assert Cache(str(kept)).find("greet.yaml", BAD.encode(), lambda _: True) is not None


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="this platform has other rights")
def test_an_entry_of_another_user_does_not_count(
    wfc, greet: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wfc("check", "greet.yaml")
    there = Cache(str(kept))
    assert there.find("greet.yaml", GREET.encode(), lambda _: True) is not None
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    assert there.find("greet.yaml", GREET.encode(), lambda _: True) is None


def test_an_entry_counts_only_where_it_was_put(wfc, greet: Path, kept: Path) -> None:
    wfc("check", "greet.yaml")
    (good,) = kept_files(kept)
    greet.write_text(BAD)
    expected = wfc("check", "greet.yaml")
    (other,) = {*kept_files(kept)} - {good}
    other.write_bytes(good.read_bytes())
    assert wfc("check", "greet.yaml") == expected


def test_a_cache_that_was_deleted_is_made_again(kept: Path) -> None:
    cache, raw = Cache(str(kept)), GREET.encode()
    result = CheckResult("greet.yaml", GREET, ())
    cache.keep(raw, result)
    shutil.rmtree(kept)
    cache.keep(raw, result)  # what finds that out may be lost
    cache.keep(raw, result)
    assert cache.find("greet.yaml", raw, lambda _: True) == result


def test_nothing_but_entries_is_removed(tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_SHELF_ENTRIES", 2)
    mine, elsewhere = "my thesis.txt", tmp_path / "elsewhere"
    elsewhere.mkdir()
    for number in range(256):
        if number % 2:
            (kept / f"{number:02x}").mkdir(parents=True)
        else:
            (kept / f"{number:02x}").parent.mkdir(parents=True, exist_ok=True)
            (kept / f"{number:02x}").symlink_to(elsewhere)
        for name in (mine, "0" * 62, "1" * 62 + ".17"):
            (kept / f"{number:02x}" / name).write_text("precious")
    cache = Cache(str(kept))
    for number in range(1_000):
        cache.keep(b"%d" % number, CheckResult("a.yaml", str(number), ()))
    assert {path.name for path in elsewhere.iterdir()} == {mine, "0" * 62, "1" * 62 + ".17"}
    assert all((kept / f"{number:02x}" / mine).exists() for number in range(256))
    emptied = [number for number in range(1, 256, 2) if not (kept / f"{number:02x}" / ("0" * 62)).exists()]
    assert len(emptied) > 100  # of 128; by chance some have got nothing new


@pytest.mark.skipif(sys.platform == "win32", reason="this platform has no such limits")
def test_what_cannot_be_written_whole_leaves_nothing(tmp_path: Path, greet: Path, kept: Path) -> None:
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); "
        "from wfc.compiler.cli import main; sys.exit(main(['check', 'greet.yaml']))"
    )
    greet.write_text(BAD)
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert kept_files(kept) == []


# --- it can be refused, and stays small


def test_who_wants_none_has_none(wfc, greet: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wfc("check", "--no-cache", "greet.yaml")
    wfc("check", "--diff", "greet.yaml")
    assert not kept.exists()
    monkeypatch.setenv("WFC_NO_CACHE", "1")
    wfc("check", "greet.yaml")
    assert not kept.exists()


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="this platform has a folder of its own")
@pytest.mark.parametrize(
    ("xdg", "expected"),
    [("/srv/cache", "/srv/cache/wfc"), ("", "/home/ada/.cache/wfc"), ("here", "/home/ada/.cache/wfc")],
)
def test_it_is_where_caches_are(monkeypatch: pytest.MonkeyPatch, xdg: str, expected: str) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setenv("XDG_CACHE_HOME", xdg)
    assert store.user_folder() == expected


def test_only_its_owner_may_look(wfc, greet: Path, kept: Path) -> None:
    wfc("check", "greet.yaml")
    (entry,) = kept_files(kept)
    assert entry.parent.stat().st_mode & 0o077 == 0


def test_it_stays_small(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_SHELF_ENTRIES", 4)
    cache = Cache(str(kept))
    for number in range(3_000):
        cache.keep(b"%d" % number, CheckResult("a.yaml", str(number), ()))
    shelves: dict[Path, int] = {}
    for path in kept_files(kept):
        shelves[path.parent] = shelves.get(path.parent, 0) + 1
    assert max(shelves.values()) <= 4
    assert cache.find("a.yaml", b"2999", lambda _: True) == CheckResult("a.yaml", "2999", ())


def test_shelves_are_bounded_in_bytes_and_large_answers_are_not_kept(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MAX_SHELF_BYTES", 10_000)
    cache = Cache(str(kept))
    for number in range(1_000):
        cache.keep(b"%d" % number, CheckResult("a.yaml", "x" * 3_000, ()))
    sizes: dict[Path, int] = {}
    for path in kept_files(kept):
        sizes[path.parent] = sizes.get(path.parent, 0) + path.stat().st_size
    assert max(sizes.values()) < 10_000 + 4_000
    before = len(kept_files(kept))
    cache.keep(b"large", CheckResult("a.yaml", "x" * store.MAX_ENTRY_BYTES, ()))
    assert len(kept_files(kept)) == before


def test_what_cannot_be_kept_is_not(kept: Path) -> None:
    class Strange(str):
        pass

    one = check_text(BAD.encode(), "a.yaml").diagnostics[0]
    finding = Diagnostic("a.yaml", one.start, one.end, "x", Strange("y"), one.severity)
    Cache(str(kept)).keep(b"x", CheckResult("a.yaml", "x", (finding,)))
    assert kept_files(kept) == []


def test_many_at_once(tmp_path: Path, kept: Path) -> None:
    for number in range(20):
        (tmp_path / f"spec_{number}.yaml").write_text(BAD.replace("greet", f"greet_{number}"))
    program = "import sys; from wfc.compiler.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "check", "--format", "json", "."]

    def started() -> subprocess.Popen[str]:
        return subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    running = [started() for _ in range(4)]
    told = {process.communicate() for process in running}
    assert {process.returncode for process in running} == {1}
    assert len(told) == 1
    assert len(kept_files(kept)) == 20
