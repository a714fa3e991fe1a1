"""The language server: what editors ask about a program, over the Language Server Protocol.

A `Document` is one version of a text with everything that is known about it. What an editor asks is answered by one file a
question, in code points; `server` alone speaks the protocol and converts to its positions. Only ``duetpy lsp`` imports `server`.
"""
