"""A file of comments, one byte larger than a spec may be."""

SPEC = b"#" * (4 * 2**20 + 1)
