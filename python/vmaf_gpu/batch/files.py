# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Files that are there whole or not at all, and what identifies an input."""
import contextlib
import fcntl
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import socket
import stat
import threading
from typing import Any, BinaryIO, Dict, Iterator, Optional

from vmaf_gpu.batch.calls import cores, in_order
from vmaf_gpu.batch.errors import BAD_INPUT, TRANSIENT, USAGE, BatchError, Unreadable, code_of_os_error

_BLOCK = 1 << 20
_SAMPLE = 1 << 16
PIECE = 1 << 26
_READERS = 4  # threads that read one file


def step(_name: str) -> None:
    """Called at the steps of writing a part; tests replace it by something that kills the process."""


def host() -> str:
    return re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname())[:40] or "host"


def mark() -> str:
    """The end of names of this process's temporary files."""
    return f".tmp.{host()}.{os.getpid()}"


def temporary(path: pathlib.Path) -> pathlib.Path:
    """A temporary name that belongs to this thread: two may read videos of one content."""
    name = os.fsdecode(os.fsencode(path.name)[:150])  # a name has 255 bytes
    return path.with_name(f"{name}.{threading.get_ident():x}{mark()}")


def check_writable(folder: pathlib.Path) -> None:
    """OSError with the folder's name if no file can be made there."""
    trial = temporary(folder / "trial")
    try:
        with open(trial, "wb"):
            trial.unlink()
    except OSError as error:
        error.filename = str(folder)
        raise


