"""The checker's diagnostics, filed by what they are about: texts in the tables, and functions for what needs more than words.

A rule imports the files that say what can be wrong with its form.
"""
