"""Colours for programs: what each word and sign is shown as, and a lexer for Pygments."""
