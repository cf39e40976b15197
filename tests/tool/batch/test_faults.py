#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Workers that are killed at each step, full disks, damaged and foreign parts, inputs that change, wrong bits:
after each of them there is no result or the right one, and running again goes on.

    test_faults.py TOOL [--all]
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import lab

KILL_AT = """
import os, signal
import vmaf_gpu.batch.files as files
steps = 0
def step(name):
    global steps
    steps += 1
    if steps == {number}:
        os.kill(os.getpid(), signal.SIGKILL)
files.step = step
"""


# Takes the right to write everywhere from root, and from what it starts.
LESS_THAN_ROOT = """
import ctypes
system, header, rights = ctypes.CDLL(None), (ctypes.c_uint32 * 2)(0x20080522), (ctypes.c_uint32 * 6)()
system.prctl(24, 1, 0, 0, 0)
system.capget(header, rights)
rights[0], rights[1] = rights[0] & ~2, rights[1] & ~2
system.capset(header, rights)
"""


def clips(table):
    reference = table.reference(seconds=1)
    clip = table.folder / "clip.mp4"
    if not clip.exists():
        lab.ffmpeg("-i", reference, "-c:v", "libx264", "-crf", "32", "-x264-params",
                   "keyint=6:min-keyint=6:scenecut=0:threads=1:bframes=2", clip)
    return {"id": "p", "ref": reference, "dis": clip}


def result(work):
    path = work / "results" / "p.csv"
    return path.read_text() if path.exists() else None


def check_right(table, work, whole, what, again=True):
    """Running again gives the right result."""
    if again:
        table.submit(work)
    table.merge(work)
    lab.expect(result(work) == whole, what, "other scores")
    left = [path.name for path in (work / "parts").iterdir() if ".tmp." in path.name]
    lab.expect(not left, f"nothing is left behind after {what}", left)


def check_kills(table, whole):
    """SIGKILL at each step of writing, until a task has so few steps that it ends."""
    number, code = 0, -9
    while code == -9 and number < 20:
        number += 1
        work = table.plan(10, clips(table))
        code, _ = table.run("task", work, 1, *table.programs, status=None, before=KILL_AT.format(number=number))
        lab.expect(code in (0, -9), "the task is killed or done", code)
        for part in (work / "parts").glob("*.part"):
            lab.expect("rows" in json.loads(part.read_text()), "a part with that name is whole", part)
        check_right(table, work, whole, f"a kill at step {number}")
    lab.expect(5 < number < 20, "steps of a task", number)


MEETING = """
import threading
import vmaf_gpu.batch.files as files
both = threading.Barrier(2)
def meet(name):
    if name == 'before rename' and threading.current_thread() is not threading.main_thread():
        both.wait(10)
files.step = meet
"""


def check_copies(table):
    """The index of a video and that of its copy have one name, and are written at the same time."""
    reference = table.reference(seconds=1)
    copy = table.folder / "copy.mkv"
    shutil.copyfile(reference, copy)
    table.run("plan", table.manifest({"id": "p", "ref": reference, "dis": copy}), table.folder / "copies", *table.programs,
              before=MEETING)


def check_two_workers(table, whole):
    work = table.plan(10, clips(table))
    words = [sys.executable, "-m", "vmaf_gpu.batch", "task", str(work), "1", *table.programs]
    environment = {**os.environ, "PYTHONPATH": str(lab.PACKAGES)}
    both = [subprocess.Popen(words, env=environment) for _ in range(3)]
    lab.expect([child.wait(60) for child in both] == [0, 0, 0], "three workers on one task")
    check_right(table, work, whole, "three workers on one task")


def part_of(work, begin):
    plan = json.loads((work / "plan.json").read_text())
    key = next(task["members"][0]["key"] for task in plan["tasks"] if task["begin"] == begin)
    return work / "parts" / f"{key}.part"


