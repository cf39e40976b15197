# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Which suites could see a mutation, those that are likely and cheap first. The commands are those of
the build's own tests; only filters are narrower."""
import os
import subprocess
from dataclasses import dataclass, field

# Features without cases of their own in check: the ones that use them.
CASES = {'float_sums': ['float_moment', 'float_psnr'], 'psnr': ['psnr', 'ffmpeg_psnr']}
TOOL = ('tool', 'output files of the tool', 'report of logs', 'chunks of the tool', 'published options',
        'long runs of the tool', 'pairs of the tool', 'streams of files')
NAMES = {}  # the tests of each GoogleTest program


@dataclass(frozen=True)
class Suite:
    name: str
    program: str         # what a mutation replaces
    command: list
    environment: dict = field(default_factory=dict)


def of_test(build, name, label=None, more=(), instead=None):
    """A suite from one of meson's tests, [] if this build lacks it. `instead`: other arguments."""
    test = build.tests.get(name)
    if test is None:
        return []
    command = list(test['cmd']) if instead is None else [test['cmd'][0], *instead]
    paths = [os.path.normpath(os.path.join(build.folder, word)) for word in command]
    program = next((p for p in paths if p.startswith(build.folder + os.sep) and os.access(p, os.X_OK)
                    and os.path.isfile(p) and not p.endswith(('.py', '.so'))), None)
    if program is None:
        return []
    command = [program if path == program else word for path, word in zip(paths, command)]
    return [Suite(label or name, program, [*command, *more], dict(test['env']))]


def check(build, device, groups):
    """`check` of one device with the cases of some groups."""
    found = []
    for group in groups:
        found += of_test(build, 'check cpu', f'check {device} {group}',
                         instead=[f'--device={device}', '--stop', f'{group}/'])
    return found


def words_of(path):
    """What tests of a file may be called after."""
    folder, file = os.path.split(os.path.splitext(path)[0])
    words = f'{os.path.basename(folder)}_{file}'.replace('-', '_').split('_')
    return {w.capitalize() for w in words if len(w) > 3 or w in ('vif', 'adm', 'svm', 'log')}


def names_in(program):
    if program not in NAMES:
        done = subprocess.run([program, '--gtest_list_tests'], stdout=subprocess.PIPE, text=True, check=True)
        NAMES[program] = [line for line in done.stdout.split('\n') if line and not line.startswith(' ')]
    return NAMES[program]


def near_tests(build, name, mutation):
    """The tests of a GoogleTest program whose names have a word of the mutated file's name."""
    words = words_of(mutation.path)
    found = []
    for suite in of_test(build, name):
        filters = ':'.join(f'{n}*' for n in names_in(suite.program) if any(word in n for word in words))
        if filters:
            found += of_test(build, name, f'{name}, near', instead=[f'--gtest_filter={filters}-*/emu64'])
    return found


def tests(build, *names):
    return [suite for name in names for suite in of_test(build, name)]


def groups_of(path):
    """The groups of check whose cases use a source, [] if it is no feature's."""
    parts = path.split('/')
    if parts[0] == 'scaler':
        return ['scale']
    is_feature = parts[0] == 'features' and parts[1] != 'kit' and len(parts) > 2
    return CASES.get(parts[1], [parts[1]]) if is_feature else []


def of_device(build, mutation, near):
    if mutation.path.startswith('picture/'): # mostly the host's
        return near + tests(build, 'pictures in pages', 'golden', 'unit', 'images', 'images emu64', 'hip wave64')
    return (tests(build, 'images emu64', 'emu', 'images deferred', 'cuda-standin', 'hip wave64')
            + check(build, 'emu32', ['engine', 'scale']) + near + tests(build, 'unit'))


def suites_of(mutation, build):
    """The list of a mutation."""
    groups = groups_of(mutation.path)
    near = near_tests(build, 'unit', mutation)
    golden = near_tests(build, 'golden', mutation)
    if mutation.area == 'kernels':
        if not groups:
            groups = ['engine', 'ssim']
        # Kernels that a device with matrix units does not run.
        plain = tests(build, 'check emu64 vif without matrices') if mutation.path.endswith('/vif_kernels.cpp') else []
        return (plain + check(build, 'emu32', groups) + check(build, 'emu64', groups)
                + tests(build, 'emu', 'images emu64', 'golden emu64'))
    if mutation.area == 'cpu':
        levels = [s for level in ('cpu:baseline', 'cpu:sse4', 'cpu:avx2') for s in check(build, level, groups)]
        return check(build, 'cpu', groups) + levels + near + golden + tests(build, 'images', 'golden', 'unit')
    if mutation.area == 'reference':
        return (golden + check(build, 'cpu', groups) + check(build, 'emu64', groups) + near
                + tests(build, 'golden', 'tables', 'unit'))
    if mutation.area == 'scores':
        return golden + near + tests(build, 'golden', 'unit', 'published options', 'tool', 'heatmaps')
    if mutation.area == 'device':
        return of_device(build, mutation, near)
    if mutation.area == 'api':
        return near + tests(build, 'unit', 'images', 'golden', 'allocations', *TOOL)
    return near + tests(build, 'unit', 'logs parse', *TOOL)
