"""The tables of an experiment's cells in one."""

import pytest

from study.workflow.collect import joined


def test_rows_are_taken_as_they_are():
    """Digits, too: a number that was read and written again might have others."""
    texts = ["name,value\na,0.30000000000000004\nb,\n", "name,value\n", 'name,value\n"c, d",1\n']
    assert joined(texts) == 'name,value\na,0.30000000000000004\nb,\n"c, d",1\n'


def test_different_columns_are_refused():
    with pytest.raises(ValueError, match="name,value and value,name"):
        joined(["name,value\na,1\n", "value,name\n1,a\n"])
