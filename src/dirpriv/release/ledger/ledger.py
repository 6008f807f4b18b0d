"""What was released of which file, on the side of who holds the true values.

The ledger knows a file by a hash of its contents, and a column by a hash of that and of its name. The key of
both is in the ledger, which only its owner can read: nobody else can find out by trying contents whether one
was released. It holds no path and no name, except those of datasets. A file that was edited is another file
to it, whose columns it knows by their names.
"""

import contextlib
import dataclasses
import datetime
import hashlib
import itertools
import json
import os
import re
import secrets
import stat
import sys
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dirpriv._inputs.errors import ForbiddenFile, InvalidArgument, named
from dirpriv._inputs.lookalike_names import looks
from dirpriv._inputs.strict_json import parsed, renamed
from dirpriv._lib.locks import lock, sync_folder
from dirpriv._lib.rounding import upwards
from dirpriv.release.guarantee.file import EarlierRelease, FileGuarantee
from dirpriv.release.ledger.dataset_account import entered, stated
from dirpriv.release.settings import AccountSettings

NAME = "ledger.json"
FORMAT = 3  # the first had no accounts; the second had other names of fields
PATIENCE = 10.0  # seconds for which a run waits for another one, which has the ledger for a moment only
_FIELDS = {field.name for field in dataclasses.fields(EarlierRelease)} | {"file", "date", "user"}
_ADDED: Any = {"names": [], "period": None, "account": "", "release": None}  # to entries of the first format
_RENAMED = {"within": "radius", "rows_per_person": "max_rows_per_person", "planned": "max_releases"}  # in the third
_HASH = re.compile("[0-9a-f]{64}")


