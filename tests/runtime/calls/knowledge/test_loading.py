"""What files say, and why some are left out."""

from __future__ import annotations

import io

import pypdf
import pytest
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from wfc.runtime.calls.knowledge.definition import UnreadableError
from wfc.runtime.calls.knowledge.loading import documents

HEADED = "---\nyear: 2024\nnote: 'x: y'\n---\nb"
PAGE = "<title>T</title><script>x()</script><p>a <b>b</b>c<br>d<p>e"


def pdf(*pages: str, password: str = "") -> bytes:
    """A PDF with a line on each page."""
    writer = pypdf.PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for line in pages:
        page = writer.add_blank_page(300, 300)
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 20 200 Td ({line}) Tj ET".encode())
        page[NameObject("/Contents")] = writer._add_object(stream)
        fonts = DictionaryObject({NameObject("/F1"): writer._add_object(font)})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    if password:
        writer.encrypt(password)
    written = io.BytesIO()
    writer.write(written)
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
        ("a.md", b"", []),
        ("a.csv", b"", []),
    ],
)
def test_what_a_file_says(path: str, raw: bytes, said: list[tuple[str, dict[str, str]]]) -> None:
    assert [(each.text, dict(each.about)) for each in documents(path, raw)] == said


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
    ],
)
def test_why_a_file_is_left_out(path: str, raw: bytes, why: str) -> None:
    with pytest.raises(UnreadableError, match=why):
        documents(path, raw)
