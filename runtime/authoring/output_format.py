"""The output format of generated code, which says whether this runtime runs it."""

from __future__ import annotations

from wfc.runtime.errors import OutputFormatError

__all__ = ["OUTPUT_FORMAT", "require_output_format"]

OUTPUT_FORMAT = 2
"""The newest version of generated code that this runtime runs; it also runs the one before."""


def require_output_format(version: int, source: str) -> None:
    """Stops the import of generated code that was made for another runtime.

    Raises:
        OutputFormatError: Says which side is older and what to do.
    """
    if version in {OUTPUT_FORMAT - 1, OUTPUT_FORMAT}:
        return
    if version < OUTPUT_FORMAT:
        done = f"compile it again: wfc compile {source}"
    else:
        done = "install a newer one: pip install --upgrade wfc-workflows"
    older = "this code" if version < OUTPUT_FORMAT else "the installed wfc-workflows"
    raise OutputFormatError(
        f"the code generated from {source} has output format {version}, and the installed wfc-workflows runs "
        f"the formats {OUTPUT_FORMAT - 1} and {OUTPUT_FORMAT}; {older} is the older one, so {done}"
    )
