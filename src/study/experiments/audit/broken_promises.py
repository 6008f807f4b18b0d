"""Whether a mechanism promises more than it keeps."""


def exceeds(certified, stated):
    """Whether a certified level is above the stated one; that of a log kernel may be 2e-6 of it too high."""
    return certified > (1.0 + 3e-6) * stated
