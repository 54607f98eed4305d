"""The language server: what an editor asks while a spec is written, answered from the same passes as ``wfc check``."""
