"""A SLURM on this machine alone: a controller and several nodes, all on the loopback address.

python tests/cluster/local_slurm.py [--nodes NODES] [--cores CORES] COMMAND ...

Starts it in a temporary folder, runs the command in it, and stops it. It needs Debian's slurm-wlm and munge,
but no service, no root and no file outside the folder. Nodes are processes: together they may promise more
cores and more memory than the machine has.
"""

import argparse
import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "scontrol", "sinfo")

# No accounting and no control groups: both need services. What is not named is SLURM's default.
CONFIGURATION = """\
ClusterName=local
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
# a job starts as soon as it is submitted, and squeue shows it for a day after its end
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
MinJobAge=86400
KillWait=5
ReturnToService=2
"""
NODE = """\
NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cores} Boards=1 SocketsPerBoard=1 \
CoresPerSocket={cores} ThreadsPerCore=1 RealMemory=4000 State=UNKNOWN
"""
PARTITION = "PartitionName=main Nodes={nodes} Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO\n"

# Snakemake takes SLURM_CONF out of the environment of a job's steps, and SLURM would look in /etc.
SRUN = """\
#!/bin/sh
SLURM_CONF={folder}/slurm.conf exec {srun} "$@"
"""


def missing():
    """Names of the programs that are not installed."""
    # Debian has the servers in a folder that is not on the path of users
    return [name for name in PROGRAMS if shutil.which(name, path=_path()) is None]


def _path():
    return os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/usr/local/sbin"])


@contextlib.contextmanager
def cluster(folder, nodes=3, cores=2):
    """Start a cluster in a folder, and stop it at the end.

    Parameters
    ----------
    folder : pathlib.Path
        Empty, for its configuration, state and logs. Its name must be short: a socket is in it.
    nodes, cores : int
        Number of nodes, and cores of each; each promises 4 GB.

    Yields
    ------
    dict of str
        The environment variables with which commands find it.

    Raises
    ------
    RuntimeError
        If a node is not ready within a minute; with the ends of the logs.
    """
    names = [f"n{number}" for number in range(1, nodes + 1)]
    (folder / "state").mkdir()
    for name in names:
        (folder / f"spool.{name}").mkdir()
    (folder / "slurm.conf").write_text(_configuration(folder, names, cores), encoding="utf-8")
    (folder / "munge.key").touch(mode=0o600)
    (folder / "munge.key").write_bytes(os.urandom(1024))
    (folder / "bin").mkdir()
    srun = folder / "bin/srun"
    srun.write_text(SRUN.format(folder=folder, srun=shutil.which("srun", path=_path())), encoding="utf-8")
    srun.chmod(0o755)
    path = f"{folder}/bin{os.pathsep}{_path()}"
    variables = {"PATH": path, "SLURM_CONF": str(folder / "slurm.conf")}
    with contextlib.ExitStack() as running:
        for command, ready in _servers(folder, names, variables):
            running.enter_context(_server(command, folder / "servers.log", variables))
            _wait_until(ready, folder)
        running.callback(_cancel_all, variables)
        yield variables


def _configuration(folder, names, cores):
    host = socket.gethostname().partition(".")[0]
    ports = _free_ports(len(names) + 1)
    user = pwd.getpwuid(os.geteuid()).pw_name
    text = CONFIGURATION.format(host=host, ports=ports, user=user, folder=folder)
    for node, port in zip(names, ports[1:], strict=True):
        text += NODE.format(node=node, host=host, port=port, cores=cores)
    return text + PARTITION.format(nodes=",".join(names))


def _free_ports(count):
    with contextlib.ExitStack() as opened:
        sockets = [opened.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def _servers(folder, names, variables):
    """Pairs: the command of a server, which keeps the terminal, and a function that says if it is ready."""
    munge = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
    files = [f"--{option}={folder}/munge.{ending}" for option, ending in munge.items()]
    # forced, as it would refuse a folder within one that everybody may write, such as /tmp
    yield ["munged", "--foreground", "--force", *files], (folder / "munge.socket").exists
    yield ["slurmctld", "-D", "-c"], lambda: "UP" in ask(variables, "scontrol", "ping")
    for name in names:
        state = "sinfo", "--noheader", f"--nodes={name}", "--format=%T"
        yield ["slurmd", "-D", "-N", name], lambda state=state: ask(variables, *state).split() == ["idle"]


@contextlib.contextmanager
def _server(command, log, variables):
    with open(log, "a", encoding="utf-8") as output:
        started = subprocess.Popen(
            command, env=os.environ | variables, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
    try:
        yield
    finally:
        started.terminate()
        try:
            started.wait(timeout=20)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()


def ask(variables, *command):
    """What a command of SLURM prints; nothing if it fails."""
    done = subprocess.run(command, env=os.environ | variables, capture_output=True, encoding="utf-8")
    return done.stdout if done.returncode == 0 else ""


def _wait_until(ready, folder):
    deadline = time.monotonic() + 60
    while not ready():
        if time.monotonic() > deadline:
            logs = (folder / "servers.log").read_text(encoding="utf-8", errors="replace").splitlines()
            raise RuntimeError("SLURM has not started:\n" + "\n".join(logs[-30:]))
        time.sleep(0.1)


def _cancel_all(variables):
    """End what still runs: a node that stops would leave its jobs alone."""
    ask(variables, "scancel", "--user", str(os.geteuid()))
    deadline = time.monotonic() + 60  # nodes first ask the jobs to end, then kill them
    while ask(variables, "squeue", "--noheader") and time.monotonic() < deadline:
        time.sleep(0.2)


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nodes", type=int, default=3, help="number of nodes; 3 by default")
    parser.add_argument("--cores", type=int, default=2, help="cores of each node; 2 by default")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="what to run; a shell by default")
    arguments = parser.parse_args()
    if missing():
        sys.exit(f"needs {', '.join(missing())}: apt-get install slurm-wlm munge")
    with tempfile.TemporaryDirectory() as folder, cluster(Path(folder), arguments.nodes, arguments.cores) as variables:
        command = arguments.command or [os.environ.get("SHELL", "sh")]
        sys.exit(subprocess.run(command, env=os.environ | variables).returncode)


if __name__ == "__main__":
    main()
