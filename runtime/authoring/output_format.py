"""The output format of generated code, by which this runtime decides whether it can run the code."""

from __future__ import annotations

from wfc.runtime.errors import OutputFormatError

__all__ = ["OUTPUT_FORMAT", "require_output_format"]

OUTPUT_FORMAT = 2
"""The newest output format that this runtime runs; it also runs the previous one."""


def require_output_format(version: int, source: str) -> None:
    """Reject generated code, while it is imported, that was compiled for another version of the runtime.

    Raises:
        OutputFormatError: The format is not supported; the message names the older side and what to do.
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
