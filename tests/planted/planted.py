#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Negative tests: plants one defect of defects.py in a copy of the engine's sources,
compiles the one object that it changes, links it instead of the original into a test
program, and requires the failure that the defect is known for. `control_UNIT` does
the same with nothing changed and requires success, so that a failure is the defect's.

    planted.py --list                    names of all tests
    planted.py --build DIR NAME...       run some, or all like '*NAME*'; DIR: a build folder of meson's
"""
import argparse
import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

from defect import ENVIRONMENT, file_of
from defects import DEFECTS

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../src/engine')
# The first that a program's output matches says what kind of failure it was.
KINDS = (
    ('sums', r'word \d+ of the sums: reference|the sketch differs|the scaled picture differs'),
    ('open', r'pairs were left to the host'),
    ('divergent', r'divergent (wave|barrier)'),
    ('misuse', r'(mask that leaves the wave|lane that no wave has)'),
    ('bounds', r'written \d+ bytes (before its start|after its end|beyond)|written past the end of held'),
    ('scores', r'scores are finite and equal: reference'),
    ('names', r'the engine has other series'),
    ('other backend', r'ran on cpu instead of'),
    ('test', r'\[  FAILED  \] '),
)


class Failure(Exception):
    pass


def run(command, directory):
    done = subprocess.run(command, cwd=directory, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors='replace')
    if done.returncode != 0:
        raise Failure(f'{shlex.join(command)}\nfailed:\n{done.stdout[-3000:]}')
    return done.stdout


def copy_sources(to):
    shutil.rmtree(to, ignore_errors=True)
    for folder, _, names in os.walk(SOURCES):
        target = os.path.join(to, os.path.relpath(folder, SOURCES))
        os.makedirs(target, exist_ok=True)
        for name in names:
            if name.endswith(('.h', '.cpp')):
                shutil.copy(os.path.join(folder, name), target)


def edited(sources, edits):
    """Text of each changed file, by its path."""
    texts = {}
    for path, old, new in edits:
        path = os.path.join(sources, path)
        if path not in texts:
            with open(path, encoding='utf-8') as file:
                texts[path] = file.read()
        count = texts[path].count(old)
        if count != 1:
            raise Failure(f'{path} has this {count} times instead of once; the defect needs to '
                          f'follow the code:\n{old}')
        texts[path] = texts[path].replace(old, new)
    return texts


def plant(sources, edits):
    for path, text in edited(sources, edits).items():
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)


def check_edits():
    """The number of defects that no longer fit the code."""
    failed = 0
    for defect in DEFECTS:
        try:
            edited(SOURCES, defect.edits)
        except Failure as failure:
            failed += 1
            print(f'{defect.name}: {failure}')
    print(f'{len(DEFECTS)} defects, {failed} do not fit the code')
    return failed


def compile_unit(build, unit, work):
    """The unit's object from the copied sources, with the build's flags but -O1; and the
    object of the build that it stands for."""
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as file:
        commands = json.load(file)
    ending = '/' + file_of(unit)
    is_test = ending.startswith('/tests/')
    entry = next(c for c in commands
                 if c['file'].endswith(ending) and ('/libvmaf_gpu' in c['output']) != is_test)
    words = shlex.split(entry['command'])
    words = words[:words.index('-MD')]
    first = next(i for i, word in enumerate(words) if word.startswith('-'))
    words.insert(first, '-I' + os.path.join(work, 'engine'))
    words = ['-O1' if re.fullmatch('-O.', word) else word for word in words]
    # The precompiled header was compiled with other options; GCC 14 then looks for the header itself.
    if '-include' in words:
        at = words.index('-include') + 1
        words[at] = 'base/engine_pch.h' if words[at] == 'engine_pch.h' else words[at]
    source = entry['file']
    is_module = ending.startswith('/emu_')
    if not is_module and not is_test:
        source = os.path.join(work, 'engine', source[source.index('src/engine/') + 11:])
    object_file = os.path.join(work, unit + '.o')
    compiler = words[first - 1]
    if 'clang' not in compiler: # its inline variables cannot be made local otherwise
        words.append('-fno-gnu-unique')
    run(words + ['-w', '-o', object_file, '-c', source], build)
    if not is_module:
        return object_file, entry['output']
    # Inline functions that the defect is in must not serve the reference code too, nor
    # the reference's serve the kernels: nothing but the module's name stays global.
    alone = os.path.join(work, unit + '_alone.o')
    run([compiler, '-r', '-nostdlib', '-Wl,--force-group-allocation', '-o', alone, object_file],
        build)
    run(['objcopy', '--wildcard', '--keep-global-symbol=vmafgpu_emu_module_*', alone], build)
    return alone, entry['output']


def link(build, program, objects, work):
    """The program with our object instead of its own; or first, so that the library's is
    not taken."""
    ours, replaced = objects
    command = run(['ninja', '-t', 'commands', program], build).strip().splitlines()[-1]
    words = shlex.split(command)
    at = words.index('-o')
    result = os.path.join(work, os.path.basename(program))
    words[at + 1] = result
    if replaced in words:
        words[words.index(replaced)] = ours
    else:
        words.insert(at + 2, ours)
    run(words, build)
    return result


def outcome(program, arguments, environment):
    """'pass', or the kind of failure; and the output."""
    try:
        done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, timeout=120,
                              stderr=subprocess.STDOUT, text=True, errors='replace',
                              env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        return 'hang', ''
    if done.returncode == 0:
        ran = re.search(r'check: [1-9]\d* passed, 0 failed, 0 skipped|\[  PASSED  \] [1-9]',
                        done.stdout)
        return 'pass' if ran else 'nothing ran', done.stdout
    if done.returncode < 0:
        return 'crash', done.stdout
    for kind, pattern in KINDS:
        if re.search(pattern, done.stdout):
            return kind, done.stdout
    return 'unknown', done.stdout


def make_program(build, unit, program, edits, work):
    copy_sources(os.path.join(work, 'engine'))
    plant(os.path.join(work, 'engine'), edits)
    return link(build, program, compile_unit(build, unit, work), work)


def wanted_of(name):
    """The unit, its edits, the runs that each program must have an outcome of, and the place that --bisect names."""
    if not name.startswith('control_'):
        defect = next(d for d in DEFECTS if d.name == name)
        return defect.unit, defect.edits, {defect.program: {tuple(a): kind for a, kind in defect.runs()}}, defect.place
    unit = name[len('control_'):]
    wanted = {d.program: {} for d in DEFECTS if d.unit == unit}
    for d in DEFECTS:
        if d.unit == unit:
            wanted[d.program].update({tuple(a): 'pass' for a, _ in d.runs()})
    return unit, [], wanted, ''


def test(build, name, work):
    """Lines to print; raises Failure."""
    lines = []
    unit, edits, wanted, place = wanted_of(name)
    for program, runs in wanted.items():
        executable = make_program(build, unit, program, edits, work)
        for arguments, expected in runs.items():
            kind, output = outcome(executable, arguments, ENVIRONMENT.get(unit, {}))
            lines.append(f'{name}: {" ".join(arguments)}: {kind}')
            is_told = '--bisect' not in arguments or re.search(place, output)
            if kind not in expected.split('|') or not is_told:
                raise Failure('\n'.join(lines) + f', expected: {expected} {place}\n{output[-2000:]}')
    return lines


def all_names():
    units = dict.fromkeys(d.unit for d in DEFECTS)
    return ['control_' + unit for unit in units] + [d.name for d in DEFECTS]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n', maxsplit=1)[0])
    parser.add_argument('--list', action='store_true', help='names of all tests')
    parser.add_argument('--check', action='store_true', help='only whether all fit the code')
    parser.add_argument('--build', default='build', help='build folder')
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    if options.list: # other arguments: files that meson watches
        print('\n'.join(all_names()))
        return 0
    if options.check:
        return 1 if check_edits() else 0
    build = os.path.abspath(options.build)
    failed = 0
    for pattern in options.names:
        if not fnmatch.filter(all_names(), pattern):
            print(f'{pattern}: no such test')
            return 1
    names = all_names()
    if options.names:
        names = [name for name in names if any(fnmatch.fnmatchcase(name, p) for p in options.names)]
    for name in names:
        work = os.path.join(build, 'tests/planted', name)
        try:
            print('\n'.join(test(build, name, work)), flush=True)
            shutil.rmtree(work, ignore_errors=True)
        except Failure as failure:
            failed += 1
            print(f'{name}: FAILED: {failure}\n(kept: {work})', flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
