# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A Slurm on this machine for tests: slurmctld, slurmd and munged with a key, ports and files of their own.

No systemd, no cgroups. As root it has two GPUs that are device files without a device. All of its processes are
ended by end(), which also runs if the test fails.
"""
import os
import pathlib
import shutil
import signal
import socket
import stat
import subprocess
import time

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue")
LARGEST_ARRAY = 4  # a plan of five tasks needs two arrays
CONF = """ClusterName=vmafgputest
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
JobRequeue=0
MaxArraySize={largest}
KillWait=2
MessageTimeout=60
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
{gres}
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=1000 {node} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""


def missing():
    """Why there can be no cluster, or ''."""
    if os.geteuid() != 0:
        return "Slurm's daemons need root"
    lacking = [name for name in NEEDED if shutil.which(name, path=path()) is None]
    return f"{', '.join(lacking)} not installed (Debian: slurm-wlm munge)" if lacking else ""


def path():
    return os.environ["PATH"] + ":/usr/sbin:/sbin"


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder) / "slurm"
        self.children = []
        self.folder.mkdir(mode=0o755)
        for name in "state", "spool":
            (self.folder / name).mkdir()
        self.gpus = self._make_gpus()
        host = socket.gethostname().split(".")[0]
        conf = CONF.format(host=host, ports=free_ports(2), folder=self.folder, largest=LARGEST_ARRAY,
                           gres="GresTypes=gpu" if self.gpus else "", node="Gres=gpu:2" if self.gpus else "")
        (self.folder / "slurm.conf").write_text(conf)
        (self.folder / "gres.conf").write_text(f"Name=gpu File={self.folder}/gpu[0-1]\n" if self.gpus else "")
        self.env = {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": path()}

    def _make_gpus(self):
        try:
            for number in 0, 1:
                os.mknod(self.folder / f"gpu{number}", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
            return 2
        except OSError:
            return 0

    def start(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self._start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                    f"--pid-file={self.folder}/munged.pid", f"--seed-file={self.folder}/munged.seed",
                    f"--log-file={self.folder}/munged.log", "--num-threads=2")
        self.wait(lambda: (self.folder / "munge.socket").exists(), "munged")
        self._start("slurmctld", "-D", "-c")
        self._start("slurmd", "-D", "-c")
        self.wait(lambda: "idle" in self.ask("sinfo", "-h", "-o", "%t"), "Slurm")

    def _start(self, name, *words):
        with (self.folder / f"{name}.out").open("wb") as log:
            self.children.append(subprocess.Popen([shutil.which(name, path=path()), *words], stdout=log, stderr=log,
                                                  stdin=subprocess.DEVNULL, env={**os.environ, **self.env}))

    def ask(self, *words):
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120,
                              env={**os.environ, **self.env})
        return done.stdout + done.stderr

    def wait(self, is_there, what, seconds=60):
        until = time.time() + seconds
        while not is_there():
            if time.time() > until:
                logs = "".join(f"== {log.name}\n{log.read_text(errors='replace')[-1500:]}"
                               for log in (*self.folder.glob("*.log"), *self.folder.parent.glob("*/slurm/*.txt")))
                raise RuntimeError(f"{what} did not come within {seconds} s\n{logs}")
            time.sleep(0.1)

    def processes_of_jobs(self):
        """Step daemons and what they run, which have this cluster's configuration in their environment."""
        mark = f"SLURM_CONF={self.env['SLURM_CONF']}".encode()
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if mark in (process / "environ").read_bytes() and int(process.name) != os.getpid():
                    yield int(process.name)
            except OSError:
                pass

    def end(self):
        """Ends jobs first, then the daemons in reverse."""
        self.ask("scancel", "--state=PENDING", "-u", "root")
        for child in reversed(self.children):
            child.terminate()
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        for process in self.processes_of_jobs():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
