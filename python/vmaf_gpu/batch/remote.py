# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Videos under a URL: fetched into a file for as long as they are needed, and known by their content.

http and https are read by Python itself, all else (s3, gs, file ...) by the package fsspec.
"""
import contextlib
import http.client
import pathlib
import re
import shutil
import ssl
import tempfile
import urllib.error
import urllib.request
from typing import Any, Dict, Iterator, Optional, Tuple

from vmaf_gpu.batch import files
from vmaf_gpu.batch.errors import BAD_INPUT, TRANSIENT, USAGE, BatchError

_BLOCK = 1 << 20
_TIMEOUT = 60.0  # seconds without an answer
_AGAIN = {408, 425, 429}  # and all from 500 on


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


def _filesystem(url: str) -> Tuple[Any, str]:
    try:
        import fsspec  # type: ignore # pylint: disable=import-outside-toplevel
    except ImportError:
        raise BatchError(USAGE, f"{url}: needs fsspec: pip install 'vmaf-gpu[remote]'") from None
    found, path = fsspec.core.url_to_fs(url)
    return found, path


def _size_in_store(filesystem: Any, path: str) -> Optional[int]:
    info = filesystem.info(path)
    if info.get("type") == "directory":
        raise IsADirectoryError(21, "is a folder")
    return info["size"] if isinstance(info.get("size"), int) else None


@contextlib.contextmanager
def _opened(url: str) -> Iterator[Tuple[Any, Optional[int]]]:
    """What can be read, and its size if it is told. Errors are BatchError."""
    try:
        if re.match(r"https?://", url, re.I):
            request = urllib.request.Request(url, headers={"Accept-Encoding": "identity"})
            with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:
                length = response.headers.get("Content-Length") or ""
                yield response, int(length) if length.isdigit() else None
        else:
            filesystem, path = _filesystem(url)
            size = _size_in_store(filesystem, path)
            with filesystem.open(path, "rb") as source:
                yield source, size
    except BatchError:
        raise
    except http.client.HTTPException as error:
        raise BatchError(TRANSIENT, f"{url}: the transfer ended early: {error!r}") from None
    except Exception as error:  # stores have classes of their own
        raise _error_of(url, error) from None


def fetch(url: str, target: pathlib.Path, planned: Optional[Dict[str, Any]] = None) -> Dict[str, Any]:
    """Writes the object to a file; its size and hash. With planned, anything but that content is refused."""
    with _opened(url) as (source, size):
        if planned is not None and size not in (None, planned["size"]):
            raise _changed(url, f"it has {size} bytes, not {planned['size']}")
        with open(target, "wb") as file:
            shutil.copyfileobj(source, file, _BLOCK)
    found = {"size": target.stat().st_size, "content": files.content_of(target)}
    if size not in (None, found["size"]):
        raise BatchError(TRANSIENT, f"{url}: the transfer ended after {found['size']} of {size} bytes")
    if planned is not None and found["content"] != planned["content"]:
        raise _changed(url, "its content is another")
    return found


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

    def get(self, url: str, planned: Optional[Dict[str, Any]] = None) -> Tuple[pathlib.Path, Dict[str, Any]]:
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
