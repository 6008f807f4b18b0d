"""Rule unpack_member: one file out of a zip archive, as the public check-ins come in such."""

import difflib
import shutil
import zipfile
import zlib

from study.core.job import InputError, job, moved_into_place


def unpack(archive, member, path):
    """Save one file of a zip archive.

    Parameters
    ----------
    archive : path-like
    member : str
        Name of the file in the archive, with its folders.
    path : path-like
        Where to save it.

    Raises
    ------
    study.core.job.InputError
        If it is no zip archive, is damaged, has no such file, or one that needs a password or is packed in a
        way that Python cannot unpack.
    """
    try:
        with zipfile.ZipFile(archive) as files:
            names = [entry.filename for entry in files.infolist() if not entry.is_dir()]
            if member not in names:
                raise InputError(
                    f"{archive}: there is no {member!r} in the archive{_which_of(member, names)}"
                )
            with (
                files.open(member) as source,
                moved_into_place(path) as temporary,
                open(temporary, "wb") as file,
            ):
                shutil.copyfileobj(source, file, 1 << 20)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise InputError(
            f"{archive} is not a whole zip archive ({error}); leave `member` out if it is no archive, or "
            "give the file inside"
        ) from error
    except (
        RuntimeError
    ) as error:  # so zipfile says that a password is needed, or the packing is unknown to it
        raise InputError(
            f"{archive}: {member!r} cannot be unpacked ({error}); unpack it yourself and give its path"
        ) from error


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
