"""Rule download_file: get a file of check-ins from an address that the user gives; check its SHA-256.

Nothing is downloaded unless the configuration gives an address. The download is stored under its SHA-256, so
that two datasets, or two files of one archive, share it, and no other file can be mistaken for it.
"""

import hashlib
import io
import logging
import shutil
from http.client import responses
from pathlib import Path

import pooch

from study.checkins.settings import local_path
from study.checkins.sources import address_of
from study.workflow.job import InputError, JobProgress, job, moved_into_place
from study.workflow.settings import public_address

AT_ONCE, MOST_BYTES = 1 << 16, 20 * 10**9
WAIT_SECONDS = 60  # for the answer, and for each further piece
HEADERS = {"User-Agent": "dirpriv", "Accept-Encoding": "identity"}
REASONS = {"TimeoutError": "nothing came for a minute", "InvalidSchema": "it leads to no address of http(s)"}
REMEDY = "correct the address, or download the file yourself and give its path"


def download(url, sha256, path):
    """Save the file at an address if it has this SHA-256; no message has a secret of the address."""
    shown, local = public_address(url), local_path({"url": url})
    with moved_into_place(path) as temporary, open(temporary, "wb") as file:
        copy = Copy(file, shown)
        try:
            if local is None:
                options = {"headers": HEADERS, "timeout": WAIT_SECONDS, "hooks": {"response": copy.begin}}
                pooch.HTTPDownloader(chunk_size=AT_ONCE, **options)(url, copy, None)
            elif Path(local).is_file():
                with open(local, "rb") as source:
                    copy.fill(source, Path(local).stat().st_size)
            else:  # a device may be endless
                raise FileNotFoundError(0, "there is no regular file")
        except (OSError, ValueError) as error:  # every exception of requests is an OSError
            if copy.total is None:
                raise InputError(f"{shown} cannot be downloaded: {_reason(error)}; {REMEDY}") from error
            done = f"at least {copy.size} of {copy.total or '?'} bytes ({_reason(error)})"
            text = f"{shown}: the download broke off after {done}; run the same command again"
            raise InputError(text) from error
        if (digest := copy.sum.hexdigest()) != sha256:
            raise InputError(
                f"{shown}: the file there ({copy.size} bytes) has the SHA-256 {digest}, not {sha256} as the "
                "config says. It is not the file that was meant, or it was changed: check the address; if "
                "the new file is right, write its sum into the config"
            )


class Copy(io.RawIOBase):
    """A file being written: computes its SHA-256, reports the time left, refuses more than the disk holds."""

    def __init__(self, file, name):
        self.file, self.name, self.size, self.total, self.sum = file, name, 0, None, hashlib.sha256()
        self.most = min(MOST_BYTES, shutil.disk_usage(Path(file.name).parent).free)

    def begin(self, answer, **_):
        """Check a server's answer before its content arrives."""
        if answer.is_redirect:
            answer.close()  # its content may be endless
        elif answer.ok:
            answer.raw.headers.pop("Content-Encoding", None)  # or requests would unpack a gzipped file
            self.expect(int(answer.headers.get("Content-Length", 0)))

    def expect(self, total):
        self._limit(total)
        self.total, self.progress = total, JobProgress(self.name, total)

    def _limit(self, size):
        if size > self.most:
            text = f"{self.name} is too large: at least {size} bytes, where {self.most} are the most"
            raise InputError(f"{text}; make room on the disk, or get the file yourself and give its path")

    def fill(self, source, total):
        self.expect(total)
        shutil.copyfileobj(source, self, AT_ONCE)

    def write(self, piece):
        self.sum.update(piece)
        self.size += len(piece)
        self._limit(self.size)
        if self.total:
            self.progress.update(self.size)
        return self.file.write(piece)


def _reason(error):
    """Why a download failed, without the addresses that the messages of requests contain."""
    if (answer := getattr(error, "response", None)) is not None:
        return f"the server answers {answer.status_code} {responses.get(answer.status_code, '')}"
    while inner := error.__cause__ or error.__context__:
        error = inner
    name = type(error).__name__
    return REASONS.get(name) or getattr(error, "strerror", None) or name


if __name__ == "__main__":
    with job(snakemake) as logger:
        logging.getLogger("urllib3").setLevel(logging.ERROR)  # its warnings contain whole addresses
        url = address_of(snakemake.config, snakemake.wildcards.sha256)
        download(url, snakemake.wildcards.sha256, snakemake.output[0])
        logger.info("%s", snakemake.params.url)
