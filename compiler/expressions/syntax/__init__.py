"""Text → tree: the lexer, the parser, and the tree of expressions and of templates."""
