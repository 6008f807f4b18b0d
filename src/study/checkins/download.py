"""Rule download_file: a file of check-ins from an address of the user's, checked by its SHA-256.

Nothing is downloaded unless the configuration gives an address. What comes is kept under its sum, so that two
datasets, or two files of one archive, share it, and it is never taken for something else.
"""

import hashlib
import http.client
import urllib.error
import urllib.request

from study.core.job import InputError, Progress, job, moved_into_place

AT_ONCE = 1 << 20  # bytes
WAIT_SECONDS = 60  # for an answer, and for each further piece
REMEDY = "correct the address, or download the file yourself and give its path"


def download(url, sha256, path):
    """Save what is at an address, if it is what was meant.

    Parameters
    ----------
    url : str
        With the scheme http, https or file.
    sha256 : str
        SHA-256 of the file, in lower-case hexadecimal digits.
    path : path-like
        Where to save it. Nothing is there before the whole file is, and has this sum.

    Raises
    ------
    study.core.job.InputError
        If the file cannot be had, breaks off, or has another sum.
    """
    found, size, expected = hashlib.sha256(), 0, None
    with moved_into_place(path) as temporary:
        try:
            request = urllib.request.Request(url, headers={"User-Agent": "dirpriv"})
            with (
                urllib.request.urlopen(request, timeout=WAIT_SECONDS) as answer,
                open(temporary, "wb") as file,
            ):
                expected = answer.headers.get("Content-Length")
                progress = Progress(f"download_file, {url}", int(expected)) if expected else None
                while piece := answer.read(AT_ONCE):
                    file.write(piece)
                    found.update(piece)
                    size += len(piece)
                    if progress:
                        progress.update(size)
        except (OSError, http.client.HTTPException, ValueError) as error:
            # urllib.error.URLError is an OSError
            raise InputError(f"{url} cannot be downloaded: {_reason(error)}; {REMEDY}") from error
        if expected and size < int(expected):
            raise InputError(
                f"{url}: the download broke off after {size} of {expected} bytes; run the same command again"
            )
        if found.hexdigest() != sha256:
            raise InputError(
                f"{url}: the file there ({size} bytes) has the SHA-256 {found.hexdigest()}, not {sha256} as "
                "the config says. It is not the file that was meant, or it was changed: check the address; "
                "if the new file is right, write its sum into the config"
            )


def _reason(error):
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answers {error.code} {error.reason}"
    reason = getattr(error, "reason", None) or error
    return getattr(reason, "strerror", None) or str(reason) or type(reason).__name__


if __name__ == "__main__":
    with job(snakemake) as logger:
        download(snakemake.params.url, snakemake.wildcards.sha256, snakemake.output[0])
        logger.info("%s", snakemake.params.url)
