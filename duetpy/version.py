"""The version of this package: of the code that runs, whichever one is installed."""

VERSION = "0.1.0"
