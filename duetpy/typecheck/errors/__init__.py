"""The checker's diagnostics, filed by what they are about. Each function makes one diagnostic from the facts at hand.

A rule imports the files that say what can be wrong with its form.
"""
