#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Names of files, titles and ids that look like something else, outputs that are inputs, turned videos.

    test_names.py TOOL
"""
import concurrent.futures
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys

import lab


def check_outputs(table, reference):
    """A result never takes the place of a video that was read."""
    before = reference.read_bytes()
    link = table.folder / "link.mkv"
    link.symlink_to(reference)
    for words in ("score", reference, reference), ("ladder", reference, reference):
        for output in reference, link, table.folder, table.folder / "none" / "x.json":
            table.run(*words, *table.programs, "-o", output, "--work", table.work(), status=64)
    lab.expect(reference.read_bytes() == before, "the reference is as it was")
    notes = table.folder / "notes.txt"
    notes.write_text("written by hand\n")
    table.run("score", reference, reference, *table.programs, "-o", notes, "--work", table.work(), status=64)
    lab.expect(notes.read_text() == "written by hand\n", "notes are as they were")
    for output, text in ("", "is no name"), ("-", "is no name"), ("/dev/fd/x.json", "/dev/fd/x.json: No such file"):
        said = table.run("score", reference, reference, *table.programs, "-o", output, "--work", table.work(), status=64)[1]
        lab.expect(text in said and "pairs" not in said, f"--output '{output}' is refused before the work", said)
    said = table.run("score", reference, reference, *table.programs, "--work", "/dev/fd/parts", status=64)[1]
    lab.expect("/dev/fd/parts: No such file" in said and "--work" in said, "a folder that cannot be made", said)
    table.run("score", reference, reference, *table.programs, "-o", table.folder / ("n" * 250 + ".json"), "--work", table.work())
    notes.write_text("")
    for form in "json", "csv", "xml", "html", "json":  # each file replaces the one before
        table.run("score", reference, reference, *table.programs, "-o", notes, "--format", form, "--work", table.work())
    for name, begin in ("log.CSV", "Frame,"), ("log.xml", "<VMAF"), ("log.html", "<!DOCTYPE html"), ("log.sub", "{"), ("csv", "{"):
        table.run("score", reference, reference, *table.programs, "-o", table.folder / name, "--work", table.work())
        begun = (table.folder / name).read_text()[:20]
        lab.expect(begun.startswith(begin), f"the format of {name}", begun)


def check_full(table, reference):
    """What cannot be written is named."""
    said = table.run("--help", before="import os\nos.dup2(os.open('/dev/full', os.O_WRONLY), 1)\n", status=75)[1]
    lab.expect("vmaf-gpu: standard output: No space left on device" in said, "help that is not read", said)
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))\n"
    said = table.run("score", reference, reference, *table.programs, "--work", table.work(), before=limit, status=64)[1]
    lab.expect(".json: File too large" in said, "the file that is too large", said)


def check_ids(table, reference):
    """Pairs whose names begin alike keep their own logs."""
    work = table.plan("auto", *({"id": name, "ref": reference, "dis": reference} for name in ("a.exact", "a")))
    table.submit(work)
    table.merge(work)
    found = sorted(path.name for path in (work / "results").iterdir())
    lab.expect(found == ["a.csv", "a.exact.csv", "a.exact.json", "a.json"], "a log for each pair", found)


def check_unread(table, reference):
    """Results are written before anything is printed."""
    pair = [reference, reference, *table.programs]
    full = "import os\nos.dup2(os.open('/dev/full', os.O_WRONLY), 1)\n"
    closed = "import sys\nsys.stdout = None\n"  # as Python has it if the descriptor is closed
    for name, before, status in ("unread", lab.UNREAD, 141), ("full", full, 75), ("closed", closed, 0):
        for unbuffered in "", "1":
            for command in "score", "ladder":
                output = table.folder / f"{name}{unbuffered}.{command}"
                said = table.run(command, *pair, "-o", output, "--work", table.work(), before=before, status=status,
                                 env={"PYTHONUNBUFFERED": unbuffered})[1]
                is_told = name != "full" or "vmaf-gpu: standard output: No space left on device" in said
                lab.expect(output.exists() and "Exception" not in said and is_told, f"{command} to a {name} pipe", said)
    for command in "score", "ladder":
        output = table.folder / f"silent.{command}"
        table.run(command, *pair, "-o", output, "--work", table.work(), before="import sys\nsys.stderr = None\n")
        lab.expect(output.exists(), f"{command} without standard error", output)
        said = table.run(command, *pair, "--scale", "bicubic", "--work", table.work(), status=64)[1]
        lab.expect("--scale" in said, "no abbreviation of --scaler", said)


def check_folder(table, reference):
    """A folder is used by one process at a time, and a folder without a plan is removed."""
    work, here = table.work(), table.folder / "here"
    work.mkdir()
    here.mkdir()
    pair, there = [reference, reference, *table.programs], f"import os\nos.chdir('{here}')\n"
    with open(work / "lock", "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        for command in "score", "ladder":
            said = table.run(command, *pair, "--work", work, status=75)[1]
            lab.expect("another vmaf-gpu is at work there" in said, "a folder that is used", said)
    table.run("score", *pair, "--work", work)
    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        calls = [threads.submit(table.run, "score", *pair, before=there, status=None) for _ in range(3)]
        found = sorted(call.result() for call in calls)
    lab.expect(found[0][0] == 0 and all(code == 0 or code == 75 and "another vmaf-gpu" in said for code, said in found),
               "the same command three times", found)
    table.run("score", "none.mkv", reference, *table.programs, before=there, status=65)
    small = table.folder / "small.mkv"
    lab.ffmpeg("-i", reference, "-vf", "scale=64:48", "-c:v", "ffv1", small)
    for words, status, text in (([small, reference], 65, "scale one of them, e.g. --display "),
                                ([reference, reference, "--model", "nosuch"], 64, "no built-in model 'nosuch'")):
        said = table.run("score", *words, *table.programs, before=there, status=status)[1]
        lab.expect(text in said, f"status {status}", said)
    for command in "score", "ladder":  # too small for the model, which shows when a part is to be scored
        said = table.run(command, *pair, "--model", "version=vmaf_v1.0.16_3d0h", before=there, status=65)[1]
        lab.expect("cambi" in said and "are kept" not in said, "nothing to go on from", said)
    lab.expect(not list(here.iterdir()), "folders that stay", list(here.iterdir()))


def check_titles(table, reference):
    """Names and titles are in the messages of ffmpeg; they are no errors."""
    odd = table.folder / "a] [error] b;'$(x) [c].mkv"
    lab.ffmpeg("-i", reference, "-c", "copy", "-metadata", "title=x] [error] y", odd)
    table.run("score", odd, reference, *table.programs, "--work", table.work())


def check_bytes(table, reference):
    """Names that are no text, on an output that takes only text."""
    odd = os.fsdecode(os.fsencode(table.folder / "d") + b"\xff.mkv")
    pathlib.Path(odd).write_bytes(reference.read_bytes())
    output = table.folder / "ladder.csv"
    table.run("ladder", reference, odd, *table.programs, "--work", table.work(), "-o", output,
              env={"PYTHONIOENCODING": "utf-8:strict"})
    lab.expect(os.fsencode(odd) in output.read_bytes(), "the table has the name")
    accented = table.folder / "\u00fc.mkv"
    accented.write_bytes(reference.read_bytes())
    table.run("score", accented, reference, *table.programs, "--work", table.work(), env={"PYTHONUTF8": "0", "LC_ALL": "C.utf8"})
    said = table.run("score", f"{odd}\n", reference, *table.programs, "--work", table.work(), status=64)[1]
    lab.expect("expected the path or URL of a video, without a line break" in said, "why a name is refused", said)
    search = ["--encoder", "libx264", "--target", "1", "--cache", table.folder / "cache", *table.programs]
    said = table.run("search", table.folder / "a\nb.mkv", *search, status=64)[1]
    lab.expect("the command line: ref: " in said and "without a line break" in said, "search refuses it, too", said)
    numbers = table.folder / "q%d.png"
    lab.ffmpeg("-i", reference, "-frames:v", "1", "-update", "1", table.folder / "q.png")
    shutil.copyfile(table.folder / "q.png", numbers)
    for words in ["score", numbers, reference, *table.programs], ["search", numbers, *search]:
        said = table.run(*words, status=65)[1]
        lab.expect(f"{numbers}: ffmpeg takes %d in a name for the numbers of pictures" in said, f"{words[0]}: a name with %d", said)


def latin_locale(folder):
    """The environment of a locale in ISO-8859-1, made here since few machines have one. None if that is not possible."""
    if shutil.which("localedef") is None:
        return None
    codes = "".join(f"<U{code:04X}> /x{code:02x}\n" for code in range(256))
    (folder / "map").write_text("<code_set_name> ISO-8859-1\n<comment_char> %\n<escape_char> /\n<mb_cur_min> 1\n<mb_cur_max> 1\n"
                                f"CHARMAP\n{codes}END CHARMAP\n")
    (folder / "source").write_text("LC_CTYPE\nupper <U0041>..<U005A>\nlower <U0061>..<U007A>\nEND LC_CTYPE\n")
    # The status is 1 for warnings: all other categories are missing.
    subprocess.run(["localedef", "-c", "-i", folder / "source", "-f", folder / "map", folder / "latin"], check=False,
                   capture_output=True)
    return {"LOCPATH": str(folder), "LC_ALL": "latin"} if (folder / "latin").is_dir() else None


def encoding_of(env):
    """What Python takes for the encoding of names."""
    asked = [sys.executable, "-c", "import sys; print(sys.getfilesystemencoding())"]
    return subprocess.run(asked, capture_output=True, text=True, check=True, env={**os.environ, **env}).stdout.strip()


def check_locales(table, reference):
    """Where the locale's names are not UTF-8, the program, its workers and its files still read the same names."""
    plain = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    lab.expect(encoding_of(plain) == "ascii", "the encoding of the first locale", encoding_of(plain))
    accented = table.folder / "l\u00e4.mkv"
    accented.write_bytes(reference.read_bytes())
    path = table.folder / "accented.jsonl"
    path.write_text(json.dumps({"ref": "l\u00e4.mkv", "dis": "l\u00e4.mkv"}, ensure_ascii=False), encoding="utf-8")
    table.run("plan", path, table.work(), *table.programs, env=plain)
    latin = latin_locale(table.folder)
    if latin is None:
        print("SKIPPED: a locale in ISO-8859-1 (localedef cannot make one)")
        return
    latin["PYTHONUTF8"] = "0"
    lab.expect(encoding_of(latin) == "iso8859-1", "the encoding of the second locale", encoding_of(latin))
    odd = os.fsdecode(os.fsencode(table.folder / "l") + b"\xfc.mkv")
    pathlib.Path(odd).write_bytes(reference.read_bytes())
    for video, name in (odd, b"o\xd6.json"), (accented, b"o\xc3\x96.json"):
        output = os.fsdecode(os.fsencode(table.folder / "o") + name)
        table.run("score", video, reference, *table.programs, "--work", table.work(), "-o", output, env=latin)
        lab.expect(os.path.exists(output), "the log has its name", os.listdir(table.folder))
    table.run("ladder", reference, odd, accented, *table.programs, "--work", table.work(), env=latin)
    words = ["score", odd, accented, *table.programs, "-q", "--work", table.work(), "-o", table.folder / "m.json"]
    done = subprocess.run([sys.executable, "-B", "-m", "vmaf_gpu.batch", *words], cwd=table.folder, check=False,
                          env={**os.environ, **latin, "PYTHONPATH": str(lab.PACKAGES)})
    lab.expect(done.returncode == 0 and (table.folder / "m.json").exists(), "python -m vmaf_gpu.batch", done)


