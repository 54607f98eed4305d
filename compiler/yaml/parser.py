"""YAML events of a text, from the parser in C if available."""

from __future__ import annotations

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
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    class SlowParser(Reader, Scanner, Parser):
        def __init__(self) -> None:
            Reader.__init__(self, text)
            Scanner.__init__(self)
            Parser.__init__(self)

    return SlowParser()
