#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""How strong the tests are: which suite notices each mutation of mutations.py, and in how many seconds.

    strength.py --build build                   all of them; hours on two cores
    strength.py --build build --every 10        each tenth; with --offset 3 those from the fourth on
    strength.py --build build --only pairing/   an area, a folder or a file of src/engine; or a name
    strength.py --build build --only report --near 1   only the first suite of each list
    strength.py --list | --table                what would run | what is known

strength.json, beside this file, keeps what was found, and a run goes on where the last one ended: on
another machine, too, once it is committed. A mutation whose text, or whose list of suites, has changed
since runs again.

A mutation is compiled, at -O1, into the objects that include its file. The programs of its suites are
linked with these, and the suites run until one fails:

    noticed       by the suite in the table
    escaped       all suites of its list passed, and the machine code differs
    equivalent    the machine code is the same as without it
    refused       the compiler does not take it
    open          --near or --seconds ended before its list did
    harmless      no result depends on it: harmless.py says why
    limit         it moves a limit of the judge of pictures, where no video shows the difference

Suites that need FFmpeg or a GPU are in no list. A suite that fails without a mutation stops the run.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

import mutations
import strength_suites
from harmless import HARMLESS, LIMITS
from planted import Failure, run

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'strength.json')
LEAST = 300 # mutations of the whole set; the test of --list requires them
LIMIT = 600 # seconds of a suite; a mutation that needs more hangs


class Refused(Exception):
    """The compiler does not take the mutation."""


class Build:
    """What the build folder knows: commands, which objects include a file, what programs consist of."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.lock = threading.Lock()
        self.links = {}
        with open(os.path.join(self.folder, 'compile_commands.json'), encoding='utf-8') as file:
            self.commands = {c['output']: c for c in json.load(file)}
        with open(os.path.join(self.folder, 'meson-info/intro-tests.json'), encoding='utf-8') as file:
            self.tests = {t['name']: t for t in json.load(file)}
        self.users = {}
        target = ''
        for line in run(['ninja', '-t', 'deps'], self.folder).split('\n'):
            if line and not line.startswith(' '):
                target = line.split(': #deps')[0]
            elif '/src/engine/' in line and target in self.commands:
                path = line.split('/src/engine/', 1)[1]
                self.users.setdefault(path, set()).add(target)

    def link(self, program):
        """Words of the program's link, and all objects in it."""
        with self.lock:
            if program not in self.links:
                command = run(['ninja', '-t', 'commands', program], self.folder).strip().split('\n')[-1]
                inputs = run(['ninja', '-t', 'inputs', program], self.folder).split('\n')
                self.links[program] = shlex.split(command), {i for i in inputs if i.endswith('.o')}
            return self.links[program]


class Mutant:
    """One mutation, its objects and its programs, in a folder of its own."""

    def __init__(self, build, mutation, work):
        self.build = build
        self.mutation = mutation
        self.work = work
        self.objects = {}
        with open(os.path.join(mutations.ENGINE, mutation.path), encoding='utf-8') as file:
            self.original = file.read()
        os.makedirs(work, exist_ok=True)

    def object(self, output, text, folder):
        """The object, compiled from a file of this text."""
        source = os.path.join(self.work, folder, 'engine', self.mutation.path)
        if not os.path.exists(source):
            os.makedirs(os.path.dirname(source), exist_ok=True)
            with open(source, 'w', encoding='utf-8') as file:
                file.write(text)
        entry = self.build.commands[output]
        words = shlex.split(entry['command'])
        words = ['-O1' if re.fullmatch('-O.', word) else word for word in words[:words.index('-MD')]]
        first = next(i for i, word in enumerate(words) if word.startswith('-'))
        words.insert(first, '-I' + os.path.join(self.work, folder, 'engine'))
        if 'engine_pch.h' in words:
            words[words.index('engine_pch.h')] = 'base/engine_pch.h'
        if 'clang' not in words[first - 1]:
            words.append('-fno-gnu-unique')
        result = os.path.join(self.work, folder, output.replace('/', '_'))
        compiled = source if entry['file'].endswith('/src/engine/' + self.mutation.path) else entry['file']
        # One path for both texts, or the names of local symbols would differ.
        words += ['-w', '-fdiagnostics-color=never', f'-ffile-prefix-map={self.work}/{folder}=.', '-frandom-seed=1']
        try:
            run([*words, '-o', result, '-c', compiled], self.build.folder)
        except Failure as failure:
            raise Refused(str(failure)) from failure
        return result

    def is_module(self, output):
        return '/emu_' in self.build.commands[output]['file'] and self.mutation.path.endswith('.cpp')

    def alone(self, path):
        """A module of kernels whose inline functions serve no other object."""
        result = path.replace('.o', '_alone.o')
        run(['c++', '-r', '-nostdlib', '-Wl,--force-group-allocation', '-o', result, path], self.build.folder)
        run(['objcopy', '--wildcard', '--keep-global-symbol=vmafgpu_emu_module_*', result], self.build.folder)
        return result

    def program(self, name):
        """The program with the mutation, or None if none of its objects has the file."""
        command, objects = self.build.link(name)
        needed = sorted(objects & self.build.users.get(self.mutation.path, set()))
        if not needed:
            return None
        words = list(command)
        result = os.path.join(self.work, os.path.basename(name))
        words[words.index('-o') + 1] = result
        for output in needed:
            if output not in self.objects:
                text = self.mutation.apply(self.original)
                ours = self.object(output, text, 'mutated')
                self.objects[output] = self.alone(ours) if self.is_module(output) else ours
            if output in words:
                words[words.index(output)] = self.objects[output]
            else: # first, so that the archive's is not taken
                words.insert(words.index('-o') + 2, self.objects[output])
        if shutil.which('ld.lld'):
            words.append('-fuse-ld=lld')
        run(words, self.build.folder)
        return result

    def is_equivalent(self):
        """Whether every object is the same as without the mutation."""
        if not self.objects:
            return False
        for output in self.objects:
            plain = self.object(output, self.original, 'plain')
            mutated = os.path.join(self.work, 'mutated', output.replace('/', '_'))
            codes = []
            for path in (plain, mutated):
                stripped = path + '.stripped'
                run(['objcopy', '--strip-all', '-R', '.comment', path, stripped], self.build.folder)
                with open(stripped, 'rb') as file:
                    codes.append(file.read())
            if codes[0] != codes[1]:
                return False
        return True


