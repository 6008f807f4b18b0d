"""Parts of statements in SQL."""


def literal(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """The name of a column in SQL."""
    return '"' + name.replace('"', '""') + '"'


def with_x(value: str, expression: str) -> str:
    """An expression of x, for x the value: computed once."""
    return f"list_transform([{value}], lambda x: {expression})[1]"
