"""A digest of the code that checks and compiles specs, on which a result depends too."""

from __future__ import annotations

import os
import sys
from hashlib import sha256

__all__ = ["fingerprint"]

FORMAT = b"wfc check, results 4"
COMPILER = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCHEMAS = os.path.join(os.path.dirname(COMPILER), "schemas")


def fingerprint() -> bytes:
    """Return a digest of the compiler's code, byte by byte, and of the Python and the YAML parser in use.

    A megabyte is hashed in a millisecond or two; times and sizes of files would be a little faster, and wrong after an
    edit within one tick of the clock.

    Raises:
        OSError: The code is not in files that can be read.
    """
    total = sha256(FORMAT)
    total.update(repr((sys.version, sys.implementation.name, sys.platform)).encode())
    package, binaries = yaml_package()
    total.update(repr(binaries).encode(errors="surrogatepass"))
    for folder in (COMPILER, SCHEMAS, package):
        for path in sources(folder):
            with open(path, "rb", buffering=0) as file:
                content = file.read()
            name = path.removeprefix(folder).encode(errors="surrogatepass")
            total.update(b"%d %d %s\n" % (len(name), len(content), name))
            total.update(content)
    return total.digest()


def sources(folder: str) -> list[str]:
    """Return the Python files, templates and schemas below a folder, in a fixed order."""
    found: list[str] = []
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in sorted(entries, key=lambda each: each.name):
                if entry.is_dir():
                    if entry.name != "__pycache__":
                        waiting.append(entry.path)
                elif entry.name.endswith((".py", ".json", ".j2")):
                    found.append(entry.path)
    return found


def yaml_package() -> tuple[str, list[tuple[str, int]]]:
    """Return the folder of the YAML parser to be imported, and names and sizes of its compiled files.

    Without the import, which takes much longer than this. Its compiled part goes with the version in its sources.

    Raises:
        OSError: It is not in a folder.
    """
    for folder in sys.path:
        package = os.path.join(folder, "yaml")
        if os.path.isfile(os.path.join(package, "__init__.py")):
            with os.scandir(package) as entries:
                binaries = [each for each in entries if each.name.endswith((".so", ".pyd"))]
            return package, sorted((each.name, each.stat().st_size) for each in binaries)
    raise FileNotFoundError("yaml")
