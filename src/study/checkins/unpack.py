"""Rule unpack_member: extract one file from a zip archive, the form in which check-ins are published."""

import difflib
import lzma
import zipfile
import zlib

from study.checkins.download import Copy
from study.workflow.job import DISK, InputError, job, moved_into_place

FAULTS = RuntimeError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, OSError


def unpack(archive, member, path):
    """Save one file of a zip archive, named with its folders; an InputError says why it cannot be."""
    try:
        with zipfile.ZipFile(archive) as files:
            entries = {entry.filename: entry for entry in files.infolist() if not entry.is_dir()}
            if member not in entries:
                which = _which_of(member, list(entries))
                raise InputError(f"{archive}: there is no {member!r} in the archive{which}")
            with (
                files.open(entries[member]) as source,  # yields file_size bytes, whatever the archive holds
                moved_into_place(path) as temporary,
                open(temporary, "wb") as file,
            ):
                Copy(file, f"{archive}: {member!r}").fill(source, entries[member].file_size)
    except FAULTS as error:
        if getattr(error, "errno", None) in DISK:  # the fault is not the archive's
            raise
        text = f" is not a whole zip archive ({error}); leave `member` out if it is no archive, or give the "
        text += "file inside"
        if isinstance(error, RuntimeError):  # needs a password, or zipfile does not know the compression
            text = f": {member!r} cannot be unpacked ({error}); unpack it yourself and give its path"
        raise InputError(f"{archive}{text}") from error


def _which_of(member, names):
    ends = [name for name in names if name.endswith("/" + member.rsplit("/", 1)[-1])]
    close = ends[:1] or difflib.get_close_matches(member, names, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    shown = ", ".join(map(repr, names[:10])) + (", …" if len(names) > 10 else "")
    return f"; it has {shown or 'no files'}"


if __name__ == "__main__":
    with job(snakemake):
        unpack(snakemake.input[0], snakemake.params.member, snakemake.output[0])
