"""A list with more values than a spec may have."""

SPEC = b"wfc: [" + b"1," * 500_001 + b"]\n"
