"""Runs programs in processes that are forked from one that has imported the packages they need.

Snakemake and a job of the smoke run import packages for half a second, and most of them work for less. A run
of the tests starts hundreds. Each still is a process of its own, with its own environment, folder and path,
and imports all modules of the project itself. BLAS has as many threads as the job, which an import would fix.
numba has the tables of types that its first function needs: they take a quarter of a second. All jobs of
``make smoke`` start as they do for a user.

::

    python forking.py serve SOCKET            # until its standard input ends
    python -I -S forking.py run SOCKET -m snakemake --cores 2
    python -I -S forking.py run SOCKET script.py
"""

import contextlib
import json
import os
import select
import signal
import socket
import sys

PACKAGES = """
    duckdb jinja2 matplotlib.backends.backend_agg matplotlib.backends.backend_pdf matplotlib.pyplot mpmath
    nbformat numba numpy ot pandas pandas.io.formats.csvs pooch pydantic requests runpy scipy.integrate
    scipy.interpolate scipy.optimize scipy.sparse.linalg scipy.spatial scipy.special scipy.stats seaborn
    smart_open snakemake.cli snakemake.report.html_reporter snakemake.script threadpoolctl unittest.mock yaml
""".split()


def command(address, *program):
    """The command line that runs a program; it starts in a hundredth of a second."""
    return [sys.executable, "-I", "-S", __file__, "run", address, *program]


class Program:
    """A program that runs there with an environment, and in the folder and with the streams of this process."""

    def __init__(self, address, program, environment):
        self.pid = os.getpid()  # who asks for it
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(address)
        asked = json.dumps([program, os.getcwd(), environment]).encode()
        socket.send_fds(self.connection, [len(asked).to_bytes(8, "big")], [0, 1, 2])
        self.connection.sendall(asked)

    def wait(self):
        """Wait for its end, and return its status."""
        with self.connection:
            status = self.connection.recv(1)
        return status[0] if status else 1


def serve(address):
    """Fork for each program that is asked for. Return its name and arguments in the forked process.

    A program is killed if whoever asked for it has gone. Returns nothing, in the first process, as soon as its
    standard input and all programs have ended.
    """
    running = {}  # who asked, and the pid, by the end of a pipe that closes when a program ends, however it does
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        print("ready", flush=True)
        waiting = [listener, sys.stdin]
        while waiting or running:
            ready, _, _ = select.select([*waiting, *running, *[one for one, _ in running.values()]], [], [])
            for ended, (connection, child) in list(running.items()):
                if ended in ready or connection in ready:
                    end(connection, child, killed=ended not in ready)
                    os.close(ended)
                    del running[ended]
            if sys.stdin in ready:
                waiting = []
            elif listener in ready:
                connection = listener.accept()[0]
                with contextlib.suppress(ValueError):  # who asks has gone before it said what it asks for
                    program, folder, variables, streams = question(connection)
                    ended, kept = os.pipe()
                    child = os.fork()
                    if child == 0:
                        os.setpgid(0, 0)
                        for number, stream in enumerate(streams):
                            os.dup2(stream, number)
                        for one in (*streams, ended, *running):
                            os.close(one)
                        for one in (connection, *[one for one, _ in running.values()]):
                            one.close()
                        os.chdir(folder)
                        os.environ.clear()
                        os.environ.update(variables)
                        return program
                    running[ended] = connection, child
                    for one in (*streams, kept):
                        os.close(one)
    return None


def question(connection):
    """A program and its arguments, its folder, its environment and its streams."""
    head, streams, _, _ = socket.recv_fds(connection, 8, 3)
    with connection.makefile("rb") as asked:
        return *json.loads(asked.read(int.from_bytes(head, "big"))), streams


def end(connection, child, killed):
    """Send back the status of a program that has ended, or kill it, as nobody waits for it."""
    if killed:
        os.killpg(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with connection, contextlib.suppress(OSError):
        connection.sendall(bytes([code if code >= 0 else 128 - code]))


def become(address, installed, program, *arguments):
    """Run a program as Python does that has just started."""
    import runpy

    import threadpoolctl

    module = arguments[0] if program == "-m" else None
    sys.argv = [program, *arguments] if module is None else list(arguments)
    beside = os.getcwd() if module else os.path.dirname(os.path.abspath(program))
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:] = [beside, *filter(None, named), *installed]
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    recorders = (os.path.join(each, "sitecustomize.py") for each in filter(None, named))
    for recorder in filter(os.path.isfile, recorders):
        runpy.run_path(recorder)  # Python has imported its own when it started
    if module == "snakemake":
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # else asyncio sets it twice for each question of Snakemake
        fork_jobs(address)
    if module:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    else:
        threadpoolctl.threadpool_limits(int(os.environ["OMP_NUM_THREADS"]))
        runpy.run_path(program, run_name="__main__")


def fork_jobs(address):
    """Have Snakemake run its jobs here, too."""
    import importlib
    import subprocess
    from types import SimpleNamespace

    from snakemake import benchmark
    from snakemake.script import PythonScript

    benchmark.BENCHMARK_INTERVAL_SHORT = benchmark.BENCHMARK_INTERVAL  # it sees who asks for a job, and no job
    prefix = "a Python script "

    def start(command, *args, env, **kwargs):
        if prefix in command:
            return Program(address, [command.rpartition(prefix)[2]], env)
        return subprocess.Popen(command, *args, env=env, **kwargs)

    def execute_script(self, fname, edit=False):
        self._execute_cmd(prefix + "{fname}", fname=fname, is_python_script=True)

    importlib.import_module("snakemake.shell").sp = SimpleNamespace(**{**vars(subprocess), "Popen": start})
    PythonScript.execute_script = execute_script


def status_of(program, *arguments):
    """Call a program and return the status with which Python would end after it."""
    try:
        program(*arguments)
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


def leave():
    """End here: Python would take apart all that is imported, object by object, in every process."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    role, address, *rest = sys.argv[1:]
    if role == "run":
        sys.exit(Program(address, rest, dict(os.environ)).wait())
    import atexit
    import gc
    import importlib

    status = 0
    atexit.register(leave)  # the first to be registered is the last to be called
    installed = [path for path in sys.path[1:] if path]  # without the folder of this file
    sys.modules["rfc3987_syntax"] = None  # as in conftest.py
    for name in PACKAGES:
        importlib.import_module(name)
    assert not {"dirpriv", "study"} & sys.modules.keys()
    sys.modules["PIL.Image"].preinit()  # imports the kinds of files that it knows
    sys.modules["numba"].njit(lambda: 0)()  # its tables of types, which the first compiled function needs
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)  # what a program imports stays to its end
    if program := serve(address):
        status = status_of(become, address, installed, *program)
