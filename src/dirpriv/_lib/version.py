"""The version of the package; everything else takes it from here."""

VERSION = "0.1.0"