def bounded():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 30, 2 << 30))
    os.setsid()


def runs(suite, program, replaced, build, work):
    """(is noticed, seconds) of a suite with another program."""
    words = [program if os.path.join(build.folder, word) == replaced or word == replaced else word
             for word in suite.command]
    environment = {**os.environ, **suite.environment, 'GTEST_FAIL_FAST': '1', 'TMPDIR': work}
    begin = time.monotonic()
    with subprocess.Popen(words, cwd=build.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL, env=environment, preexec_fn=bounded) as process: # noqa: PLW1509
        try:
            status = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            status = -1
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return status not in (0, 77), time.monotonic() - begin


def control(suite, results, build, lock):
    """Requires that the suite passes without a mutation; once."""
    with lock:
        if suite.name in results['control']:
            return
    work = os.path.join(build.folder, 'strength', 'control')
    os.makedirs(work, exist_ok=True)
    failed, seconds = runs(suite, suite.program, suite.program, build, work)
    if failed:
        raise Failure(f'{suite.name} fails without a mutation: is {build.folder} up to date?')
    with lock:
        results['control'][suite.name] = round(seconds, 1)


def digest_of(suites):
    return hashlib.sha256('\n'.join(s.name for s in suites).encode()).hexdigest()[:8]


def begun(mutation, suites, results, again):
    """The record of a mutation that is not judged yet, with what an earlier run has tried."""
    record = {**vars(mutation), 'suites': digest_of(suites), 'tried': [], 'status': 'open', 'seconds': 0}
    earlier = results['mutations'].get(mutation.name)
    if earlier and not again and all(earlier[key] == record[key] for key in ('status', 'suites', 'old', 'new')):
        record.update(tried=list(earlier['tried']), seconds=earlier['seconds'])
    return record


def try_suite(mutant, suite, record):
    """Whether the suite notices the mutation."""
    begin = time.monotonic()
    program = mutant.program(os.path.relpath(suite.program, mutant.build.folder))
    record['seconds'] += time.monotonic() - begin # compilers and linkers
    if program is None:
        return False
    noticed, seconds = runs(suite, program, suite.program, mutant.build, mutant.work)
    record['seconds'] += seconds
    record['tried'].append([suite.name, round(seconds, 1)])
    return noticed


def judge(mutant, results, lock, end, options):
    """The record of a mutation, which goes on with an open one of an earlier run."""
    suites = strength_suites.suites_of(mutant.mutation, mutant.build)
    record = begun(mutant.mutation, suites, results, options.again)
    passed = {name for name, _ in record['tried']}
    try:
        for suite in (s for s in suites[:options.near] if s.name not in passed):
            if time.monotonic() > end:
                return record
            if try_suite(mutant, suite, record):
                control(suite, results, mutant.build, lock)
                return {**record, 'status': 'noticed', 'by': suite.name}
    except Refused as refused:
        return {**record, 'status': 'refused', 'why': re.findall('error: .*', str(refused))[:1]}
    if options.near is not None and options.near < len(suites):
        return record
    for suite in suites:
        if not mutant.objects: # all suites ran earlier
            mutant.program(os.path.relpath(suite.program, mutant.build.folder))
    return {**record, 'status': 'equivalent' if mutant.is_equivalent() else 'escaped'}


def judged(record):
    """The status, or what harmless.py says of a mutation that nobody has noticed."""
    if record['status'] in ('open', 'escaped'):
        return 'harmless' if record['name'] in HARMLESS else 'limit' if record['name'] in LIMITS else record['status']
    return record['status']


