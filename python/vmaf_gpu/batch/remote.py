# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Videos under a URL: fetched into a file for as long as they are needed, and known by their content.

http and https are read by Python itself, all else (s3, gs, file ...) by the package fsspec. What is known of an object
is its SHA-256, its size and, where its store has one, its ETag.
"""
import contextlib
import hashlib
import http.client
import os
import pathlib
import re
import shutil
import ssl
import tempfile
import urllib.error
import urllib.request
from typing import Any, BinaryIO, Dict, Iterator, Optional, Tuple

from vmaf_gpu.batch import files
from vmaf_gpu.batch.errors import BAD_INPUT, TRANSIENT, USAGE, BatchError, code_of_os_error

SCHEMA = "vmaf_gpu.remote/1"
_BLOCK = 1 << 20
_TIMEOUT = 60.0  # seconds without an answer
_AGAIN = {408, 425, 429}  # and all from 500 on
Facts = Dict[str, Any]  # "size": -1 if it is not told; "etag": "" likewise


def is_url(text: str) -> bool:
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text) is not None


def _error_of(url: str, error: Exception) -> BatchError:
    """Whether trying again makes sense."""
    if isinstance(error, urllib.error.HTTPError):
        code = TRANSIENT if error.code in _AGAIN or error.code >= 500 else BAD_INPUT
        return BatchError(code, f"{url}: the server says {error.code} {error.reason}")
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(reason, (ImportError, ValueError)) or isinstance(reason, ssl.SSLCertVerificationError):
        return BatchError(USAGE, f"{url}: {reason}")
    if isinstance(reason, (FileNotFoundError, PermissionError, IsADirectoryError)):
        return BatchError(BAD_INPUT, f"{url}: {reason.strerror or 'there is no such object'}")
    return BatchError(TRANSIENT, f"{url}: {str(reason) or type(reason).__name__}")


def _facts_of_http(headers: Any) -> Facts:
    etag = headers.get("ETag") or ""
    length = headers.get("Content-Length") or ""
    return {"size": int(length) if length.isdigit() else -1, "etag": "" if etag.startswith("W/") else etag}


def _filesystem(url: str) -> Tuple[Any, str]:
    try:
        import fsspec  # type: ignore # pylint: disable=import-outside-toplevel
    except ImportError:
        raise BatchError(USAGE, f"{url}: needs fsspec: pip install 'vmaf-gpu[remote]'") from None
    found, path = fsspec.core.url_to_fs(url)
    return found, path


def _facts_of_store(filesystem: Any, path: str) -> Facts:
    info = filesystem.info(path)
    if info.get("type") == "directory":
        raise IsADirectoryError(21, "is a folder")
    size, etag = info.get("size"), info.get("ETag") or info.get("etag") or ""
    return {"size": size if isinstance(size, int) else -1, "etag": str(etag)}


@contextlib.contextmanager
def _opened(url: str, method: str = "GET") -> Iterator[Tuple[Any, Facts]]:
    """What can be read (nothing, if only facts are asked for), and what is known of it. Errors are BatchError."""
    try:
        if re.match(r"https?://", url, re.I):
            request = urllib.request.Request(url, method=method, headers={"Accept-Encoding": "identity"})
            with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:
                yield response, _facts_of_http(response.headers)
        else:
            filesystem, path = _filesystem(url)
            facts = _facts_of_store(filesystem, path)
            with (filesystem.open(path, "rb") if method == "GET" else contextlib.nullcontext()) as source:
                yield source, facts
    except BatchError:
        raise
    except http.client.HTTPException as error:
        raise BatchError(TRANSIENT, f"{url}: the transfer ended early: {error!r}") from None
    except Exception as error:  # stores have classes of their own
        raise _error_of(url, error) from None


def facts(url: str) -> Facts:
    """Size and ETag, without the content."""
    with _opened(url, "HEAD") as (_, found):
        return found


def _copy(url: str, source: Any, target: BinaryIO, size: int) -> Facts:
    digest, count = files.ContentHash(), 0
    while True:
        block = source.read(_BLOCK)
        if not block:
            break
        digest.update(block)
        count += len(block)
        try:
            target.write(block)
        except OSError as error:
            raise BatchError(code_of_os_error(error), f"{target.name}: {error.strerror}") from None
    if size >= 0 and count != size:
        raise BatchError(TRANSIENT, f"{url}: the transfer ended after {count} of {size} bytes")
    return {"size": count, "content": digest.hexdigest()}


def fetch(url: str, target: pathlib.Path, planned: Optional[Facts] = None) -> Facts:
    """Writes the object to a file. With planned, anything but that content is refused."""
    with _opened(url) as (source, facts):
        if planned is not None and facts["size"] not in (-1, planned["size"]):
            raise _changed(url, f"it has {facts['size']} bytes, not {planned['size']}")
        with open(target, "wb") as file:
            found = {**_copy(url, source, file, facts["size"]), "etag": facts["etag"]}
    if planned is None or found["content"] == planned["content"]:
        return found
    if found["etag"] and found["etag"] == planned["etag"]:
        raise BatchError(TRANSIENT, f"{url}: other bytes came than are stored, as the ETag is that of the plan")
    raise _changed(url, "its content is another")


def _changed(url: str, reason: str) -> BatchError:
    return BatchError(BAD_INPUT, f"{url}: has changed since the plan was made: {reason}; plan again")


class Fetcher:
    """A folder with what was fetched, for as long as the with statement runs."""

    def __init__(self) -> None:
        self._paths: Dict[str, pathlib.Path] = {}
        self._folder: Optional[pathlib.Path] = None

    def __enter__(self) -> "Fetcher":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._folder, self._paths = None, {}

    def _place(self, url: str) -> pathlib.Path:
        if self._folder is None:
            parent = pathlib.Path(tempfile.gettempdir())
            for left in files.abandoned(parent, "vmaf-gpu-fetched"):
                shutil.rmtree(left, ignore_errors=True)
            self._folder = pathlib.Path(tempfile.mkdtemp(prefix="vmaf-gpu-fetched-", suffix=files.mark(), dir=parent))
        # ffmpeg looks at the end of the name for some formats.
        suffix = re.search(r"\.[A-Za-z0-9]{1,8}$", url.split("?")[0].split("#")[0])
        return self._folder / f"{len(self._paths)}{suffix[0] if suffix else ''}"

    def get(self, url: str, planned: Optional[Facts] = None) -> Tuple[pathlib.Path, Facts]:
        """The file, and what is known of the object."""
        if url in self._paths:
            return self._paths[url], planned or {}
        place = self._place(url)
        try:
            found = fetch(url, place, planned)
        except BaseException:
            place.unlink(missing_ok=True)
            raise
        self._paths[url] = place
        return place, found

    def local(self, video: Dict[str, Any]) -> Dict[str, Any]:
        """The video of a plan with the path of its file."""
        if not is_url(video["path"]):
            return video
        return {**video, "path": str(self.get(video["path"], video["identity"])[0])}


def known(url: str, folder: pathlib.Path) -> Optional[Facts]:
    """What an earlier plan learned of the same object: an ETag and a size stand for the content."""
    try:
        kept = files.read_json(_memory(url, folder), SCHEMA)
    except BatchError:
        return None
    identity = kept.get("identity")
    if not isinstance(identity, dict) or not re.fullmatch(r"[0-9a-f]{64}", str(identity.get("content"))):
        return None
    try:
        now = facts(url)
    except BatchError as error:
        if error.code != BAD_INPUT:
            raise
        return None  # gone, or a server that only hands over content: fetching tells which
    is_same = now["etag"] != "" and now["etag"] == identity.get("etag") and now["size"] == identity.get("size")
    return identity if is_same else None


def remember(url: str, identity: Facts, folder: pathlib.Path) -> None:
    if identity["etag"]:
        files.write_json(_memory(url, folder), {"schema": SCHEMA, "url": url, "identity": identity})


def _memory(url: str, folder: pathlib.Path) -> pathlib.Path:
    return folder / f"{hashlib.sha256(os.fsencode(url)).hexdigest()}.remote.json"