def check_manifests(table, reference):
    path = table.folder / "odd.jsonl"
    for what in ('"dis": "\\ud800"', '"dis": "a", "tags": {"x": NaN}', '"dis": "a", "tags": {"x": 1e999}'):
        path.write_text('{"ref": "b", ' + what + "}")
        table.run("plan", path, table.work(), *table.programs, status=64)
    pair = {"ref": str(reference), "dis": str(reference), "tags": {"x": "a\u2028b\x85"}}
    path.write_text(json.dumps(pair, ensure_ascii=False), encoding="utf-8")
    work = table.work()
    table.run("plan", path, work, *table.programs)
    for word in (), ("\u00b2",):
        table.run("submit", work, *table.programs, "--", "--jobs", *word, status=64)
    table.run("task", work, *table.programs, status=64, env={"SLURM_ARRAY_TASK_ID": "\u00b2"})


def check_turned(table):
    """ffmpeg turns a video before the first filter: its width is then the other one."""
    upright, turned, baked = (table.folder / name for name in ("upright.mp4", "turned.mp4", "baked.mp4"))
    lab.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=96x64:d=0.4", "-c:v", "libx264", upright)
    lab.ffmpeg("-i", upright, "-c", "copy", "-metadata:s:v", "rotate=90", turned)
    lab.ffmpeg("-i", turned, "-vf", "scale=32:48", "-c:v", "libx264", baked)
    table.run("ladder", turned, baked, turned, *table.programs, "--work", table.work())


def main():
    options = lab.options()
    with lab.prepared(options.tool) as table:
        reference = table.reference(seconds=0.4)
        for check in check_outputs, check_full, check_unread, check_folder, check_ids, check_titles, check_bytes, check_locales, check_manifests:
            check(table, reference)
        if "libx264" in lab.encoders():
            check_turned(table)
    return lab.finish("names, titles, ids and outputs", 20)


if __name__ == "__main__":
    sys.exit(main())