def folder() -> Path:
    """Where the ledger is: in the user's configuration folder."""
    variable = "APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME"
    base = os.environ.get(variable, "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".config")
    if not os.path.isabs(base):  # "~" is nobody's, or is relative itself
        hint = f"set {variable} to the absolute path of your own folder"
        raise InvalidArgument("there is no home folder for the ledger of releases", hint=hint)
    return Path(base) / "dirpriv"


class Ledger:
    """The ledger of this user, which must not be in the folders of the input and of the output.

    ``recorded`` says whether :meth:`record` has written a release, also where it was interrupted then.
    """

    def __init__(self, *beside: Path) -> None:
        self.path = folder() / NAME
        self.recorded = False
        real = Path(os.path.realpath(self.path.parent))
        for place in beside:
            place = Path(os.path.realpath(place))
            if place == real.parent or place.is_relative_to(real):
                what, hint = str(self.path.parent), "move them, or set XDG_CONFIG_HOME to another folder"
                rule = f"the ledger's folder {what!r} must be apart from the input and output"
                raise InvalidArgument(rule, hint=hint)
        self.key = b""
        with self._locked() as document:
            self.key = bytes.fromhex(document["key"])

    def content(self) -> Any:
        """A hash with the ledger's key, to which the contents of a file are given."""
        return hashlib.blake2b(key=self.key, digest_size=32)

    def accounts(self) -> dict[str, Any]:
        """The account of each dataset, by its name."""
        with self._locked() as document:
            return dict(document["accounts"])

    def earlier(self, contents: dict[str, str], guarantee: FileGuarantee, claim: AccountSettings) -> Any:
        """Earlier releases of the files, their account with this release, and the same for its holder.

        ``contents`` are hashes of the files, each with what messages call it. A second release of columns is
        refused unless ``claim`` says how it counts. Earlier releases have levels of a person if the column
        that identifies persons was the same.
        """
        with self._locked() as document:
            return self._releases(document, contents, guarantee, claim)

    def record(self, contents: dict[str, str], guarantee: FileGuarantee, claim: AccountSettings) -> None:
        """Write a release of files into the ledger, on the disk: an entry for each file and column."""
        with self._locked() as document:
            earlier, account, _ = self._releases(document, contents, guarantee, claim)
            if (earlier, account) != (guarantee.earlier, guarantee.account):
                rule = "the file or its dataset was released by another run at the same time"
                raise InvalidArgument(rule, hint="start again")
            today, number = datetime.date.today().isoformat(), len(document["releases"])
            for content, column in itertools.product(contents, guarantee.columns):
                # more than the level where a central release hides who is there
                moved = float(column.release().certificate.loss(column.radius))
                of_person = guarantee.person_level_of(column) if guarantee.max_rows_per_person else None
                entry = {
                    "columns": [self._code(content, name) for name in column.names],
                    "level": max(column.level, moved),
                    "radius": column.radius,
                    "max_rows_per_person": guarantee.max_rows_per_person,
                    "person_level": of_person,
                    "delta": guarantee.delta / len(guarantee.columns),
                    "file": content,
                    "date": today,
                    "user": self._code(content, claim.user),
                    "names": [self._by_name(name) for name in column.names],
                    "period": column.period,
                    "account": claim.dataset or ("" if claim.other_people else None),  # "" is for ever none
                    "release": number,
                }
                document["releases"].append(entry)
            before = os.stat(self.path)
            try:
                self._write(document)
            finally:
                self.recorded = not os.path.samestat(before, os.stat(self.path))

    def _releases(self, document: Any, contents: Any, guarantee: FileGuarantee, claim: AccountSettings) -> Any:
        """As :meth:`earlier`, and the account goes into the document."""
        asked = [name for column in guarantee.columns for name in column.names]
        columns = {self._code(content, name): name for content in contents for name in asked}
        releases = []
        for entry in _once([entry for entry in document["releases"] if entry["file"] in contents]):
            names = tuple(columns[code] for code in entry["columns"] if code in columns)
            if names and not claim.rerelease:
                what = f"{' and '.join(map(repr, names))} of {contents[entry['file']]}"
                hint = "use that release. A second release adds its level to the first; it needs "
                raise _released(what, len(names), entry, hint + named("rerelease", True))
            fields = {field.name: entry[field.name] for field in dataclasses.fields(EarlierRelease)}
            if entry["user"] != self._code(entry["file"], claim.user):  # levels of others do not add up
                fields |= {"max_rows_per_person": None, "person_level": None, "delta": 0.0}
            releases.append(EarlierRelease(**(fields | {"columns": names or None})))
        return tuple(releases), *self._entered(document, contents, asked, guarantee, claim)

    def _entered(self, document: Any, contents: Any, names: Any, guarantee: Any, claim: AccountSettings) -> Any:
        """The account of the dataset with this release, and with those of these people that have none."""
        entries, codes = document["releases"], set(map(self._by_name, names))
        alike = [entry for entry in entries if codes & set(entry["names"])]
        same = [entry for entry in entries if entry["file"] in contents]
        for entry in [each for each in same if each["account"] not in (None, "", claim.dataset)]:
            rule = f"{contents[entry['file']]} belongs to a dataset"
            raise InvalidArgument(rule, hint=f"give {named('dataset', entry['account'])}")
        if claim.dataset is None:
            # of a file that was released before, it was said then whose data it holds
            new = set(contents) - {entry["file"] for entry in alike}
            others = [entry for entry in alike if entry["file"] not in contents]
            if new and others and not claim.other_people:
                last, where = others[-1], named("dataset", others[-1]["account"] or "NAME")
                name = next(name for name in names if self._by_name(name) in last["names"])
                hint = f"if a person may be in both files, the levels add up: give {where}. If nobody is "
                hint += f"in both, give {named('other_people', True)}"
                raise _released(f"{name!r} of another file", 1, last, hint)
            return None, ""
        if any(not entry["names"] for entry in same):
            rule = "this file was released by a version without accounts; no account can include it"
            raise InvalidArgument(rule, hint=f"leave {named('dataset')} out")
        taken = [entry for entry in alike if entry["account"] is None and not claim.other_people]
        numbers = {entry["release"] for entry in [*taken, *same] if not entry["account"]}
        adopted: dict[int, list[Any]] = {number: [] for number in sorted(numbers)}
        of_these = [entry for entry in entries if entry["release"] in numbers]
        for each in _once(of_these):
            same_persons = each["user"] == self._code(each["file"], claim.user)
            adopted[each["release"]].append(each | ({} if same_persons else {"max_rows_per_person": None}))
        for each in of_these:
            each["account"] = claim.dataset
        old, today = document["accounts"].get(claim.dataset), datetime.date.today().isoformat()
        account = entered(old, claim, guarantee, self._by_name, [*adopted.values()], today)
        document["accounts"][claim.dataset], total = account, stated(account, claim.dataset)
        if old is None:
            total += " The name starts a new account, which does not include releases under other names."
            total += f" It includes earlier releases without a name: {len(adopted)}." if adopted else ""
        return stated(account), total

    def _by_name(self, name: str) -> str:
        """A hash of a column of any file: capitals and what nobody sees make no other column."""
        return self._code("of any file", unicodedata.normalize("NFKC", looks(name)).strip().casefold())

    def _code(self, content: str, name: str | None) -> Any:
        """A hash of a column of a file; None of no column."""
        code = hashlib.blake2b(f"{content} {name}".encode(), key=self.key, digest_size=32).hexdigest()
        return None if name is None else code

    @contextlib.contextmanager
    def _locked(self) -> Iterator[Any]:
        """The contents of the ledger, while no other run reads or writes it."""
        home = self.path.parent
        try:
            for place in (*reversed(home.parents), home):
                if not place.is_dir():
                    place.mkdir(mode=0o700, exist_ok=True)
            descriptor = os.open(home / ".lock", os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            rule = f"the ledger's folder {str(home)!r} cannot be written ({_reason(error)})"
            raise ForbiddenFile(rule, hint="set XDG_CONFIG_HOME to a folder that you can write to") from None
        try:
            self._wait(descriptor)
            self._check_modes()
            if not self.key and not self.path.exists():
                self._write({"format": FORMAT, "key": secrets.token_hex(32), "releases": [], "accounts": {}})
            document = self._read() if self.path.exists() else {"key": ""}
            if self.key and document["key"] != self.key.hex():  # hashes with another key find nothing
                raise self._refused("was removed or exchanged during this run", "restore it, and start again")
            yield document
        except InvalidArgument:
            raise
        except OSError as error:
            rule = f"the ledger {str(self.path)!r} cannot be read and written ({_reason(error)})"
            raise ForbiddenFile(rule, hint="check its owner and the space on its disk") from None
        finally:
            os.close(descriptor)

    def _wait(self, descriptor: int) -> None:
        """Lock the ledger; a run that was stopped in the middle may never give it back."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return lock(descriptor, wait=False)
            except BlockingIOError:
                if time.monotonic() > end:
                    lock_path = str(self.path.with_name(".lock"))
                    rule = f"another run has locked the ledger ({lock_path!r}) for {PATIENCE:g} s"
                    raise InvalidArgument(rule, hint="wait for it or end it, and start again") from None
                time.sleep(0.02)

    def _check_modes(self) -> None:
        """Refuse a ledger that others could read or exchange, and what is no file."""
        for path, mask in ((self.path.parent, 0o022), (self.path, 0o077)):
            try:
                status = path.lstat()
            except FileNotFoundError:
                continue
            if path == self.path and not stat.S_ISREG(status.st_mode):
                what = "is a link" if stat.S_ISLNK(status.st_mode) else "is no file"
                raise self._refused(what, "put the file itself there")
            if os.name != "posix":
                continue
            status = path.stat()
            if status.st_mode & mask or status.st_uid != os.geteuid():
                wanted = "700" if path.is_dir() else "600"
                rule = f"other users can read or change {str(path)!r}, and could test guesses about your data"
                raise InvalidArgument(rule, hint=f"make it your own, with mode {wanted} (chmod {wanted} {str(path)!r})")

    def _read(self) -> Any:
        document: Any = None
        with contextlib.suppress(InvalidArgument):
            document = parsed(self.path.read_bytes())
        if isinstance(document, dict) and type(document.get("format")) is int and document["format"] > FORMAT:
            hint = "install that version, or a later one (pip install --upgrade dirpriv)"
            raise self._refused("was written by a later version of dirpriv", hint)
        if (document := _sound(document)) is None:
            hint = "restore it from a backup. Without a backup, move it away, and remember which files "
            hint += "you have released"
            raise self._refused("is damaged, so earlier releases are unknown", hint)
        return document

    def _refused(self, rule: str, hint: str) -> InvalidArgument:
        return InvalidArgument(f"the ledger {str(self.path)!r} {rule}", hint=hint)

    def _write(self, document: Any) -> None:
        """Replace the ledger by a new file, at once and on the disk."""
        new = self.path.with_name(f".{NAME}.new")
        with contextlib.suppress(FileNotFoundError):
            new.unlink()
        descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(document | {"check": _check(document)}, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path)
        sync_folder(self.path.parent)


def _once(entries: list[Any]) -> list[Any]:
    """Of each release and its columns one entry, of whichever file; the first format knew one file each."""
    first: dict[Any, Any] = {}
    for place, entry in enumerate(entries):
        first.setdefault((entry["release"], *(entry["names"] or [place])), entry)
    return [*first.values()]


def _released(what: str, count: int, entry: Any, hint: str) -> InvalidArgument:
    """The error for as many columns of a file that were released before, by this entry."""
    when = f"on {entry['date']} at level {upwards(entry['level'])} within {entry['radius']}"
    return InvalidArgument(f"{what} {'was' if count == 1 else 'were'} released before, {when}", hint=hint)


def _sound(document: Any) -> Any:
    """A whole ledger in the names of this format; None if a field is not there, or anything was changed."""
    try:
        number, releases, accounts = document["format"], document["releases"], document.get("accounts", {})
        missing, fields = (_ADDED, set()) if number == 1 else ({}, {"accounts"})
        is_whole = set(document) == {"format", "key", "releases", "check"} | fields and _HASH.fullmatch(document["key"])
        if not (is_whole and document["check"] == _check(document) and type(number) is int and 0 < number <= FORMAT):
            return None
        if number < FORMAT:  # after the check, which covers the older names; those of datasets stay
            releases = renamed(releases, _RENAMED)
            accounts = {name: renamed(account, _RENAMED) for name, account in accounts.items()}
        for account in accounts.values():
            stated(account)
            if set(_RENAMED) & {*account, *itertools.chain.from_iterable(account["columns"])}:
                return None
        for entry in releases:
            levels = {name: entry[name] for name in _FIELDS - {"file", "date", "user"}}
            EarlierRelease(**(levels | {"columns": None}))
            datetime.date.fromisoformat(entry["date"])
            hashes = [entry["file"], *entry["columns"]] + [entry["user"]] * (entry["user"] is not None)
            hashes += entry.get("names", []) if entry["columns"] else [""]
            if set(entry) != _FIELDS | set(_ADDED) - set(missing) or not all(map(_HASH.fullmatch, hashes)):
                return None
        whole = {"releases": [entry | missing for entry in releases], "accounts": accounts}
        return document | whole | {"format": FORMAT}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _check(document: Any) -> str:
    """A hash of the releases with the key: a change of either would hide earlier releases."""
    covered = (document[name] for name in ("releases", "accounts") if name in document)
    releases = "".join(map(json.dumps, covered)).encode()
    return hashlib.blake2b(releases, key=bytes.fromhex(document["key"]), digest_size=32).hexdigest()


def _reason(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else type(error).__name__
