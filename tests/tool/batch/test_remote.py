#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Videos under URLs, from an HTTP server of this test: the results are those of files; objects that are missing, cut,
replaced or damaged on the way, a server that fails or is gone. With the package fsspec also file:// and memory://, with
s3fs and moto[server] also s3://.

    test_remote.py TOOL [--all]      --all: without these packages it fails
"""
import hashlib
import http.server
import importlib.util
import json
import logging
import os
import shutil
import sys
import threading

import lab

sys.path.insert(0, str(lab.PACKAGES))
from vmaf_gpu.batch import files  # noqa: E402

MEMORY = """
import fsspec
for name in "ref.mkv", "clip.mkv":
    with fsspec.open("memory://" + name, "wb") as file:
        file.write(open({folder!r} + "/" + name, "rb").read())
"""


class Server:
    """Serves a folder. mode changes what it does with the next requests."""

    def __init__(self, folder):
        self.folder, self.mode = folder, ""
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                path = outer.folder / self.path.split("?")[0].lstrip("/")
                if outer.mode.isdigit() or not path.is_file():
                    self.send_error(int(outer.mode) if outer.mode.isdigit() else 404)
                    return
                data = path.read_bytes()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if outer.mode == "cut":
                    data = data[:len(data) // 2]
                if outer.mode == "damaged":
                    data = data[:1000] + bytes([data[1000] ^ 1]) + data[1001:]
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def url(self, name):
        return f"http://127.0.0.1:{self.server.server_address[1]}/{name}?key=1"

    def end(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


class Remote:
    """The lab's commands with a folder for temporary files that has to be empty after each."""

    def __init__(self, table):
        self.table, self.scratch = table, table.folder / "scratch"
        self.scratch.mkdir()

    def run(self, *words, **more):
        env = {"TMPDIR": str(self.scratch), "no_proxy": "127.0.0.1", **more.pop("env", {})}
        at = words.index("--") if "--" in words else len(words)
        said = self.table.run(*words[:at], *self.table.programs, *words[at:], env=env, **more)[1]
        left = [path.name for path in self.scratch.iterdir()]
        lab.expect(not left, f"nothing is left of {words[0]}", left)
        return said

    def plan(self, ref, dis, *words):
        work = self.table.work()
        self.run("plan", self.table.manifest({"id": "p", "ref": ref, "dis": dis}), work, *words)
        return work

    def expect_task(self, work, status, told):
        said = self.run("task", work, 0, status=status)
        lab.expect(told in said, f"status {status}: {told}", said)


def check_right(far, server, whole):
    table = far.table
    work = far.plan(server.url("ref.mkv"), server.url("clip.mkv"))
    tasks = json.loads((work / "plan.json").read_text())["tasks"]
    lab.expect(len(tasks) == 1, "by default a task fetches a video once", len(tasks))
    far.run("task", work, 0)
    table.merge(work)
    lab.expect((work / "results" / "p.csv").read_text() == whole, "the scores of the files", "other scores")
    work = far.plan(server.url("ref.mkv"), table.folder / "clip.mkv", "--frames-per-task", 6)
    far.run("submit", work, "--", "--jobs", 2, "--devices", "cpu")
    table.run("merge", work, *table.programs, "--formats", "csv", "--precision", "max")
    lab.expect((work / "results" / "p.csv").read_text() == whole, "chunks of a URL and a file", "other scores")
    output = table.folder / "score.csv"
    far.run("score", server.url("clip.mkv"), server.url("ref.mkv"), "--format", "csv", "--precision", "max", "-o", output,
            "--work", table.work())
    lab.expect(output.read_text() == whole, "score", "other scores")


def check_planning(far, server):
    """Errors of a plan have the URL and not a temporary name."""
    for name, status, told in (("none.mkv", 65, "404"), ("text.mkv", 65, "text.mkv?key=1: ")):
        said = far.run("plan", far.table.manifest({"ref": server.url("ref.mkv"), "dis": server.url(name)}),
                       far.table.work(), status=status)
        lab.expect(told in said and "vmaf-gpu-fetched" not in said, f"a plan with {name}", said)


def check_faults(far, server):
    clip = server.folder / "clip.mkv"
    good = clip.read_bytes()
    work = far.plan(server.url("ref.mkv"), server.url("clip.mkv"))
    for mode, status, told in (("cut", 75, "the transfer ended after"), ("damaged", 65, "its content is another"),
                               ("503", 75, "503"), ("429", 75, "429"), ("403", 65, "403"), ("404", 65, "404")):
        server.mode = mode
        far.expect_task(work, status, told)
    server.mode = ""
    for what, data in ("its content is another", good[:1000] + bytes([good[1000] ^ 1]) + good[1001:]), \
                      (f"not {len(good)}", good[:-9]):
        clip.write_bytes(data)
        far.expect_task(work, 65, what)
    clip.unlink()
    far.expect_task(work, 65, "404")
    clip.write_bytes(good)
    far.expect_task(work, 0, "")
    shutil.rmtree(work / "parts")
    (work / "parts").mkdir()
    left = far.scratch / f"vmaf-gpu-fetched-x.tmp.{lab_host()}.999999999"  # left by a process that was killed
    left.mkdir()
    (left / "0.mkv").write_bytes(good)
    far.expect_task(work, 0, "")
    shutil.rmtree(work / "parts")
    (work / "parts").mkdir()
    server.end()
    far.expect_task(work, 75, "refused")


