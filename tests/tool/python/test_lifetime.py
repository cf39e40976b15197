# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Arrays live as long as the engine reads them and no longer; threads, forks, copies and the end of
the interpreter; memory in long runs; what an import loads.

VMAFGPU_TEST_PUSHES: pairs of the long run (default 24000; by hand 100000).
"""
import copy
import gc
import importlib.util
import os
import pickle
import subprocess
import sys
import threading
import time
import unittest
import unittest.mock
import weakref

import numpy as np
import vmaf_gpu

import clips


def script(text, *arguments):
    """A Python of its own; what it printed."""
    done = subprocess.run([sys.executable, "-B", "-c", text, *map(str, arguments)], capture_output=True,
                          text=True, timeout=20, check=False)
    return done.returncode, done.stdout, done.stderr


PREPARE = """
import gc, os, sys, threading, time
import vmaf_gpu
frame = memoryview(bytes(range(256)) * 16).cast('B', (64, 64))
scorer = vmaf_gpu.Scorer(64, 64, device='cpu')
scorer.push(frame, frame)
"""

# Ctrl-C at an event of the interpreter in a call; how many events there were.
INTERRUPT = """
import sys
import vmaf_gpu
memory = bytearray(64 * 64)
frame = memoryview(memory).cast('B', (64, 64))
def opened():
    return vmaf_gpu.Scorer(64, 64, device='cpu', model=None, features='float_moment', self_test=False)
def interrupted(call, stop):
    seen = 0
    def trace(code, event, _):
        nonlocal seen
        code.f_trace_opcodes = True
        seen += 1
        if seen == stop:
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        pass
    sys.settrace(None)
    return seen
"""

# The lock was lost in a few of these events.
INTERRUPTED = INTERRUPT + """
for stop in range(1, 60):
    scorer = opened()
    interrupted(scorer.results, stop)
    scorer.push(frame, frame)
    scorer.close()
print('done')
"""

# No lock is taken here, so that every moment is one at which Ctrl-C may come.
INTERRUPTED_CLOSE = INTERRUPT + """
from vmaf_gpu._frames import picture_of
for stop in range(1, 10000, 3):
    memory = bytearray(64 * 64)
    frame = memoryview(memory).cast('B', (64, 64))
    scorer = opened()
    context = scorer._context
    def run():
        picture = picture_of(frame, scorer._formats[0], '')
        context.submit(picture, picture)
        context.close()
    seen = interrupted(run, stop)
    context.close()
    frame = None
    memory.append(0)  # as nobody reads it any more
    assert scorer.held == 0, stop
    if seen < stop:
        break
print('done', stop > 200)
"""

# At each message of the engine in turn; prints the call that was interrupted.
INTERRUPTED_HANDLER = """
import logging
import vmaf_gpu
frame = memoryview(bytes(range(256)) * 16).cast('B', (64, 64))
logger = logging.getLogger('vmaf_gpu')
logger.setLevel(logging.DEBUG)
class Handler(logging.Handler):
    left = 0
    error = KeyboardInterrupt
    def emit(self, record):
        self.left -= 1
        if self.left == 0:
            raise self.error
handler = Handler()
logger.addHandler(handler)
def run():
    calls = []
    try:
        calls.append('Scorer')
        scorer = vmaf_gpu.Scorer(64, 64, device='cpu')
        for name, words in ('push', (frame, frame)), ('log', ('/none/x', 'json')):
            calls.append(name)
            getattr(scorer, name)(*words)
    except (KeyboardInterrupt, SystemExit):
        return calls[-1]
    except vmaf_gpu.OutputError:
        return None
found = []
for number in range(1, 100):
    handler.left = number
    handler.error = KeyboardInterrupt if number % 2 else SystemExit
    where = run()
    if handler.left > 0:
        break
    found.append(str(where))
