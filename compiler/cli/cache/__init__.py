"""What earlier checks found, kept on disk, so that an unchanged spec is not checked again.

An answer is found by the content of everything that it depends on: the spec's path and bytes, the tool's own code, the
Python that runs it. What a check has asked of other files is kept with its answer, and the answer counts only if they
would say the same now. So there is nothing to invalidate, and no time stamp to trust; what cannot be read, or is not
exactly what was written, is as if it were not there.
"""

from __future__ import annotations

from wfc.compiler.cli.cache.answers import Answer
from wfc.compiler.cli.cache.cache import Cache
from wfc.compiler.cli.cache.questions import Questions

__all__ = ["Answer", "Cache", "Questions"]
