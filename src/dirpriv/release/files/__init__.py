"""Releases of files: arguments, what is read, drawn and written, and what analysts read again."""
