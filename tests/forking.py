"""Runs programs in processes that are forked from one that has imported the packages they need.

Snakemake and a job of the smoke run import packages for half a second, and most of them work for less. A run
of the tests starts hundreds. Each still is a process of its own, with its own environment, folder and path,
and imports all modules of the project itself. BLAS has as many threads as the job, which an import would fix. All jobs
of ``make smoke`` start as they do for a user.

::

    python forking.py serve SOCKET            # until its standard input ends
    python -I -S forking.py run SOCKET -m snakemake --cores 2
    python -I -S forking.py run SOCKET script.py
"""

import json
import os
import select
import signal
import socket
import sys

PACKAGES = """
    duckdb jinja2 matplotlib.backends.backend_agg matplotlib.backends.backend_pdf matplotlib.pyplot mpmath
    nbformat numba numpy ot pandas pooch pydantic requests scipy.integrate scipy.interpolate scipy.optimize
    scipy.sparse.linalg scipy.spatial scipy.special scipy.stats seaborn smart_open snakemake.cli
    snakemake.report.html_reporter snakemake.script threadpoolctl yaml
""".split()


def command(address, *program):
    """The command line that runs a program; it starts in a hundredth of a second."""
    return [sys.executable, "-I", "-S", __file__, "run", address, *program]


def run(address, *program):
    """Have the program run with the environment, the folder and the streams of this process."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        asked = json.dumps([program, os.getcwd(), dict(os.environ)]).encode()
        socket.send_fds(connection, [len(asked).to_bytes(8, "big")], [0, 1, 2])
        connection.sendall(asked)
        status = connection.recv(1)
    return status[0] if status else 1


def serve(address):
    """Fork for each program that is asked for. Return its name and arguments in the forked process.

    Returns nothing, in the first process, as soon as its standard input ends.
    """
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        print("ready", flush=True)
        watching = 0
        while True:
            ready, _, _ = select.select([listener, sys.stdin], [], [])
            if sys.stdin in ready:
                for _ in range(watching):
                    os.wait()
                return None
            with listener.accept()[0] as connection:
                if os.fork() == 0:
                    listener.close()
                    return watch(connection)
            watching += 1
            while watching and os.waitpid(-1, os.WNOHANG)[0]:
                watching -= 1


def watch(connection):
    """Fork the program, send back its status, and kill it if whoever asked for it has gone."""
    head, streams, _, _ = socket.recv_fds(connection, 8, 3)
    with connection.makefile("rb") as asked:
        program, folder, variables = json.loads(asked.read(int.from_bytes(head, "big")))
    ended, running = os.pipe()  # closed by the system when the program ends, however it does
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.close(ended)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(variables)
        return program
    os.close(running)
    ready, _, _ = select.select([connection, ended], [], [])
    if ended not in ready:
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if ended in ready:
        connection.sendall(bytes([code if code >= 0 else 128 - code]))
    os._exit(0)


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
    from snakemake import benchmark
    from snakemake.script import PythonScript

    benchmark.BENCHMARK_INTERVAL_SHORT = benchmark.BENCHMARK_INTERVAL  # it sees who asks for a job, and no job

    def execute_script(self, fname, edit=False):
        here = command(address)
        self._execute_cmd("{here} {fname:q}", here=" ".join(here), fname=fname, is_python_script=True)

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
        sys.exit(run(address, *rest))
    import atexit
    import gc
    import importlib

    status = 0
    atexit.register(leave)  # the first to be registered is the last to be called
    installed = [path for path in sys.path[1:] if path]  # without the folder of this file
    for name in PACKAGES:
        importlib.import_module(name)
    assert not {"dirpriv", "study"} & sys.modules.keys()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)  # what a program imports stays to its end
    if program := serve(address):
        status = status_of(become, address, installed, *program)
