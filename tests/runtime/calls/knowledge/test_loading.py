"""What files say, and why some are left out."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator

import docx
import openpyxl
import pytest
from pdf_files import pdf

from wfc.runtime.calls.knowledge import contained, definition
from wfc.runtime.calls.knowledge.definition import UnreadableError
from wfc.runtime.calls.knowledge.loading import Document, documents

HEADED = "---\nyear: 2024\nnote: 'x: y'\n---\nb"
PAGE = "<title>T</title><script>x()</script><p>a <b>b</b>c<br>d<p>e"


def read(ending: str, raw: bytes) -> list[Document]:
    return list(documents(ending, raw))


WORD = "# Cleaning\n\nUse oil.\n\n| part | price |\n| --- | --- |\n| a\\|b | 2 |"


def word(span: int = 1) -> bytes:
    """A Word file with a heading, a paragraph and a table, of which the last cell says how many columns it covers."""
    document = docx.Document()
    document.core_properties.title = "Guide"
    document.add_heading("Cleaning", 1)
    document.add_paragraph("Use oil.")
    table = document.add_table(2, 2)
    for cell, said in zip(table._cells, ("part", "price", "a|b", "2"), strict=True):
        cell.text = said
    if span != 1:
        cell._tc.get_or_add_tcPr().get_or_add_gridSpan().val = span
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def sheets(rows: int = 1) -> bytes:
    """A spreadsheet with an empty sheet, and one with rows."""
    book = openpyxl.Workbook()
    page = book.create_sheet("Parts")
    page.append(["part", "price", "note"])
    for _ in range(rows):
        page.append(["tank", 19, None])
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


BILLION_LAUGHS = b"""<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x0 "ha">%s]><a>&x30;</a>""" % b"".join(
    b'<!ENTITY x%d "&x%d;&x%d;">' % (number + 1, number, number) for number in range(30)
)


def zipped(name: str, raw: bytes) -> bytes:
    """An archive with one part."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, raw)
    return written.getvalue()


def lying(name: str) -> bytes:
    """An archive with a part of which some hundred bytes unpack to much, and that says it has one byte."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr(name, b"0" * 1_000_000)
    raw = written.getvalue()
    return raw.replace((1_000_000).to_bytes(4, "little"), (1).to_bytes(4, "little"))


def replaced(raw: bytes, name: str, content: bytes) -> bytes:
    """An archive with another content of one of its parts."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new:
        for each in old.namelist():
            new.writestr(each, content if each == name else old.read(each))
    return written.getvalue()


@pytest.mark.parametrize(
    ("path", "raw", "said"),
    [
        ("a.txt", b"hello\r\nyou", [("hello\r\nyou", {})]),
        ("a.TXT", b"\xef\xbb\xbfhello", [("hello", {})]),
        ("a.txt", "hé".encode("utf-16"), [("hé", {})]),
        ("a.md", b"# A\nb", [("# A\nb", {})]),
        ("a.md", HEADED.encode(), [(HEADED, {"year": "2024", "note": "x: y"})]),
        ("a.md", b"---\nno end: 1\n", [("---\nno end: 1\n", {})]),
        ("a.html", PAGE.encode(), [("a bc\nd\ne", {"title": "T"})]),
        ("a.html", b"<p>&lt;b&gt; <style>p{}</style>&amp;", [("<b> &", {})]),
        ("a.csv", b"a,b\n1,\n\n,2\n", [("a: 1", {"row": "2"}), ("b: 2", {"row": "4"})]),
        ("a.csv", b'a;b\n"1\n2";=cmd()\n', [("a: 1\n2\nb: =cmd()", {"row": "2"})]),
        ("a.tsv", b"a\tb\n1\t2", [("a: 1\nb: 2", {"row": "2"})]),
        ("a.json", b'{"a": "x", "b": [1]}', [("a: x\nb: [1]", {})]),
        ("a.json", b'[{"a": "x"}, "y"]', [("a: x", {"row": "1"}), ("y", {"row": "2"})]),
        ("a.jsonl", b'{"a": 1}\n\n{"a": 2}', [("a: 1", {"row": "1"}), ("a: 2", {"row": "3"})]),
        ("a.pdf", pdf("First.", "Second."), [("First.", {"page": "1"}), ("Second.", {"page": "2"})]),
        ("a.docx", word(), [(WORD, {"title": "Guide"})]),
        ("a.xlsx", sheets(), [("part: tank\nprice: 19", {"sheet": "Parts", "row": "2"})]),
        ("a.py", b"def f():\n    pass\n", [("def f():\n    pass\n", {})]),
        ("a.md", b"", []),
        ("a.csv", b"", []),
    ],
)
def test_what_a_file_says(path: str, raw: bytes, said: list[tuple[str, dict[str, str]]]) -> None:
    assert [(each.text, dict(each.about)) for each in read(path.rpartition(".")[2], raw)] == said


