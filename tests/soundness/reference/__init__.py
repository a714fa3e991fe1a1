"""A second checker of the sensitivity language, slow and written to be read, that shares only the syntax tree with the first.

It judges a program at *numbers* for its kind variables, so it has no algebra: a sensitivity is an enclosure of a real number.
"""