print(*found)
handler.left, handler.error = 1, ValueError('of a handler')
run()
"""


class Arrays(unittest.TestCase):
    def run_through(self, device, end):
        """Pushes; every array has its references back after end(scorer)."""
        both = clips.make(count=12)
        planes = [plane for side in both for frame in side for plane in frame]
        before = [sys.getrefcount(plane) for plane in planes]
        scorer = vmaf_gpu.Scorer(51, 38, features="psnr", device=device)
        for first, second in zip(*both):
            scorer.push(first, second)
        if device == "cpu":  # other devices may have copied all pictures by now
            self.assertGreater(scorer.held, 0)
            self.assertGreater(sum([sys.getrefcount(plane) for plane in planes]), sum(before))
        end(scorer)
        del scorer
        self.assertEqual([sys.getrefcount(plane) for plane in planes], before)

    def test_references(self):
        known = {device.selector for device in vmaf_gpu.devices()} & {"cpu", "emu32", "cuda:0"}
        for device in sorted(known):
            for end in (lambda s: s.flush(), lambda s: s.close(), lambda s: None,
                        lambda s: s.reset()):
                with self.subTest(device):
                    self.run_through(device, end)

    def test_kept_while_read(self):
        """The caller's last reference goes away at once."""
        reference, distorted = clips.make(count=3)
        expected = vmaf_gpu.score(reference, distorted, device="cpu").frames
        watched = []
        with vmaf_gpu.Scorer(51, 38, device="cpu") as scorer:
            for first, second in zip(reference, distorted):
                copies = [np.array(frame[0]) for frame in (first, second)]
                watched += [weakref.ref(one) for one in copies]
                scorer.push(*copies)
                del copies
                np.full((38, 51), 255, np.uint8)  # might take the place of what was freed
            self.assertTrue(any(ref() is not None for ref in watched))
            self.assertEqual([pair.scores for pair in scorer.flush()], [pair.scores for pair in expected])
            self.assertTrue(all(ref() is None for ref in watched))

    def test_refused_pairs(self):
        reference, distorted = clips.make(count=1)
        before = [sys.getrefcount(plane) for plane in (*reference[0], *distorted[0])]
        with vmaf_gpu.Scorer(51, 38, device="cpu") as scorer:
            for _ in range(10):
                with self.assertRaises(ValueError):
                    scorer.push(reference[0], distorted[0][1])
        after = [sys.getrefcount(plane) for plane in (*reference[0], *distorted[0])]
        self.assertEqual(after, before)

    def test_reentry(self):
        """A destructor runs inside a call. It gets an error, and not a deadlock or a crash."""
        reference, distorted = clips.make(count=2)
        said = []

        class Nosy(np.ndarray):
            def __del__(self):
                try:
                    scorer.results()
                except vmaf_gpu.UsageError as error:
                    said.append(str(error))

        with vmaf_gpu.Scorer(51, 38, device="cpu") as scorer:
            scorer.push(np.array(reference[0][0]).view(Nosy), distorted[0][0])
            scorer.flush()
        self.assertEqual(said, ["the Scorer is used by code that one of its own calls runs"])

    def test_memory(self):
        pairs = int(os.environ.get("VMAFGPU_TEST_PUSHES", "24000"))
        rng = np.random.default_rng(1)
        frames = rng.integers(0, 256, (7, 32, 32), dtype=np.uint8)

        def resident():
            gc.collect()
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        with vmaf_gpu.Scorer(32, 32, device="cpu", threads=1, keep_scores=False) as scorer:
            found, start = 0, 0
            for n in range(pairs):
                scorer.push(np.array(frames[n % 7]), np.array(frames[(n + 1) % 7]))
                found += len(scorer.results())
                if n == 18000:  # the engine keeps 16384 rows of scores
                    start = resident()
            grown = resident() - start
            found += len(scorer.flush())
            self.assertEqual(found, pairs)
            self.assertEqual(scorer.held, 0)
            print(f"memory of {pairs} pushes: grown by {grown / 1024:.0f} KiB since the 18000th")
            self.assertLess(grown, 200_000)
            with self.assertRaisesRegex(ValueError, "log"):
                scorer.log(clips.FOLDER / "none.json")
            self.assertEqual(list(next(iter(scorer.pool_all().values()))), ["min", "max", "mean", "harmonic_mean"])
            with self.assertRaisesRegex(ValueError, "percentiles need all pairs"):
                scorer.pooled(method="perc5")