def sync(path: pathlib.Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def publish(ready: pathlib.Path, path: pathlib.Path) -> None:
    """Gives a complete file its name; after a crash the name has the whole file or none."""
    step("before fsync")
    sync(ready)
    step("before rename")
    os.replace(ready, path)
    step("after rename")
    sync(path.parent)


def write_atomic(path: pathlib.Path, data: bytes) -> None:
    ready = temporary(path)
    try:
        with open(ready, "wb") as file:
            file.write(data)
        publish(ready, path)
    except OSError as error:
        ready.unlink(missing_ok=True)
        error.filename = str(path)  # a full disk tells none
        raise


def write_json(path: pathlib.Path, value: Any) -> None:
    write_atomic(path, (json.dumps(value, indent=1, sort_keys=True) + "\n").encode())


def read_json(path: pathlib.Path, schema: str, code: int = USAGE, **fields: Any) -> Dict[str, Any]:
    """A file that this program has written. BatchError if it is damaged or something else; Unreadable. fields: which it
    has, and of which types."""
    try:
        value = json.loads(path.read_bytes().decode())
    except OSError as error:
        is_machine = code_of_os_error(error) == TRANSIENT
        raise Unreadable(TRANSIENT if is_machine else code, f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise BatchError(code, f"{path}: is not JSON, or is damaged") from None
    if not isinstance(value, dict) or value.get("schema") != schema or \
            not all(isinstance(value.get(name), kind) for name, kind in fields.items()):
        raise BatchError(code, f"{path}: is not a file of the kind {schema}")
    return value


def abandoned(folder: pathlib.Path, prefix: str = "") -> Iterator[pathlib.Path]:
    """What killed processes of this machine have left."""
    for path in folder.glob(f"{prefix}*.tmp.{host()}.*"):
        pid = path.name.rsplit(".", 1)[1]
        if pid.isdigit() and not _is_running(int(pid)):
            yield path


def clean_temporaries(folder: pathlib.Path) -> None:
    for path in abandoned(folder):
        path.unlink(missing_ok=True)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


@contextlib.contextmanager
def locked(folder: pathlib.Path) -> Iterator[None]:
    """A folder, made if there is none, that one process uses at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(open(folder / "lock", "ab"))
            is_ours = _is_flocked(file) and os.path.samestat(os.fstat(file.fileno()), os.stat(folder / "lock"))
        except FileNotFoundError:  # removed by a process that ended meanwhile
            is_ours = False
        if not is_ours:
            raise BatchError(TRANSIENT, f"{folder}: another vmaf-gpu is at work there; wait until it ends")
        yield


def _is_flocked(file: BinaryIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # some network file systems have no locks
    return True


def remove(folder: pathlib.Path) -> None:
    """A locked folder. The lock goes last: from then on the folder may be another process's."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != "lock":
                path.unlink()
        (folder / "lock").unlink()
        folder.rmdir()  # NFS keeps the open lock


def _piece_of(path: pathlib.Path, begin: int) -> bytes:
    digest, left = hashlib.sha256(), PIECE
    with open(path, "rb") as file:
        file.seek(begin)
        while left > 0:
            block = file.read(min(left, _BLOCK))
            if not block:
                break
            digest.update(block)
            left -= len(block)
    return digest.digest()


def content_of(path: pathlib.Path) -> str:
    """SHA-256 of the SHA-256 of each piece of 64 MiB: several cores can hash one file."""
    begins = range(0, os.stat(path).st_size, PIECE)
    pieces = in_order(min(_READERS, cores()), lambda begin: _piece_of(path, begin), begins)
    return hashlib.sha256(b"".join(pieces)).hexdigest()


def _sample_of(path: pathlib.Path, size: int) -> str:
    """A digest of the beginning, the middle and the end: quick, and nearly every other file has another."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for at in (0, max(0, size // 2 - _SAMPLE // 2), max(0, size - _SAMPLE)):
            file.seek(at)
            digest.update(file.read(_SAMPLE))
    return digest.hexdigest()


def stamp(path: pathlib.Path) -> Dict[str, int]:
    """What changes when a file is written to. Of a file only: opening a FIFO may take forever."""
    try:
        info = os.stat(path)
    except OSError as error:
        raise BatchError(code_of_os_error(error), f"{path}: {error.strerror}") from None
    if not stat.S_ISREG(info.st_mode):
        raise BatchError(BAD_INPUT, f"{path}: is not a file")
    return {"size": info.st_size, "mtime_ns": info.st_mtime_ns}


@functools.lru_cache(maxsize=None)
def _identity(path: pathlib.Path, size: int, mtime_ns: int) -> Dict[str, Any]:
    """Read once by a process that plans many times."""
    return {"content": content_of(path), "size": size, "mtime_ns": mtime_ns, "sample": _sample_of(path, size)}


def identify(path: pathlib.Path) -> Dict[str, Any]:
    """What a task checks before it trusts that the file is the one that was planned."""
    before = stamp(path)
    try:
        return dict(_identity(path, before["size"], before["mtime_ns"]))
    except OSError as error:
        raise BatchError(code_of_os_error(error), f"{path}: {error.strerror}") from None


def check_stamp(path: pathlib.Path, identity: Dict[str, Any]) -> None:
    """Refuses a file that was written to or replaced since it was identified."""
    if any(identity[name] != value for name, value in stamp(path).items()):
        raise BatchError(TRANSIENT, f"{path}: has changed while it was read; plan again")


def check_identity(path: pathlib.Path, planned: Dict[str, Any], always_hash: bool = False) -> None:
    """Refuses a file that is not the planned one. All of it is read only if its time has changed."""
    try:
        info = os.stat(path)
        reason: Optional[str] = None
        if info.st_size != planned["size"]:
            reason = f"it has {info.st_size} bytes, not {planned['size']}"
        elif _sample_of(path, info.st_size) != planned["sample"]:
            reason = "its content is another"
        elif (always_hash or info.st_mtime_ns != planned["mtime_ns"]) and content_of(path) != planned["content"]:
            reason = "its content is another"
    except OSError as error:
        raise BatchError(code_of_os_error(error), f"{path}: {error.strerror}") from None
    if reason is not None:
        raise BatchError(BAD_INPUT, f"{path}: has changed since the plan was made: {reason}; plan again")