def check_parts(table, whole):
    """Damaged, foreign and missing parts."""
    work = table.plan(10, clips(table))
    table.submit(work)
    part = part_of(work, 10)
    good = part.read_bytes()
    other = table.plan(10, {**clips(table), "dis": table.reference(seconds=1)})
    table.submit(other)
    model = table.plan(10, {**clips(table), "models": ["vmaf_v0.6.1neg"]})
    table.submit(model)
    for what, data, status in (("an empty part", b"", 1), ("half a part", good[:len(good) // 2], 1),
                               ("a part of noise", bytes(range(256)) * 9, 1),
                               ("the part of another chunk", part_of(work, 0).read_bytes(), 1),
                               ("a part of another video", part_of(other, 10).read_bytes(), 70),
                               ("a part of another model", part_of(model, 10).read_bytes(), 70)):
        part.write_bytes(data)
        (work / "results" / "p.csv").unlink(missing_ok=True)
        table.merge(work, status=status)
        lab.expect(result(work) is None, f"no result with {what}")
        check_right(table, work, whole, what)
    part.unlink()
    lab.expect("pairs 10 to 19" in table.merge(work, status=1)[1], "a missing part is named")


def check_bits(table, whole):
    """Changes one digit of one score, in an overlap."""
    work = table.plan(10, clips(table))
    table.submit(work)
    part = part_of(work, 10)
    good = part.read_text()

    def with_wrong_digit(row, text=good):
        return re.sub(r"(\[%d, [^\[]*\[0\.\d{6})(\d)" % row, lambda m: m[1] + str((int(m[2]) + 1) % 10), text)

    part.write_text(with_wrong_digit(10))
    lab.expect(part.read_text() != good, "a digit is changed")
    said = table.merge(work, status=70)[1]
    lab.expect("pairs 0 to 9 and pairs 10 to 19 disagree" in said and "pair 10" in said, "the chunks are named", said)
    check_right(table, work, whole, "a wrong digit in the overlap")
    part.write_text(with_wrong_digit(20, with_wrong_digit(10)))
    table.merge(work, status=70)
    left = list((work / "parts").glob("*.part"))
    lab.expect(not left, "all chunks that disagree are scored again", left)
    check_right(table, work, whole, "wrong digits in both overlaps")
    for _ in range(2):  # a device that errs each time
        table.submit(work)
        part.write_text(with_wrong_digit(10))
        said = table.merge(work, status=70)[1]
    lab.expect("a device or a decoder errs" in said, "scoring again does not help", said)
    part.write_text(good)
    check_right(table, work, whole, "the right part again")


OTHER_MERGE = """
import subprocess
from vmaf_gpu.batch import merging
tool = merging.Merger._tool
def with_another(self, *words):
    stderr = tool(self, *words)
    if not hasattr(merging, 'other'):
        merging.other = subprocess.run([sys.executable, '-m', 'vmaf_gpu.batch', *sys.argv[1:]]).returncode
        assert merging.other == 0
    return stderr
merging.Merger._tool = with_another
"""

NOT_CHOSEN = """
import types
from vmaf_gpu.batch import runner
chosen = 'backend cpu (a processor), chosen by auto (cuda: no CUDA driver; hip: no HIP runtime)'
for lines, code in (([chosen, 'Error: damaged'], 65), ([chosen, 'Error: No space left on device'], 75), (['no CUDA driver'], 75)):
    ended = types.SimpleNamespace(tail=lines, name='ffmpeg')
    assert runner.Process.failure(ended, 1).code == code, lines
ended.tail = ['[in#1/avi @ 0x1] [error] Invalid data', '[vmaf_gpu@0 @ 0x2] [warning] main ends', '[vmaf_gpu@0 @ 0x2] [info] VMAF score: 1']
assert runner.Process.failure(ended, 1).text.endswith('[error] Invalid data'), ended.tail
"""

UNREADABLE = """
import errno, pathlib
read = pathlib.Path.read_bytes
def fails(self):
    if self.name.endswith('.part'):
        raise OSError(errno.EIO, 'Input/output error', str(self))
    return read(self)
pathlib.Path.read_bytes = fails
"""


def check_folder(table, whole):
    """Two merges at the same time, parts that cannot be read, files beside parts that hold something else."""
    work = table.plan(10, clips(table))
    table.submit(work)
    table.run("merge", work, *table.programs, "--formats", "csv", "--precision", "max", before=OTHER_MERGE)
    lab.expect(result(work) == whole, "two merges at the same time", "other scores")
    left = [path.name for path in (work / "results").iterdir() if path.name != "p.csv"]
    lab.expect(not left, "two merges leave only results", left)
    before = {part: part.read_bytes() for part in (work / "parts").glob("*.part")}
    for words in ("merge", work), ("task", work, 1), ("submit", work):
        said = table.run(*words, *table.programs, status=75, before=UNREADABLE)[1]
        lab.expect("Input/output error" in said, f"{words[0]} and parts that cannot be read", said)
    lab.expect(before == {part: part.read_bytes() for part in (work / "parts").glob("*.part")}, "they are kept")
    part = part_of(work, 10)
    part.unlink(missing_ok=True)
    for text in "[" * 5000, "[1]", "{}", "", "\0":
        part.with_suffix(".error.json").write_text(text)
        said = table.run("status", work)[1]
        lab.expect("1 failed" in said and "pairs 10 to 19: its error.json is damaged" in said, "a damaged error", said)
    table.merge(work, status=1)
    check_right(table, work, whole, "a damaged error")
    for text in "{", '{"schema": "vmaf_gpu.part-meta/1", "seconds": "x", "end": 1.0}':
        part.with_suffix(".meta.json").write_text(text)
        table.run("status", work)
        table.merge(work)
    part.unlink()
    part.with_suffix(".error.json").write_text('{"schema": "vmaf_gpu.error/1", "text": "x"}')
    table.run("status", work)
    for index in (work / "index").iterdir():
        index.write_text('{"schema": "vmaf_gpu.index/4"}')
    said = table.submit(work, status=64)[1]
    told = rf"vmaf-gpu: 1 of 1 task failed, the first: p, pairs 10 to 19: .*is not a file of the kind.*; vmaf-gpu status {work} lists them\n"
    lab.expect(re.search(told, said) is not None, "submit tells what failed", said)
    said = table.run("status", work)[1]
    lab.expect("is not a file of the kind" in said, "an index without fields", said)
    table.run("plan", table.manifest(clips(table)), work, "--frames-per-task", 10, *table.programs)
    check_right(table, work, whole, "an index without fields")


ALWAYS_UNEQUAL = """
from vmaf_gpu.batch import merging
from vmaf_gpu.batch.errors import NOT_REPRODUCIBLE, BatchError
def unequal(self, tasks):
    raise BatchError(NOT_REPRODUCIBLE, 'they are never equal')
merging.Merger._check_parts = unequal
"""


def check_merging(table, whole):
    """A process of the merge that is killed; parts that never agree."""
    work = table.plan(10, clips(table))
    table.submit(work)
    wrapper = table.folder / "tool"
    wrapper.write_text(f'#!/bin/sh\ncase "$*" in *"--precision max"*) kill -9 $$;; esac\nexec {table.tool} "$@"\n')
    wrapper.chmod(0o755)
    said = table.merge(work, status=75, words=("--tool", wrapper, "--precision", "6"))[1]
    lab.expect("p: vmaf_gpu merge ended with status -9" in said, "a merge that is killed", said)
    lab.expect((work / "results.jsonl").read_text() == "", "a pair without a log has no line")
    check_right(table, work, whole, "a killed merge")
    pair = clips(table)
    said = table.run("score", pair["dis"], pair["ref"], "--work", table.work(), *table.programs, status=70,
                     before=ALWAYS_UNEQUAL)[1]
    lab.expect("score: they are never equal" in said, "score says why it gives up", said)


# The decoders of the last chunk leave frames out and do not notice.
CUT_SHORT = """
import dataclasses
from vmaf_gpu.batch import cuts
whole, cuts.Watch.fault = cuts.make, lambda self: ""
def make(index, first, stop, *more):
    made = whole(index, first, stop, *more)
    if stop == index["count"]:
        made = dataclasses.replace(made, trim=made.trim.replace(f"end_pts={made.times[-1] + 1}", f"end_pts={made.times[-3]}"))
    return made
cuts.make = make
"""


def check_last_chunk(table):
    """The last chunk has to reach the end of the run, also if no score needs a pair behind another."""
    for more in {}, {"models": [], "features": ["psnr"]}:
        work = table.plan(10, {**clips(table), **more})
        said = table.tasks(work, status=None, before=CUT_SHORT)
        lab.expect([code for code, _ in said] == [0, 0, 65] and "has the pairs before 27, not before 30" in said[2][1],
                   f"a last chunk that is cut short, {more}", said)


def check_inputs(table):
    """Inputs that are replaced, cut, removed or damaged after planning, and unequal counts."""
    pair = clips(table)
    copy = table.folder / "copy.mp4"
    good = pair["dis"].read_bytes()
    middle = len(good) // 2
    for what, data in (("cut", good[:-100]), ("replaced", good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1:])):
        copy.write_bytes(good)
        work = table.plan(10, {**pair, "dis": copy})
        times = os.stat(copy).st_atime_ns, os.stat(copy).st_mtime_ns
        copy.write_bytes(data)
        os.utime(copy, ns=times)
        lab.expect("has changed" in table.run("task", work, 0, *table.programs, status=65)[1], f"an input is {what}")
    copy.unlink()
    table.run("task", work, 0, *table.programs, status=65)
    table.merge(work, status=1)
    shorter = table.folder / "shorter.mp4"
    lab.ffmpeg("-i", pair["dis"], "-frames:v", "25", "-c:v", "libx264", shorter)
    said = table.run("plan", table.manifest({**pair, "dis": shorter, "pair": "index"}), table.work(), *table.programs, status=65)[1]
    lab.expect("30" in said and "25" in said and "shorter.mp4" in said, "unequal counts", said)
    work = table.plan(10, {**pair, "dis": shorter}, words=("--frames", "min"))
    table.submit(work)
    table.merge(work)
    lab.expect(result(work).count("\n") == 26, "the first 25 pairs", result(work))


CHANGES_AFTER_HASHING = """
import shutil
import vmaf_gpu.batch.files as files
content_of = files.content_of
def changes(path):
    found = content_of(path)
    if path.name == 'changes.mp4':
        shutil.copyfile({other!r}, path)
    return found
files.content_of = changes
"""

SLOW_HASH = """
import time
import vmaf_gpu.batch.files as files
identify = files.identify
def slow(path):
    time.sleep(1)
    return identify(path)
files.identify = slow
"""


KEPT_INDICES = """
import weakref
from vmaf_gpu.batch import index, plan
class Index(dict):
    pass
made, kept, groups = index.make, [], plan._groups
def make(*words):
    found = Index(made(*words))
    kept.append(weakref.ref(found))
    return found
def count(pairs, runner):
    print(f'{len(kept)} indices, {sum(one() is not None for one in kept)} kept')
    return groups(pairs, runner)
index.make, plan._groups = make, count
"""


HANGING_START = """
import threading, time
from vmaf_gpu.batch import files, programs
identify, taken = files.identify, threading.Event()
def hang():
    with programs._RUNNING._lock:
        taken.set()
        time.sleep(30)
def locks(path):
    if path.name == 'no.such':
        time.sleep(2)  # until the programs have told their versions
        threading.Thread(target=hang, daemon=True).start()
        taken.wait()
    return identify(path)
files.identify = locks
"""


def check_statuses(table):
    """A machine without a GPU says so in each run; that is no reason to try a damaged video again."""
    table.run("--help", before=NOT_CHOSEN)


def check_memory(table):
    """The times of all frames of a thousand videos are not held at a time."""
    pair = clips(table)
    pairs = []
    for number in range(12):
        copy = table.folder / f"copy{number}.mp4"
        copy.write_bytes(pair["dis"].read_bytes() + b"\0\0\0\x08free" * number)
        pairs.append({**pair, "id": f"p{number}", "dis": copy})
    said = table.run("plan", table.manifest(*pairs), table.work(), *table.programs, before=KEPT_INDICES)[1]
    found = re.search(r"13 indices, (\d+) kept", said)
    lab.expect(found is not None and int(found[1]) <= 4, "only the latest of each thread are kept", said)


def check_readers(table):
    """Videos that change while they are read; readers that would wait forever."""
    pair = clips(table)
    shorter, changes = table.folder / "less.mp4", table.folder / "changes.mp4"
    lab.ffmpeg("-i", pair["dis"], "-frames:v", "25", "-c:v", "libx264", shorter)
    for work in table.work(), table.plan(10, {**pair, "dis": pair["ref"]}):  # the folder has no index, and another one
        shutil.copyfile(pair["dis"], changes)
        words = "plan", table.manifest({**pair, "dis": changes}), work, *table.programs
        said = table.run(*words, status=75, before=CHANGES_AFTER_HASHING.format(other=str(shorter)))[1]
        lab.expect("has changed while it was read" in said, "a video changes while it is read", said)
        shutil.copyfile(pair["dis"], changes)
        table.run(*words)  # fails if the other video's 25 frames are taken for this one's
    fifo, reader = table.folder / "fifo", table.folder / "reader"
    os.mkfifo(fifo)
    said = table.run("plan", table.manifest({**pair, "dis": fifo}), table.work(), *table.programs, status=65)[1]
    lab.expect("fifo: is not a file" in said, "a FIFO", said)
    lab.expect_soon(lambda: not running(fifo), "nobody reads the FIFO", lambda: running(fifo))
    reader.write_text(f"#!/bin/sh\nexec cat {fifo}\n")
    reader.chmod(0o755)
    table.run("plan", table.manifest({**pair, "ref": table.folder / "no.such"}), table.work(), "--tool", table.tool,
              "--ffprobe", reader, status=65, before=SLOW_HASH)
    lab.expect_soon(lambda: not running(fifo), "a reader ends with the program", lambda: running(fifo))
    began = time.time()
    table.run("plan", table.manifest({**pair, "ref": table.folder / "no.such"}), table.work(), *table.programs,
              status=65, before=HANGING_START)
    lab.expect(time.time() - began < 15, "a program that does not start does not keep this one", time.time() - began)


def check_damaged(table, pair, bad):
    work = table.plan(10, {**pair, "group": "l"}, {**pair, "dis": bad, "id": "bad", "group": "l"},
                      words=("--frames", "min"))
    table.submit(work, status=65)
    code, said = table.merge(work, status=1)
    lab.expect("bad:" in said and result(work) is not None and code == 1, "one rendition is damaged", said)
    lab.expect(not (work / "results" / "bad.csv").exists(), "no result of the damaged one")
    lab.expect("FAILED (65) bad" in table.run("status", work)[1], "status tells it")


def check_damage(table):
    """A video that is damaged in the middle has no result; others of its ladder do."""
    pair = clips(table)
    bad = table.folder / "bad.mkv"
    lab.ffmpeg("-i", pair["ref"], "-c:v", "libx264", "-crf", "20", "-x264-params", "keyint=6:scenecut=0", bad)
    noisy = table.folder / "noisy.mkv"  # all frames are there, one of them damaged
    lab.ffmpeg("-i", pair["ref"], "-c:v", "mpeg2video", "-g", "6", "-q:v", "4", "-bsf:v",
               "noise=amount=if(eq(n\\,15)\\,200\\,0)", noisy)
    check_damaged(table, pair, noisy)
    data = bytearray(bad.read_bytes())
    for at in range(len(data) // 2, len(data) // 2 + 3000, 7):
        data[at] ^= 0x55
    bad.write_bytes(bytes(data))
    check_damaged(table, pair, bad)


def wrapped(table, name, command):
    """An ffmpeg that first runs a command if the file that is returned, too, is there."""
    wrapper, flag = table.folder / name, table.folder / f"{name}.flag"
    real = shutil.which("ffmpeg")
    wrapper.write_text(f'#!/bin/sh\ncase "$*" in *yuv4mpegpipe*) [ -e {flag} ] && {command};; esac\n'
                       f'exec {real} "$@"\n')
    wrapper.chmod(0o755)
    return wrapper, flag


def check_killed_children(table, whole):
    """A decoder that is killed means: try again."""
    wrapper, flag = wrapped(table, "killed", "kill -9 $$")
    work = table.plan(10, clips(table), words=("--ffmpeg", wrapper, "--ffprobe", "ffprobe"))
    flag.touch()
    table.run("task", work, 0, *table.programs, "--ffmpeg", wrapper, "--ffprobe", "ffprobe", status=75)
    flag.unlink()
    check_right(table, work, whole, "a killed decoder")


def running(work):
    """Processes that have the folder in their command line."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [path.parent.name] if str(work).encode() in path.read_bytes() else []
        except OSError:
            pass
    return found


def check_stopped(table, whole, number, statuses):
    """The pool is asked to end, or killed, while tasks run."""
    wrapper, flag = wrapped(table, f"slow{number}", "sleep 12")
    work = table.plan(3, clips(table))
    words = [sys.executable, "-m", "vmaf_gpu.batch", "submit", str(work), *table.programs, "--ffmpeg", str(wrapper),
             "--ffprobe", "ffprobe", "--", "--jobs", "2", "--devices", "cpu"]
    child = subprocess.Popen(words, env={**os.environ, "PYTHONPATH": str(lab.PACKAGES)}, stdout=subprocess.DEVNULL)
    deadline = time.time() + 60
    while not list((work / "parts").glob("*.part")) and time.time() < deadline:
        time.sleep(0.02)
    flag.touch()
    time.sleep(2)
    child.send_signal(number)
    began = time.time()
    lab.expect(child.wait(60) in statuses, "status of a stopped pool", child.returncode)
    lab.expect(time.time() - began < 8, "a stopped pool ends its tasks, which sleep for 12 s", time.time() - began)
    deadline = time.time() + (60 if number == signal.SIGKILL else 3)  # nobody can end the tasks of a killed pool
    while running(work) and time.time() < deadline:
        time.sleep(0.1)
    lab.expect(not running(work), "no process is left", running(work))
    table.merge(work, status=1)
    check_right(table, work, whole, f"signal {number}")


def check_full_disk(table, whole):
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        print("SKIPPED: a full disk needs root, to mount a tmpfs")
        return
    disk = table.folder / "disk"
    disk.mkdir()
    for size in "24k", "36k", "48k", "256k":
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], check=False)
        if done.returncode != 0:
            print("SKIPPED: a full disk: a tmpfs cannot be mounted")
            return
        try:
            work = disk / "work"
            code, _ = table.run("plan", table.manifest(clips(table)), work, "--frames-per-task", 10, *table.programs,
                                status=None)
            codes = {code}
            if code == 0:
                codes |= {found for found, _ in table.tasks(work, status=None)}
            lab.expect(codes <= {0, 75} and (size == "256k" or 75 in codes), f"a disk of {size}", codes)
            subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
            if code != 0:
                table.run("plan", table.manifest(clips(table)), work, "--frames-per-task", 10, *table.programs)
            check_right(table, work, whole, f"a disk of {size}")
        finally:
            subprocess.run(["umount", disk], check=False)


def check_unwritable(table):
    """A folder in which nothing can be made is named, and is no fault of a video."""
    pair, locked = clips(table), table.folder / "locked"
    plan = table.manifest(pair)
    work, words = table.plan(100, pair), ["--encoder", "libx264", "--target", "90", "--cache", table.folder / "cache"]
    locked.mkdir()
    locked.chmod(0o555)
    for path in work, work / "parts":
        path.chmod(0o555)
    search = ["search", pair["ref"], *words]
    for command, name in ((["plan", plan, locked / "w"], locked / "w"), (["plan", plan, pair["ref"] / "w"], pair["ref"] / "w"),
                          ([*search, "--work", locked / "w"], locked / "w"), ([*search, "--work", locked], locked),
                          ([*search, "--keep", locked / "k"], locked / "k"), ([*search, "--keep", locked], locked),
                          ([*search, "--keep", pair["ref"]], pair["ref"]), ([*search, "--json", locked / "j"], locked / "j"),
                          (["task", work, 0], work / "parts"), (["merge", work], work)):
        said = table.run(*command, *table.programs, before=LESS_THAN_ROOT, status=64)[1]
        lab.expect(f"{name}: " in said or f"{name}/" in said, f"{name} is named by {command[0]}", said)
        lab.expect("trial" not in said and "ffmpeg" not in said, f"{command[0]} begins nothing in {name}", said)
    for path in work, work / "parts":
        path.chmod(0o755)
    table.tasks(work)
    (work / "results").chmod(0o555)
    said = table.run("merge", work, *table.programs, before=LESS_THAN_ROOT, status=75)[1]
    lab.expect(f"{work / 'results'}" in said, "the folder of results is named", said)
    for path in work / "results", locked:
        path.chmod(0o755)


def check_names(table):
    """vmaf_gpu and vmaf-gpu differ in one character."""
    for words, told in ((("--reference", "r.y4m", "-d", "d.y4m"), "--reference is an option of another program, vmaf_gpu with an "
                                                                  "underscore: vmaf_gpu --help"),
                        (("--reference=r.y4m",), "--reference is an option of another program"),
                        (("report", "log.json"), "report is a command of another program, vmaf_gpu with an underscore: vmaf_gpu "
                                                 "report --help")):
        _, said = table.run(*words, status=64)
        lab.expect(said.startswith(f"vmaf-gpu: {told}") and said.count("\n") == 1, "the other program", said)
    of_tool = subprocess.run([table.tool, "--version"], capture_output=True, text=True, check=True).stdout
    found = table.run("--version", env={"PATH": f"{os.path.dirname(table.tool)}:{os.environ['PATH']}"})[1]
    lab.expect("\nReport bugs to" in of_tool and found == of_tool, "the version, and where to report", (found, of_tool))


def main():
    with lab.prepared() as table:
        pair = clips(table)
        whole = table.whole(pair["dis"], pair["ref"])
        check_copies(table)
        check_two_workers(table, whole)
        check_bits(table, whole)
        check_folder(table, whole)
        check_merging(table, whole)
        check_inputs(table)
        check_last_chunk(table)
        check_statuses(table)
        check_memory(table)
        check_readers(table)
        check_names(table)
        check_unwritable(table)
        if "--all" in sys.argv:
            check_kills(table, whole)
            check_parts(table, whole)
            check_damage(table)
            check_killed_children(table, whole)
            check_stopped(table, whole, signal.SIGINT, (75,))
            check_stopped(table, whole, signal.SIGTERM, (75,))
            check_stopped(table, whole, signal.SIGKILL, (-9,))
            check_full_disk(table, whole)
    return lab.finish("faults", 30)


if __name__ == "__main__":
    sys.exit(main())