class Threads(clips.ScoreCase):
    def test_together(self):
        """Pairs of several threads come in any order, but each once and with its own scores."""
        reference, distorted = clips.make(count=5)
        errors = []
        with vmaf_gpu.Scorer(51, 38, device="cpu", model=None, features="psnr") as scorer:
            expected = {}
            for n in range(5):
                scorer.push(reference[n], distorted[n])
            for pair in scorer.flush():
                expected[tuple(pair.scores.values())] = 0
            found = []

            def work(n):
                try:
                    for i in range(40):
                        scorer.push(reference[(n + i) % 5], distorted[(n + i) % 5])
                        found.extend(scorer.results())
                except Exception as error:
                    errors.append(error)

            threads = [threading.Thread(target=work, args=(n,)) for n in range(5)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            found += scorer.flush()
        self.assertEqual(errors, [])
        self.assertEqual(sorted(pair.frame for pair in found), list(range(5, 205)))
        for pair in found:
            expected[tuple(pair.scores.values())] += 1
        self.assertEqual(list(expected.values()), [40] * 5)

    def test_others_run(self):
        """The engine computes without the interpreter's lock."""
        frame = np.tile(np.arange(256, dtype=np.uint8), (2160, 15))
        ticks, is_over = [], threading.Event()

        def tick():
            while not is_over.is_set():
                ticks.append(time.monotonic())

        thread = threading.Thread(target=tick)
        with vmaf_gpu.Scorer(3840, 2160, device="cpu", threads=1) as scorer:
            scorer.push(frame, frame)
            scorer.push(frame, frame)
            thread.start()
            begin = time.monotonic()
            scorer.flush()
            end = time.monotonic()
            is_over.set()
            thread.join()
        self.assertGreater(end - begin, 0.03)
        within = [at for at in ticks if begin + 0.01 < at < end - 0.01]
        self.assertGreater(len(within), 100)

    def test_closed_by_another(self):
        reference, distorted = clips.make(count=1)
        scorer = vmaf_gpu.Scorer(51, 38, device="cpu")
        thread = threading.Thread(target=scorer.close)
        thread.start()
        thread.join()
        for call in (lambda: scorer.push(reference[0], distorted[0]), scorer.flush, scorer.results,
                     scorer.pooled):
            with self.assertRaisesRegex(vmaf_gpu.UsageError, "closed"):
                call()
        scorer.close()

    def test_interrupted(self):
        """Ctrl-C at any moment, also while a call takes or gives back the lock, leaves it free."""
        code, out, err = script(INTERRUPTED)
        self.assertEqual((code, out), (0, "done\n"), err)

    def test_interrupted_close(self):
        """After Ctrl-C at any moment close() gives all arrays back."""
        code, out, err = script(INTERRUPTED_CLOSE)
        self.assertEqual((code, out), (0, "done True\n"), err)

    def test_interrupted_handler(self):
        """Ctrl-C within a handler of logging goes on to the caller; errors of handlers do not."""
        code, out, err = script(INTERRUPTED_HANDLER)
        self.assertEqual(code, 0, err)
        # It logs the backend that it takes, and why a log is not written.
        self.assertEqual(out, "Scorer log\n")
        self.assertEqual(err.count("ValueError: of a handler"), 1, err)


class Processes(unittest.TestCase):
    def test_copies(self):
        with vmaf_gpu.Scorer(51, 38, device="cpu") as scorer:
            for make in pickle.dumps, copy.copy, copy.deepcopy:
                with self.assertRaisesRegex(TypeError, "open one in each process"):
                    make(scorer)
        error = pickle.loads(pickle.dumps(vmaf_gpu.InvalidArgument("text", 22)))
        self.assertEqual((type(error), str(error), error.code), (vmaf_gpu.InvalidArgument, "text", 22))

    def test_fork(self):
        code, out, err = script(PREPARE + """
pid = os.fork()
if pid == 0:
    try:
        scorer.push(frame, frame)
    except vmaf_gpu.UsageError as error:
        print('child:', error, flush=True)
    scorer.close()
    del scorer
    gc.collect()
    other = vmaf_gpu.Scorer(64, 64, device='cpu')
    other.push(frame, frame)
    print(len(other.flush()), flush=True)
    sys.exit(7)
_, status = os.waitpid(pid, 0)
print('parent:', os.WEXITSTATUS(status), len(scorer.flush()))
""")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("child: the Scorer was opened in another process", out)
        self.assertIn("1\nparent: 7 1\n", out)

    def test_fork_beside_a_call(self):
        """The child has no thread that would give the lock back."""
        code, out, err = script(PREPARE + """
inside, forked = threading.Event(), threading.Event()
def call():
    with scorer._used():
        inside.set()
        forked.wait()
threading.Thread(target=call).start()
inside.wait()
pid = os.fork()
if pid == 0:
    scorer.close()
    os._exit(7)
forked.set()
for _ in range(100):
    done, status = os.waitpid(pid, os.WNOHANG)
    if done:
        break
    time.sleep(0.1)
else:
    os.kill(pid, 9)
print(done == pid and os.WEXITSTATUS(status))
""")
        self.assertEqual((code, out), (0, "7\n"), err)

    def test_exit(self):
        """The process ends with open scorers, pairs in flight, cycles, and threads in the middle of a call."""
        endings = {
            "open": "", "cycle": "scorer.__dict__['me'] = scorer\ndel scorer\n",
            "exception": "raise SystemExit(0)",
            "thread": """
def work():
    try:
        while True:
            scorer.push(frame, frame)
            scorer.results()
    except vmaf_gpu.UsageError:
        pass
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
""",
            "atexit": """
import atexit
def late():
    for call in (lambda: scorer.push(frame, frame), lambda: vmaf_gpu.Scorer(64, 64)):
        try:
            call()
            print('worked')
        except vmaf_gpu.UsageError:
            pass
from vmaf_gpu import _scorer
atexit.unregister(_scorer._close_all)
atexit.register(late)
atexit.register(_scorer._close_all)
"""}
        for name, ending in endings.items():
            with self.subTest(name):
                self.assertEqual(script(PREPARE + ending), (0, "", ""))

    def test_imports(self):
        code, out, err = script("""
import sys
import vmaf_gpu
from vmaf_gpu import Scores, Error
dir(vmaf_gpu)
assert 'vmaf_gpu._native' not in sys.modules and 'numpy' not in sys.modules
sys.modules['numpy'] = None
frame = memoryview(bytes(range(256)) * 16).cast('B', (64, 64))
found = vmaf_gpu.score([frame], [frame], device='cpu', features='float_ssim', model=None)
print(found.pooled['float_ssim']['mean'])
assert set(vmaf_gpu.__all__) <= set(dir(vmaf_gpu))
for name in vmaf_gpu.__all__:
    getattr(vmaf_gpu, name)
try:
    vmaf_gpu.no_such_name
except AttributeError as error:
    print(error)
""")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, "1.0\nmodule 'vmaf_gpu' has no attribute 'no_such_name'\n")

    def test_pandas(self):
        reference, distorted = clips.make(count=5)
        found = vmaf_gpu.score(reference, distorted, device="cpu", subsample=2)
        if importlib.util.find_spec("pandas") is not None:
            table = found.to_pandas()
            self.assertEqual(list(table.index), [0, 2, 4])
            self.assertEqual(list(table["vmaf"]), found.column("vmaf"))
            self.assertEqual(tuple(table.columns), found.names)
        with unittest.mock.patch.dict(sys.modules, pandas=None):
            with self.assertRaisesRegex(ImportError, r"pip install 'vmaf-gpu\[pandas\]'"):
                found.to_pandas()
        with self.assertRaisesRegex(KeyError, "there are"):
            found.column("psnr_y")

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_types(self):
        user = clips.FOLDER / "user.py"
        user.write_text("""
import vmaf_gpu
found = vmaf_gpu.score("a.mkv", "b.mkv", model=["vmaf_v0.6.1", vmaf_gpu.Model("x", "y")])
mean: float = found.score
with vmaf_gpu.Scorer(64, 64, depth=(8, 10)) as scorer:
    scorer.push(1, 2)
    pairs: list[vmaf_gpu.PairScores] = scorer.flush()
""")
        folder = os.path.dirname(vmaf_gpu.__file__)
        for file, code in (user, 0), (clips.FOLDER / "wrong.py", 1):
            if code:
                file.write_text(user.read_text() + "\nscorer.flush().no_such_attribute\n")
            # mypy would find the package in its own folder, so it runs in another one.
            done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--python-version", "3.10",
                                   "--cache-dir", clips.FOLDER / "mypy", file],
                                  cwd=clips.FOLDER, capture_output=True, text=True, check=False,
                                  env={**os.environ, "MYPYPATH": os.path.dirname(folder)})
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
