"""Releases of a file that are killed at one of their steps.

python killed_runs.py SOURCE FOLDER FIRST EVERY OUTPUT HIDDEN [OUTPUT HIDDEN ...]

A step is a file that is opened, linked, renamed or removed, a folder that is made, a lock, or a share of the
work that is reported. Each run is a process of its own: the k-th kills itself (SIGKILL) at step FIRST + k
EVERY, in the folder of this number. The last one is not killed. HIDDEN is 1 where the system is to have no
files without a name. All this is done for each pair of OUTPUT and HIDDEN, in a folder of the pair's number.
"""

import os
import signal
import sys
import tempfile
from pathlib import Path

from dirpriv import release

STEPS = {"open", "os.link", "os.rename", "os.remove", "os.mkdir", "os.listdir", "fcntl.flock", "work"}


def killed_at(last):
    """Count the steps of this process, and kill it at the last one."""
    steps = 0

    def count(event, arguments):
        nonlocal steps
        if event in STEPS:
            steps += 1
            if steps == last:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)


def import_all(**about):
    """Import what a release needs by making one: the steps of the others are then their own."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        os.environ["XDG_CONFIG_HOME"] = str(home / "user")
        (home / "output").mkdir()
        (home / "true.csv").write_text("arrival\n08:15\n")
        release.file(home / "true.csv", home / "output/private.csv", time="arrival", level=1.0, radius="3h", **about)


def run(source, home, output, hidden, step):
    """A release in the folders of a step."""
    if hidden:
        del os.O_TMPFILE
    for name in ("output", "user", "temporary"):
        (home / name).mkdir(parents=True)
    os.environ |= {"XDG_CONFIG_HOME": str(home / "user"), "TMPDIR": str(home / "temporary")}
    killed_at(step)
    release.file(
        source,
        home / "output" / output,
        time="arrival",
        level=1.0,
        radius="3h",
        progress=lambda share: sys.audit("work"),
    )


def main():
    """All runs, each a child: nothing but modules and the table of the noise is in memory before."""
    source, folder, first, every, *ways = sys.argv[1:]
    import_all()
    for way, (output, hidden) in enumerate(zip(ways[::2], ways[1::2], strict=True)):
        step, status = int(first), -signal.SIGKILL
        while status == -signal.SIGKILL:
            child = os.fork()
            if child == 0:
                run(source, Path(folder, str(way), str(step)), output, int(hidden), step)
                os._exit(0)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            print(way, step, status, flush=True)
            step += int(every)
        if status:
            sys.exit(status)


if __name__ == "__main__":
    main()
