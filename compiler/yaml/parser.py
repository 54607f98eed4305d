"""YAML events of a text, from the parser in C if available."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import yaml

__all__ = ["YAMLError", "events"]

YAMLError = yaml.YAMLError


def events(text: str, *, fast: bool = True) -> Callable[[], Any]:
    """Return a function that returns the next YAML event of a text, or raises ``YAMLError`` if there is none.

    Args:
        text: Without a byte order mark and forbidden characters.
        fast: Whether to use the parser in C if PyYAML was built with it.
    """
    if "\\ud" in text or "\\uD" in text:
        from wfc.compiler.yaml import surrogates  # which hardly any spec has

        if (masked := surrogates.masked(text)) is not None:
            return surrogates.unmasking(next_of(parser_of(masked, fast=fast)))
    return next_of(parser_of(text, fast=fast))


def parser_of(text: str, *, fast: bool) -> Any:
    if fast:
        try:
            from yaml._yaml import CParser
        except ImportError:
            pass
        else:
            return CParser(text)
    return slow_parser(text)


def next_of(parser: Any) -> Callable[[], Any]:
    get: Callable[[], Any] = parser.get_event
    return get


def slow_parser(text: str) -> Any:
    """Return the parser in Python, made to read texts in brackets as the parser in C does.

    PyYAML ends such a text at a `?`, which is a letter like others, and takes `a:]` for a key; and it fails at an
    escape of more than there are characters.
    """
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner, ScannerError

    class SlowParser(Reader, Scanner, Parser):
        def __init__(self) -> None:
            Reader.__init__(self, text)
            Scanner.__init__(self)
            Parser.__init__(self)
            self.in_text = False

        def scan_plain(self) -> Any:
            self.in_text = True
            token = super().scan_plain()
            self.in_text = False
            start, end = token.start_mark, token.end_mark
            if self.flow_level and re.search(r":[],?[{}]", text[start.index : self.index + 2]):
                raise ScannerError("while scanning a plain scalar", start, "found unexpected ':'", end)
            return token

        def scan_flow_scalar_non_spaces(self, double: bool, start_mark: Any) -> Any:
            try:
                return super().scan_flow_scalar_non_spaces(double, start_mark)
            except (OverflowError, ValueError):  # of `chr`, which the parser in C does not ask
                what = "found invalid Unicode character escape"
                raise ScannerError(
                    "while scanning a double-quoted scalar", start_mark, what, self.get_mark()
                ) from None

        def peek(self, index: int = 0) -> str:
            character: str = super().peek(index)
            return "x" if self.in_text and character == "?" else character

    return SlowParser()
