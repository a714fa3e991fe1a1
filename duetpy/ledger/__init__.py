"""The ledger: what has been spent of a budget, kept in a file that survives crashes and can be checked.

    create ─→ file ─open→ Ledger ─reserve→ (the program runs) ─complete→ the output is stored

An entry is written and synced before any data is read, so that a run that is killed has been charged. Nothing is ever
changed or taken out, and every entry carries the hash of the one before it.
"""
