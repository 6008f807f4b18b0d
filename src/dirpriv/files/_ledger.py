"""What was released of which file, on the side of who holds the true values.

The ledger knows a file by a hash of its contents, and a column by a hash of that and of its name. Both have a
key that is in the ledger too, a file that only its owner can read: who has neither cannot find out by trying
contents whether one was released. It holds no path and no name. A file that was edited is another file to it.
"""

import contextlib
import dataclasses
import datetime
import errno
import hashlib
import json
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

from dirpriv._errors import ForbiddenFile, InvalidArgument
from dirpriv._rounding import upwards
from dirpriv.files.guarantee import EarlierRelease, Guarantee

NAME = "ledger.json"
FORMAT = 1


def folder() -> Path:
    """Where the ledger is: in the folder of the user's configuration."""
    if sys.platform == "win32":
        base = os.environ.get("APPDATA", "")
    else:
        base = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".config") / "dirpriv"


class Ledger:
    """The ledger of this user.

    Parameters
    ----------
    beside : sequence of Path
        Folders of the input and of the output: the ledger must not be there.

    Raises
    ------
    ValueError
        If it is there, can be read by others, or is damaged.

    Attributes
    ----------
    recorded : bool
        Whether :meth:`record` has written a release into the ledger, also where it was interrupted then.
    """

    def __init__(self, *beside: Path) -> None:
        self.path = folder() / NAME
        self.recorded = False
        real = Path(os.path.realpath(self.path.parent))
        for place in beside:
            place = Path(os.path.realpath(place))
            if place == real.parent or place.is_relative_to(real):
                raise InvalidArgument(
                    f"the ledger's folder '{self.path.parent}' would be beside the input or the output: "
                    "move them, or set XDG_CONFIG_HOME to another folder"
                )
        with self._locked() as said:
            self.key = bytes.fromhex(said["key"])

    def content(self) -> Any:
        """A hash with the ledger's key, to which the contents of a file are given."""
        return hashlib.blake2b(key=self.key, digest_size=32)

    def earlier(
        self, content: str, guarantee: Guarantee, again: bool, user: str | None
    ) -> tuple[EarlierRelease, ...]:
        """Earlier releases of a file; refused if one is of the same columns, unless ``again``.

        They have levels of a person if ``user``, the column that says whose a row is, was the same.
        """
        with self._locked() as said:
            return self._earlier(said, content, guarantee, again, user)

    def record(self, content: str, guarantee: Guarantee, again: bool, user: str | None) -> None:
        """Write a release of a file into the ledger, on the disk."""
        with self._locked() as said:
            if self._earlier(said, content, guarantee, again, user) != guarantee.earlier:
                raise InvalidArgument("the file was released by another run at the same time: start again")
            today = datetime.date.today().isoformat()
            for column in guarantee.columns:
                person = guarantee.rows_per_person is not None
                release = EarlierRelease(
                    None,
                    column.level,
                    column.within,
                    guarantee.rows_per_person,
                    guarantee.person_level_of(column) if person else None,
                    guarantee.delta / len(guarantee.columns),
                )
                entry = dataclasses.asdict(release)
                entry |= {"file": content, "columns": self._columns(content, column.names), "date": today}
                entry["user"] = self._user(content, user)
                said["releases"].append(entry)
            before = os.stat(self.path)
            try:
                self._write(said)
            finally:
                self.recorded = not os.path.samestat(before, os.stat(self.path))

    def _earlier(
        self, said: Any, content: str, guarantee: Guarantee, again: bool, user: str | None
    ) -> tuple[EarlierRelease, ...]:
        found = []
        columns = {
            code: name
            for column in guarantee.columns
            for name, code in zip(column.names, self._columns(content, column.names), strict=True)
        }
        for entry in said["releases"]:
            if entry["file"] != content:
                continue
            names = tuple(columns[code] for code in entry["columns"] if code in columns)
            if names and not again:
                what = f"{' and '.join(map(repr, names))} of this file {'was' if len(names) == 1 else 'were'}"
                raise InvalidArgument(
                    f"{what} released before, on {entry['date']} at level "
                    f"{upwards(entry['level'])} within {entry['within']}: use that release. Another one adds "
                    "its level to it; it needs again=True"
                )
            fields = {field.name: entry[field.name] for field in dataclasses.fields(EarlierRelease)}
            if entry["user"] != self._user(content, user):  # levels of other persons do not add up
                fields |= {"rows_per_person": None, "person_level": None, "delta": 0.0}
            found.append(EarlierRelease(**(fields | {"columns": names or None})))
        return tuple(found)

    def _columns(self, content: str, names: tuple[str, ...]) -> list[str]:
        """Hashes of columns of a file."""
        return [
            hashlib.blake2b(f"{content} {name}".encode(), key=self.key, digest_size=32).hexdigest()
            for name in names
        ]

    def _user(self, content: str, user: str | None) -> str | None:
        """Hash of the column that says whose a row is."""
        return None if user is None else self._columns(content, (user,))[0]

    # ------------------------------------------------------------------ the file

    @contextlib.contextmanager
    def _locked(self) -> Iterator[Any]:
        """The contents of the ledger, while no other run reads or writes it."""
        home = self.path.parent
        try:
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(home / ".lock", os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise ForbiddenFile(
                f"the ledger's folder '{home}' cannot be written ({error.strerror}): set XDG_CONFIG_HOME "
                "to a folder of yours"
            ) from None
        try:
            if fcntl is not None:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            self._check_modes()
            if not self.path.exists():
                self._write({"format": FORMAT, "key": secrets.token_hex(32), "releases": []})
            yield self._read()
        finally:
            os.close(descriptor)

    def _check_modes(self) -> None:
        """Refuse a ledger that others could read or exchange."""
        if os.name != "posix":
            return
        for path, mask in ((self.path.parent, 0o022), (self.path, 0o077)):
            try:
                found = path.lstat()
            except FileNotFoundError:
                continue
            if stat.S_ISLNK(found.st_mode) and path == self.path:
                raise InvalidArgument(f"the ledger '{path}' is a link: put the file itself there")
            found = path.stat()
            if found.st_mode & mask or found.st_uid != os.geteuid():
                wanted = "700" if path.is_dir() else "600"
                raise InvalidArgument(
                    f"others could read or change '{path}', and check guesses of what was released: it "
                    f"must be yours and of mode {wanted} (chmod {wanted} '{path}')"
                )

    def _read(self) -> Any:
        try:
            said = json.loads(self.path.read_text(encoding="utf-8"))
            check = _check(said)
            if said["format"] != FORMAT or said.get("check", check) != check:  # the first ledgers have none
                raise ValueError
            for entry in said["releases"]:
                entry.setdefault("user", None)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise InvalidArgument(
                f"the ledger '{self.path}' is damaged, so that earlier releases are not known: restore it "
                "from a backup. If there is none, move it away, and count each file that was released "
                "before as released"
            ) from None
        return said

    def _write(self, said: Any) -> None:
        """Replace the ledger by a new file, at once and on the disk."""
        new = self.path.with_name(f".{NAME}.new")
        with contextlib.suppress(FileNotFoundError):
            new.unlink()
        descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(said | {"check": _check(said)}, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path)
        try:
            descriptor = os.open(self.path.parent, os.O_RDONLY)
        except OSError:  # Windows opens no folders
            return
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EBADF):
                raise
        finally:
            os.close(descriptor)


def _check(said: Any) -> str:
    """A hash of the releases with the key: a change of either would hide earlier releases."""
    releases = json.dumps(said["releases"]).encode()
    return hashlib.blake2b(releases, key=bytes.fromhex(said["key"]), digest_size=32).hexdigest()
