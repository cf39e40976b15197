#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""packaging/release/pack.py on folders made here: the same bytes of two folders, sums that agree, an
SPDX document with what the standard asks for, and no archive of what would not run elsewhere.
scripts/release.sh names what it lacks. Building a release is scripts/ci/test-release.sh's.

    test_release.py SOURCE_ROOT
"""
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(sys.argv.pop() if len(sys.argv) > 1 else ".").resolve()
NAME = "vmaf_gpu-9.9.9-linux-x86_64"
EPOCH = 1700000000
PARTS = [{"name": "libx264-dev", "version": "2:0.164.3095+gitbaee400-3", "source": "x264",
          "licence": "GPL-2.0-or-later", "link": "static"},
         {"name": "highway", "version": "1.0.3-3+deb12u1", "source": "highway",
          "licence": "Apache-2.0 OR BSD-3-Clause", "link": "headers"},
         {"name": "ffmpeg", "version": "7.1.5", "source": "ffmpeg", "licence": "GPL-3.0-or-later",
          "link": "programs", "purl": False}]
GIT = ["git", "-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"]


def compiled(path, code="int main(void) { return 0; }", *flags):
    subprocess.run([os.environ.get("CC", "cc"), "-x", "c", "-", "-x", "none", "-o", str(path), *flags],
                   input=code, text=True, check=True)


class Pack(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(tempfile.mkdtemp())
        compiled(cls.work / "program")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    def stage(self, name, order=1, mode=0o755):
        """Writes the same content in another order, with other modes and times."""
        stage = self.work / name
        shutil.rmtree(stage, ignore_errors=True)
        files = [("bin/vmaf_gpu", self.work / "program"), ("include/a.h", b"/* a */\n"),
                 ("lib/libvmaf_gpu.so.9", self.work / "program"), ("licences/x/copyright", b"free\n"),
                 ("README.md", b"read\n")]
        for path, content in files[::order]:
            file = stage / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                file.write_bytes(content)
            else:
                shutil.copyfile(content, file)
            file.chmod(mode)
            os.utime(file, (order + 5, order + 5))
        (stage / "lib/libvmaf_gpu.so").symlink_to("libvmaf_gpu.so.9")
        return stage

    def pack(self, stage, out, *more, glibc="2.99", succeeds=True):
        (self.work / "parts.json").write_text(json.dumps(PARTS))
        (self.work / "notes.md").write_text("- new\n")
        done = subprocess.run(
            [sys.executable, ROOT / "packaging/release/pack.py", "--stage", stage, "--components",
             self.work / "parts.json", "--name", NAME, "--version", "9.9.9", "--epoch", str(EPOCH),
             "--notes", self.work / "notes.md", "--glibc", glibc, *more, self.work / out],
            capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode == 0, succeeds, done.stderr)
        if not succeeds:
            self.assertFalse((self.work / out).exists(), "something was written")
        return done.stderr

    def document(self):
        self.pack(self.stage("stage"), "out")
        return json.loads((self.work / "out" / (NAME + ".spdx.json")).read_text())

    def test_two_folders_give_the_same_bytes(self):
        self.pack(self.stage("one"), "first")
        self.pack(self.stage("two", order=-1, mode=0o700), "second")
        names = sorted(path.name for path in (self.work / "first").iterdir())
        self.assertEqual(names, ["SHA256SUMS", NAME + ".notes.md", NAME + ".spdx.json", NAME + ".tar.xz"])
        for name in names:
            self.assertEqual((self.work / "first" / name).read_bytes(),
                             (self.work / "second" / name).read_bytes(), name)
        done = subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], check=False,
                              cwd=self.work / "first", capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count(": OK\n"), 3)

    def test_archive(self):
        self.pack(self.stage("stage"), "out")
        with tarfile.open(self.work / "out" / (NAME + ".tar.xz")) as tar:
            entries = tar.getmembers()
        self.assertEqual(len(entries), 12)
        self.assertEqual([entry.name.split("/")[0] for entry in entries], [NAME] * 12)
        # A file system gives the same order for two folders, another one another.
        paths = [pathlib.PurePath(entry.name) for entry in entries]
        self.assertEqual(paths, sorted(paths))
        for entry in entries:
            self.assertEqual((entry.uid, entry.gid, entry.uname, entry.gname, entry.mtime),
                             (0, 0, "root", "root", EPOCH), entry.name)
            is_program = entry.isdir() or entry.issym() or "/bin/" in entry.name or ".so" in entry.name
            self.assertEqual(entry.mode, 0o755 if is_program else 0o644, entry.name)
        links = {entry.name: entry.linkname for entry in entries if entry.issym()}
        self.assertEqual(links, {NAME + "/lib/libvmaf_gpu.so": "libvmaf_gpu.so.9"})

    def test_refused(self):
        stage = self.stage("stage")
        self.assertIn("needs glibc 2.", self.pack(stage, "none", glibc="2.2", succeeds=False))
        self.assertIn("contains the path /lib64/ld", self.pack(
            stage, "none", "--forbid", "/lib64/ld", succeeds=False))
        compiled(stage / "lib/libother.so", "int other(void) { return 1; }", "-shared", "-fPIC",
                 "-Wl,-soname,libother.so.1")
        compiled(stage / "bin/other", "int other(void); int main(void) { return other(); }",
                 str(stage / "lib/libother.so"))
        self.assertIn("bin/other: needs libother.so.1, which is neither",
                      self.pack(stage, "none", succeeds=False))
        os.rename(stage / "lib/libother.so", stage / "lib/libother.so.1")
        self.pack(stage, "with-library")
        compiled(stage / "lib/libstdc++.so.6", "int other(void) { return 1; }", "-shared", "-fPIC",
                 "-Wl,-soname,libstdc++.so.6")
        compiled(stage / "bin/other", "int other(void); int main(void) { return other(); }",
                 str(stage / "lib/libstdc++.so.6"))
        self.assertIn("needs libstdc++.so.6; link it statically", self.pack(stage, "none", succeeds=False))
        empty = self.work / "empty"
        empty.mkdir()
        self.assertIn("no program", self.pack(empty, "none", succeeds=False))

    def test_document_has_what_spdx_asks_for(self):
        document = self.document()
        self.assertEqual((document["spdxVersion"], document["dataLicense"], document["SPDXID"]),
                         ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT"))
        self.assertEqual(document["name"], NAME)
        self.assertRegex(document["documentNamespace"], r"^[a-z]+:[^#\s]+$")
        self.assertEqual(document["creationInfo"]["created"], "2023-11-14T22:13:20Z")
        for creator in document["creationInfo"]["creators"]:
            self.assertRegex(creator, r"^(Tool|Organization|Person): \S")
        ids = [entry["SPDXID"] for kind in ("packages", "files") for entry in document[kind]]
        self.assertEqual(len(set(ids)), len(ids))
        for identifier in ids:
            self.assertRegex(identifier, r"^SPDXRef-[A-Za-z0-9.-]+$")
        for link in document["relationships"]:
            self.assertIn(link["spdxElementId"], ids + ["SPDXRef-DOCUMENT"])
            self.assertIn(link["relatedSpdxElement"], ids)
        kinds = [link["relationshipType"] for link in document["relationships"]]
        self.assertEqual({kind: kinds.count(kind) for kind in set(kinds)},
                         {"DESCRIBES": 1, "CONTAINS": 5, "STATIC_LINK": 1, "DEPENDS_ON": 2})
        self.assertEqual(len(document["packages"]), 4)
        for package in document["packages"]:
            for field in ("name", "versionInfo", "downloadLocation", "licenseConcluded",
                          "licenseDeclared", "copyrightText", "supplier"):
                self.assertTrue(package[field], field)
            self.assertEqual("packageVerificationCode" in package, package["filesAnalyzed"])
            self.assertRegex(package["licenseDeclared"], r"^[\w.-]+( (AND|OR|WITH) [\w.-]+)*$")
        self.assertEqual(document["packages"][0]["licenseDeclared"],
                         "BSD-2-Clause-Patent AND LGPL-2.1-or-later AND GPL-3.0-or-later")

    def test_document_agrees_with_the_archive(self):
        document = self.document()
        archive = self.work / "out" / (NAME + ".tar.xz")
        main = document["packages"][0]
        self.assertEqual(main["checksums"], [{
            "algorithm": "SHA256", "checksumValue": hashlib.sha256(archive.read_bytes()).hexdigest()}])
        listed = {entry["fileName"]: {sum_["algorithm"]: sum_["checksumValue"] for sum_ in entry["checksums"]}
                  for entry in document["files"]}
        found = {}
        with tarfile.open(archive) as tar:
            for entry in tar:
                if entry.isreg():
                    data = tar.extractfile(entry).read()
                    found["." + entry.name.removeprefix(NAME)] = {
                        "SHA1": hashlib.sha1(data).hexdigest(), "SHA256": hashlib.sha256(data).hexdigest()}
        self.assertEqual(listed, found)
        # Section 7.9 of the standard: the sums in order, one after the other.
        code = hashlib.sha1("".join(sorted(sums["SHA1"] for sums in found.values())).encode()).hexdigest()
        self.assertEqual(main["packageVerificationCode"], {"packageVerificationCodeValue": code})

    def test_notes_name_the_parts(self):
        self.pack(self.stage("stage"), "out")
        notes = (self.work / "out" / (NAME + ".notes.md")).read_text()
        self.assertTrue(notes.startswith("- new\n"))
        self.assertIn("| libx264-dev | 2:0.164.3095+gitbaee400-3 | static | GPL-2.0-or-later |", notes)


class PackZip(unittest.TestCase):
    """The archive for Windows."""
    NAME = "vmaf_gpu-9.9.9-windows-x86_64"
    PARTS = ["ffmpeg|7.1.5|programs|ffmpeg", "libhwy-dev|1.0.3-3+deb12u1|headers|highway"]

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work)

    def pack(self, name, order=1, parts=PARTS, status=0):
        stage, out = self.work / name, self.work / (name + "-out")
        files = [("a.exe", "MZ"), ("licences/b.txt", "free"), ("README.md", "read")]
        files += [(f"licences/{name}.txt", name) for name in "xkqdzmtfw"] # a folder's order is not sorted
        for path, text in files[::order]:
            (stage / path).parent.mkdir(parents=True, exist_ok=True)
            (stage / path).write_text(text)
            os.utime(stage / path, (order + 5, order + 5))
        done = subprocess.run(
            [sys.executable, "-B", ROOT / "packaging/release/pack_zip.py", "--stage", stage, "--name", self.NAME,
             "--version", "9.9.9", "--epoch", str(EPOCH), *(f"--part={part}" for part in parts), out],
            capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return out if status == 0 else done.stderr

    def test_same_bytes(self):
        one, two = self.pack("one"), self.pack("two", order=-1)
        for name in (".zip", ".spdx.json"):
            self.assertEqual((one / (self.NAME + name)).read_bytes(), (two / (self.NAME + name)).read_bytes())

    def test_content_and_document(self):
        out = self.pack("one")
        data = (out / (self.NAME + ".zip")).read_bytes()
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            self.assertEqual(archive.namelist(), [f"{self.NAME}/{name}" for name in
                                                  ("README.md", "a.exe", *(f"licences/{one}.txt" for one in "bdfkmqtwxz"))])
        document = json.loads((out / (self.NAME + ".spdx.json")).read_text())
        main = document["packages"][0]
        self.assertEqual(main["checksums"][0]["checksumValue"], hashlib.sha256(data).hexdigest())
        self.assertEqual(main["licenseDeclared"], "BSD-2-Clause-Patent AND LGPL-2.1-or-later")
        self.assertEqual([part["name"] for part in document["packages"][1:]], ["ffmpeg", "libhwy-dev"])
        self.assertEqual([(file["fileName"], file["fileTypes"]) for file in document["files"]][:3],
                         [("./README.md", ["TEXT"]), ("./a.exe", ["BINARY"]), ("./licences/b.txt", ["TEXT"])])
        sums = dict(reversed(line.split()) for line in (out / "SHA256SUMS").read_text().splitlines())
        self.assertEqual(set(sums), {self.NAME + ".zip", self.NAME + ".spdx.json"})
        self.assertEqual(sums[self.NAME + ".zip"], hashlib.sha256(data).hexdigest())

    def test_refusals(self):
        self.assertIn("no licence is known of x", self.pack("one", parts=["a|1|static|x"], status=1))
        self.assertIn("expected NAME|VERSION|HOW|SOURCE", self.pack("one", parts=["a||static|zlib"], status=1))


class Script(unittest.TestCase):
    """scripts/release.sh in a repository of its own, up to where it would build."""

    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.addCleanup(self.work.cleanup)
        self.tree = pathlib.Path(self.work.name, "tree")
        shutil.copytree(ROOT / "scripts", self.tree / "scripts")
        for name in ("meson.build", "NEWS.md"):
            shutil.copy(ROOT / name, self.tree)

    def git(self, *words):
        subprocess.run([*GIT, *words], cwd=self.tree, check=True, capture_output=True)

    def commit(self):
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "all")

    def release(self, *words, succeeds=False, **variables):
        env = dict(os.environ, GIT_CEILING_DIRECTORIES=self.work.name, **variables)
        env.pop("FFMPEG_LICENSE", None) if "FFMPEG_LICENSE" not in variables else None
        done = subprocess.run([self.tree / "scripts/release.sh", *words], capture_output=True, text=True,
                              check=False, timeout=60, env=env)
        self.assertEqual(done.returncode == 0, succeeds, done.stdout + done.stderr)
        self.assertFalse((self.tree / "build/release").exists(), "it has begun to build")
        return done.stdout + done.stderr

    def test_plan(self):
        self.commit()
        version = re.search(r"^  version: '(.*)',$", (ROOT / "meson.build").read_text(), re.M).group(1)
        for words, variables, name in (
                ([], {}, "linux-x86_64"), (["--without-ffmpeg"], {}, "linux-x86_64-without-ffmpeg"),
                (["--arm64"], {}, "linux-aarch64"),
                (["--without-ffmpeg", "--arm64"], {}, "linux-aarch64-without-ffmpeg"),
                ([], {"FFMPEG_LICENSE": "lgpl"}, "linux-x86_64-lgpl")):
            self.assertIn(f"vmaf_gpu-{version}-{name}.tar.xz ",
                          self.release("--plan", *words, succeeds=True, **variables))

    def test_refused(self):
        self.assertIn("git clone", self.release("--plan"))
        self.commit()
        self.assertIn("--nonsense: --without-ffmpeg", self.release("--nonsense"))
        with open(self.tree / "NEWS.md", "a", encoding="utf-8") as file:
            file.write("more\n")
        self.assertIn("NEWS.md", self.release("--plan"))
        text = (ROOT / "NEWS.md").read_text()
        (self.tree / "NEWS.md").write_text(re.sub(r"^## .*", "## 99.9", text, flags=re.M))
        self.git("commit", "-q", "-a", "-m", "news")
        self.assertIn("has no section", self.release("--plan"))


if __name__ == "__main__":
    if shutil.which("git") is None or shutil.which("objdump") is None:
        print("SKIP: no git or no objdump")
        sys.exit(77)
    unittest.main(verbosity=1)
