"""The errors for what a caller gave and the library refuses, and notes of the library to other errors."""


class InvalidArgument(ValueError):
    """An argument that the library refuses, or data that do not keep a rule.

    The message is the library's own: it names the argument, the row and the rule, and says what to do. It
    holds no value of a column of data, so the command may show it. Messages of other errors may hold such
    values.

    Parameters
    ----------
    message : str
        What is wrong, and what to do.
    argument : str, optional
        Name of the argument, if one alone is wrong.

    Attributes
    ----------
    argument : str or None
        Name of the argument.

    Examples
    --------
    >>> import dirpriv
    >>> from dirpriv.laws import Purkayastha
    >>> try:
    ...     Purkayastha(dim=1, kappa=1.0)
    ... except dirpriv.InvalidArgument as error:
    ...     print(error.argument)
    dim
    """

    def __init__(self, message: str, *, argument: str | None = None) -> None:
        super().__init__(message)
        self.argument = argument


InvalidArgument.__module__ = "dirpriv"  # the name under which it is imported


class MissingFile(InvalidArgument, FileNotFoundError):
    """A file or a folder that is not there, in the library's own words."""


class ExistingFile(InvalidArgument, FileExistsError):
    """A file that is there and would be replaced, in the library's own words."""


class ForbiddenFile(InvalidArgument, PermissionError):
    """A file or a folder that cannot be read or written, in the library's own words."""


class ShortMemory(InvalidArgument, MemoryError):
    """Less memory than the library needs, in its own words."""


class Note(str):
    """A note to an error in the library's own words. Notes of others may hold values of data."""