def lab_host():
    return files.host()


def check_stores(far, folder, whole, is_demanded):
    """fsspec carries all other requests."""
    table = far.table
    if importlib.util.find_spec("fsspec") is None:
        said = far.run("plan", table.manifest({"ref": "s3://b/r.mkv", "dis": "s3://b/d.mkv"}), table.work(), status=64)
        lab.expect("pip install 'vmaf-gpu[remote]'" in said, "what to install", said)
        lab.expect(not is_demanded, "the package fsspec")
        print("SKIPPED: file:// and memory:// (fsspec is not installed)")
        return
    for start, before in (f"file://{folder}/", ""), ("memory://", MEMORY.format(folder=str(folder))):
        work = table.work()
        manifest = table.manifest({"id": "p", "ref": start + "ref.mkv", "dis": start + "clip.mkv"})
        far.run("plan", manifest, work, before=before)
        far.run("task", work, 0, before=before)
        table.merge(work)
        lab.expect((work / "results" / "p.csv").read_text() == whole, f"the scores of {start}", "other scores")
    (work / "parts" / json.loads((work / "plan.json").read_text())["tasks"][0]["members"][0]["key"]).with_suffix(
        ".part").unlink()
    said = far.run("task", work, 0, status=65)
    lab.expect("memory://" in said and "no such object" in said, "an object that is missing", said)
    said = far.run("plan", table.manifest({"ref": "what://x", "dis": "what://y"}), table.work(), status=64)
    lab.expect("what" in said, "an unknown kind of store", said)


def check_s3(far, folder, whole, is_demanded):
    """s3:// by s3fs, from a server that speaks the store's protocol."""
    lacking = [name for name in ("s3fs", "moto") if importlib.util.find_spec(name) is None]
    if lacking:
        lab.expect(not is_demanded, f"the packages {', '.join(lacking)}")
        print(f"SKIPPED: s3:// ({', '.join(lacking)} not installed)")
        return
    import boto3  # pylint: disable=import-outside-toplevel
    from moto.server import ThreadedMotoServer  # pylint: disable=import-outside-toplevel
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    env = {"AWS_ENDPOINT_URL": "http://127.0.0.1:%d" % server.get_host_and_port()[1], "AWS_ACCESS_KEY_ID": "id",
           "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "us-east-1"}
    os.environ.update(env)
    store = boto3.client("s3")
    store.create_bucket(Bucket="videos")
    for name in "ref.mkv", "clip.mkv":
        store.upload_file(str(folder / name), "videos", f"a folder/{name}")
    table, work = far.table, far.table.work()
    manifest = table.manifest({"id": "p", "ref": "s3://videos/a folder/ref.mkv", "dis": "s3://videos/a folder/clip.mkv"})
    far.run("plan", manifest, work)
    far.run("task", work, 0)
    table.merge(work)
    lab.expect((work / "results" / "p.csv").read_text() == whole, "the scores of s3://", "other scores")
    shutil.rmtree(work / "parts")
    (work / "parts").mkdir()
    store.upload_file(str(folder / "ref.mkv"), "videos", "a folder/clip.mkv")
    far.expect_task(work, 65, "has changed")
    store.delete_object(Bucket="videos", Key="a folder/clip.mkv")
    far.expect_task(work, 65, "no such object")
    said = far.run("plan", table.manifest({"id": "p", "ref": "s3://none/r.mkv", "dis": "s3://none/d.mkv"}), table.work(),
                   status=65)
    lab.expect("s3://none/r.mkv" in said, "a bucket that is missing", said)
    server.stop()
    far.expect_task(work, 75, "s3://videos")


def check_hash(folder):
    """A file is hashed in pieces, side by side."""
    files.PIECE = 1000
    path = folder / "bytes"
    for size in 0, 1, 999, 1000, 1001, 2000, 12345:
        data = os.urandom(size)
        path.write_bytes(data)
        pieces = [hashlib.sha256(data[at:at + 1000]).digest() for at in range(0, size, 1000)]
        wanted = hashlib.sha256(b"".join(pieces)).hexdigest()
        lab.expect(files.content_of(path) == wanted, f"the hash of a file of {size} bytes", "another")


def main():
    with lab.prepared() as table:
        reference = table.reference(seconds=0.6)
        clip = table.folder / "clip.mkv"
        lab.ffmpeg("-i", reference, "-c:v", "libx264", "-crf", "34", "-x264-params", "keyint=6:scenecut=0:threads=1", clip)
        (table.folder / "text.mkv").write_text("not a video\n")
        whole = table.whole(clip, reference)
        far, server = Remote(table), Server(table.folder)
        check_right(far, server, whole)
        check_planning(far, server)
        check_stores(far, table.folder, whole, "--all" in sys.argv)
        check_s3(far, table.folder, whole, "--all" in sys.argv)
        check_faults(far, server)
        check_hash(table.folder)
    return lab.finish("videos under URLs", 50)


if __name__ == "__main__":
    sys.exit(main())
