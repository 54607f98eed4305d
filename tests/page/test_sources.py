"""The files of the page: typed, translated, no larger than is promised, and the bundle made of what is named."""

from __future__ import annotations

import gzip
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime.server.pages import all_files

PAGE = Path(__file__).parents[2] / "runtime/server/page"

FLAGS = "--noEmit --allowJs --checkJs --strict --target es2022 --module esnext --moduleResolution bundler"
TEXT = re.compile(r"""\bt\(\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')""")


def own_sources() -> dict[str, str]:
    return {one.name: one.read_text() for one in PAGE.glob("*.js") if one.name != "codemirror.js"}


def test_each_text_of_the_page_is_translated() -> None:
    sources = own_sources()
    words = sources.pop("words.js")
    known = set(re.findall(r'^  "((?:[^"\\]|\\.)*)": "', words, re.MULTILINE))
    sources["viewer.js"] = (PAGE.parents[1] / "drawing/viewer.js").read_text().replace("say(", " t(")
    used = {first or second for text in sources.values() for first, second in TEXT.findall(text)}
    named = set(re.findall(r'name: "([A-Z][^"]*)"', sources["app.js"] + sources["inbox.js"]))
    either = re.compile(r'\bt\((?:this\.)?\w+ \? "([^"]+)" : "([^"]+)"')
    chosen = {one for text in sources.values() for two in either.findall(text) for one in two}
    assert sorted((used | named | chosen) - known) == []
    assert sorted(known - used - named - chosen) == []


def test_places_in_texts_are_the_same_in_both_languages() -> None:
    words = (PAGE / "words.js").read_text()
    for text, translated in re.findall(r'^  "([^"]*)": "([^"]*)",$', words, re.MULTILINE):
        assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", translated)), text


def test_no_source_makes_markup_of_text() -> None:
    for name, text in own_sources().items():
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", text
        ), name


def test_the_first_screen_and_the_editor_are_small() -> None:
    def packed(names: Any) -> int:
        return sum(len(gzip.compress(all_files()[name].encode(), 9)) for name in names)

    first = loaded_with("index.html")
    assert first > {"app.js", "drawing.css", "page.css", "watch.js"}
    assert loaded_with("run.js") > {"viewer.js", "moments.js"}
    assert packed(first) < 40_000
    author = first | loaded_with("author.js") | loaded_with("editor.js")
    assert author > {"codemirror.js", "rehearse.js"}
    assert packed(author) < 180_000


def loaded_with(name: str) -> set[str]:
    """Return the files that a browser loads before it shows what a file begins: those named in it, and in these."""
    found, wanted = set[str](), {name}
    while wanted:
        found |= wanted
        texts = [all_files()[one] for one in wanted]
        named = {
            one for text in texts for one in re.findall(r'(?:from "\./|(?:src|href)="page/)([\w.]+)"', text)
        }
        wanted = named - found
    return found


@pytest.mark.full
def test_the_bundle_is_what_the_lock_file_names(vendor: Any) -> None:
    for name, text in vendor.bundle().items():
        assert (PAGE / name).read_text(encoding="utf-8") == text, "run python tests/page/vendor.py"


@pytest.mark.full
def test_the_types_in_the_sources_hold(vendor: Any, tmp_path: Path) -> None:
    shutil.copytree(PAGE, tmp_path, dirs_exist_ok=True)
    for each in (PAGE.parents[1] / "drawing").glob("*.js"):
        shutil.copy(each, tmp_path)
    flags = [*FLAGS.split(), "--lib", "es2023,dom,dom.iterable"]
    places = [str(tmp_path / name) for name in ("app.js", "task.js", "standing.js")]
    done = vendor.node("typescript/bin/tsc", *flags, *places)
    assert done.returncode == 0, done.stdout