def table(results):
    """Lines of text: each mutation, then counts by area and by suite."""
    found = [{**r, 'status': judged(r)} for r in results['mutations'].values()]
    lines = []
    for r in found:
        lines.append(f"{r['name']:20} {r['status']:10} {r['seconds']:6.1f} s  {r.get('by', '-'):32} {r['kind']:10} "
                     f"{r['path']}:{r['line']}")
        if r['status'] in ('escaped', 'open'):
            lines += [f"    - {r['old'].strip()}", f"    + {r['new'].strip()}"]
    kinds = ('noticed', 'escaped', 'equivalent', 'refused', 'open', 'harmless', 'limit')
    lines.append('\narea         ' + ''.join(f'{kind:>11}' for kind in kinds))
    for area in [*dict.fromkeys(r['area'] for r in found), 'all']:
        counts = [sum(r['status'] == kind and area in (r['area'], 'all') for r in found) for kind in kinds]
        lines.append(f'{area:13}' + ''.join(f'{count:11}' for count in counts))
    lines.append(f"\n{'suite':40} {'noticed':>8} {'seconds':>9} {'seconds for each':>17}")
    suites = {}
    for r in found:
        for name, seconds in r['tried']:
            entry = suites.setdefault(name, [0, 0.0])
            entry[0] += r.get('by') == name
            entry[1] += seconds
    for name, (caught, seconds) in sorted(suites.items(), key=lambda item: -item[1][0]):
        each = f'{seconds / caught:17.1f}' if caught else f"{'-':>17}"
        lines.append(f'{name:40} {caught:8} {seconds:9.1f} {each}')
    return '\n'.join(lines) + '\n'


def load():
    """What is known of today's mutations."""
    if not os.path.exists(RESULTS):
        return {'mutations': {}, 'control': {}}
    with open(RESULTS, encoding='utf-8') as file:
        results = json.load(file)
    names = {mutation.name for mutation in mutations.chosen()}
    known = {name: record for name, record in results['mutations'].items() if name in names}
    return {'mutations': known, 'control': {}} # what passes without a mutation is tried in each run


def save(results):
    """A line for each entry, so that changes can be read."""
    parts = (f'"{part}": {{\n' + ',\n'.join(f'{json.dumps(key)}: {json.dumps(results[part][key])}'
                                            for key in sorted(results[part])) + '\n}' for part in results)
    with open(RESULTS + '.new', 'w', encoding='utf-8') as file:
        file.write('{\n' + ',\n'.join(parts) + '\n}\n')
    os.replace(RESULTS + '.new', RESULTS)


def selected(options):
    found = mutations.chosen()
    if options.only:
        found = [m for m in found if any(only in (m.area, m.name) or m.path.startswith(only) for only in options.only)]
    return found[options.offset::options.every]


def is_known(record, mutation, build, again):
    """Whether the record still says what would be found."""
    suites = strength_suites.suites_of(mutation, build)
    missing = ('open', 'escaped') if again else ('open',)
    return (record is not None and record['status'] not in missing and record['old'] == mutation.old
            and record['new'] == mutation.new and record['suites'] == digest_of(suites))


def work_through(options, build, results, folder):
    lock = threading.Lock()
    end = time.monotonic() + options.seconds
    todo = [m for m in selected(options)
            if m.name not in HARMLESS and m.name not in LIMITS and not is_known(results['mutations'].get(m.name), m, build, options.again)]
    print(f'{len(todo)} mutations', flush=True)

    def one(mutation):
        if time.monotonic() > end:
            return
        work = os.path.join(folder, mutation.name)
        try:
            record = judge(Mutant(build, mutation, work), results, lock, end, options)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        with lock:
            record['seconds'] = round(record['seconds'], 1)
            results['mutations'][mutation.name] = record
            save(results)
            print(f"{mutation.name} {record['status']} {record.get('by', '')} {record['seconds']:.1f} s", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for future in [pool.submit(one, m) for m in todo]:
            future.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n', maxsplit=1)[0])
    parser.add_argument('--build', default='build', help='build folder of meson, up to date')
    parser.add_argument('--every', type=int, default=1, help='each so many mutations')
    parser.add_argument('--offset', type=int, default=0, help='the first of them')
    parser.add_argument('--only', action='append', help='an area, a name, or how the path below src/engine begins')
    parser.add_argument('--near', type=int, help='only so many suites of each list')
    parser.add_argument('--seconds', type=float, default=1e9, help='no mutation begins later')
    parser.add_argument('--again', action='store_true', help='open and escaped ones from their first suite on: '
                                                             'after tests were added')
    parser.add_argument('--jobs', type=int, default=1, help='mutations at once')
    parser.add_argument('--list', action='store_true', help='the mutations')
    parser.add_argument('--table', action='store_true', help='what was found so far')
    options = parser.parse_args()
    if options.list:
        found = selected(options)
        for m in found:
            print(f'{m.name} {m.path}:{m.line} {m.kind}\n    - {m.old.strip()}\n    + {m.new.strip()}')
        return 0 if options.only or len(found) * options.every >= LEAST else 1
    folder = os.path.join(os.path.abspath(options.build), 'strength')
    os.makedirs(folder, exist_ok=True)
    results = load()
    if not options.table:
        work_through(options, Build(options.build), results, folder)
        save(results)
    print(table(results))
    return 0


if __name__ == '__main__':
    sys.exit(main())
