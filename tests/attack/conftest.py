"""What the tests of hostile releases share: a holder of data, and a command that is refused."""

import pytest

from dirpriv.command import main


@pytest.fixture
def holder(tmp_path, monkeypatch):
    """An empty folder of a holder of data, and a ledger of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "data").mkdir()
    monkeypatch.chdir(tmp_path / "data")
    return tmp_path


@pytest.fixture
def refused(holder, capfd):
    """Run a command that must end in one line on the error stream, and give this line.

    Nothing is written or counted, unless something was before: ``spent``.
    """

    def run(words, spent=False):
        code = main(words)
        out, err = capfd.readouterr()
        assert code == 2 and out == "", err
        assert len(err.splitlines()) == 1 and not any(text in err for text in ("Traceback", "\x1b", "bug"))
        if spent:
            return err
        assert not [path for path in (holder / "data").iterdir() if path.name.startswith("out")]
        assert not any('"level"' in path.read_text() for path in holder.rglob("*.json"))
        return err

    return run