@pytest.mark.parametrize(
    ("path", "raw", "why"),
    [
        ("a.exe", b"MZ", "files that end with `.exe` are not read"),
        ("noending", b"x", "are not read"),
        ("a.txt", b"\xff\xfe\x00", "not text in UTF-8"),
        ("a.txt", b"ab\xffc", r"not text in UTF-8 \(byte 2\)"),
        ("a.md", b"a\0b", "a character with the number 0"),
        ("a.csv", b'a,b\n"1', "it is no table"),
        ("a.json", b"{", "it is not JSON"),
        ("a.json", b"[" * 100_000, "it is not JSON"),
        ("a.jsonl", b"{}\n{", "it is not JSON"),
        ("a.pdf", b"%PDF-1.4 nonsense", "it is no PDF"),
        ("a.pdf", pdf("x")[:200], "it is no PDF"),
        ("a.pdf", b"", "it is no PDF"),
        ("a.pdf", pdf("x", password="secret"), "it is encrypted"),
        ("a.docx", b"PK nonsense", "not what its name says, or damaged"),
        ("a.docx", sheets(), "it has no `word/document.xml`"),
        ("a.xlsx", word(), "it has no `xl/workbook.xml`"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "encrypted, or of an older format"),
        ("a.docx", zipped("word/document.xml", b"0" * 201_000_000), "unpacks to more than 200 MB"),
        ("a.docx", lying("word/document.xml"), "packed in a way that no office program uses"),
        ("a.docx", word(span=10**9), "a table has more than 1,000 columns"),
        ("a.docx", word(span=-(10**9)), "a table has more than 1,000 columns"),
        ("a.docx", replaced(word(), "word/document.xml", BILLION_LAUGHS), "no Word file that can be read"),
        ("a.xlsx", replaced(sheets(), "xl/workbook.xml", BILLION_LAUGHS), "no spreadsheet that can be read"),
    ],
)
def test_why_a_file_is_left_out(path: str, raw: bytes, why: str) -> None:
    with pytest.raises(UnreadableError, match=why):
        read(path.rpartition(".")[2], raw)


@pytest.mark.parametrize(
    ("ending", "raw"),
    [
        ("csv", b"n" * 500 + b"\n" + b"1\n" * 30),
        ("xlsx", sheets(rows=600)),
        ("docx", word(span=900)),
        ("pdf", pdf(*["x" * 500] * 30)),
    ],
)
def test_small_files_that_say_the_same_again_and_again(
    ending: str, raw: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(definition, "MOST_TEXT", 800)
    with pytest.raises(UnreadableError, match="characters of text"):
        read(ending, raw)


def test_a_merged_cell_says_the_same_in_all_that_it_covers() -> None:
    document = docx.Document()
    table = document.add_table(3, 3)
    table.cell(0, 0).merge(table.cell(1, 1)).text = "tank"
    table.cell(2, 2).text = "end"
    written = io.BytesIO()
    document.save(written)
    (found,) = read("docx", written.getvalue())
    assert found.text == "| tank | tank |  |\n| --- | --- | --- |\n| tank | tank |  |\n|  |  | end |"


# --- files that would take any time or memory


@pytest.fixture
def other_bounds(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, int], None]]:
    """Set another bound for the process that reads; it is begun anew before and after."""
    contained.end_reader()
    yield lambda name, value: monkeypatch.setattr(contained, name, value)
    contained.end_reader()


