"""The sections of a spec, each read into the symbols that later passes look up."""
