"""A key that stands in a map again and again."""

SPEC = b"wfc: 1\n" * 3000