@pytest.mark.parametrize(
    ("bound", "value", "told"),
    [
        ("LONGEST", 0, "the process that read it has ended: it is given 0 seconds"),
        ("MOST_MEMORY", 130_000_000, "123 MB of memory"),
    ],
)
def test_what_takes_too_much_is_left_out_and_the_next_file_is_read(
    other_bounds: Callable[[str, int], None], bound: str, value: int, told: str
) -> None:
    other_bounds(bound, value)
    with pytest.raises(UnreadableError, match=told):
        read("pdf", pdf("x) Tj (y" * 500_000))
    contained.end_reader()
    other_bounds(bound, {"LONGEST": 60, "MOST_MEMORY": 2**31}[bound])
    assert [each.text for each in read("pdf", pdf("Short."))] == ["Short."]


def test_a_process_that_is_killed_meanwhile_costs_one_file(other_bounds: Callable[[str, int], None]) -> None:
    assert read("pdf", pdf("One."))
    assert contained._READER.process is not None
    contained._READER.process.kill()
    contained._READER.process.wait()
    assert read("pdf", pdf("Two."))


def test_a_large_word_file_is_read_as_a_stream() -> None:
    """What is kept is the text: the rest is forgotten at once, where 120,000 elements would take 15 MB and more."""
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    empty = b"<w:r><w:rPr><w:b/></w:rPr></w:r>" * 10_000
    body = b"<w:p>%s<w:r><w:t>Oil</w:t></w:r></w:p>" % empty * 4
    raw = zipped("word/document.xml", b'<w:document xmlns:w="%s">%s</w:document>' % (space.encode(), body))
    tracemalloc.start()
    try:
        (found,) = read("docx", raw)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.text == "\n\n".join(["Oil"] * 4)
    assert most < 2_000_000


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ("<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r><w:del><w:r><w:t>c</w:t></w:r></w:del></w:p>", "a\tb"),
        ("<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>", "new"),
        ("<w:sdt><w:sdtContent><w:p><w:r><w:t>held</w:t></w:r></w:p></w:sdtContent></w:sdt>", "held"),
        ("<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>a</w:t></w:r></w:p>", "a"),
        ("<w:p><w:r><w:instrText>PAGE</w:instrText><w:t>a</w:t></w:r></w:p>", "a"),
        ("<w:tbl><w:tr><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>in|y</w:t></w:r></w:p>"
         "</w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>", "| x in\\|y |\n| --- |"),
    ],
)  # fmt: skip
def test_what_elements_of_a_word_file_say(inside: str, said: str) -> None:
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    whole = f'<w:document xmlns:w="{space}"><w:body>{inside}</w:body></w:document>'
    (found,) = read("docx", zipped("word/document.xml", whole.encode()))
    assert found.text == said


@pytest.mark.parametrize(
    ("inside", "why"),
    [
        ("<w:tbl><w:tr><w:tc>" * 21, "more than 20 tables stand within each other"),
        ("<w:tbl>" + "<w:tr/>" * 50_001, "more than 50,000 rows"),
        ("<w:tbl><w:tr>" + "<w:tc></w:tc>" * 1_002, "more than 1,000 columns"),
        ('<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="many"/>', "no Word file that can be read"),
        ("<w:p>", "no Word file that can be read"),
    ],
)
def test_word_files_that_no_program_writes(inside: str, why: str) -> None:
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    with pytest.raises(UnreadableError, match=why):
        read("docx", zipped("word/document.xml", f'<w:document xmlns:w="{space}">{inside}'.encode()))
