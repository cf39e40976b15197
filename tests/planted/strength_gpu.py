#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Which suite notices mutations of kernels and of devices' host code on a real GPU, where a dropped
barrier is a race and an address may be wrong without a guard.

    strength_gpu.py --build build-gpu [--device cuda:0] [--every 4 --offset 1] [--only AREA] --output FILE
    strength_gpu.py --add FILE...    takes results of a GPU machine into strength_gpu.json
    strength_gpu.py --table          what is known

bench/gpu-build.sh makes the build. A mutation is written into the checkout that the build belongs to, and
is taken back afterwards: run it in a copy, and several copies at once with --every and --offset. It goes on
after the last line of the output.
"""
import argparse
import json
import os
import subprocess
import sys
import time

import mutations
from strength import judged
from strength_suites import groups_of

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'strength_gpu.json')
LIMIT = 240 # seconds of a suite
AREAS = ('kernels', 'device')


def suites(mutation, build, device):
    """(name, program to build, command, environment), those that are likely and cheap first."""
    check, images = 'tests/check/check', 'tests/unit/images'
    for group in groups_of(mutation.path) or ['engine', 'ssim', 'scale']:
        yield f'check {group}', check, [os.path.join(build, check), f'--device={device}', '--stop', f'{group}/'], {}
    if 'vif/' in mutation.path: # kernels of devices without matrix units
        command = [os.path.join(build, check), f'--device={device}', '--stop', 'vif/plain']
        yield 'check vif without matrices', check, command, {'VMAFGPU_MATRIX': '0'}
    sanitizers = os.path.normpath(os.path.join(mutations.ENGINE, '../../tests/gpu.sh'))
    yield 'sanitizers', 'bench/bench', [sanitizers, build, device], {'PARTS': 'sanitize'}
    if mutation.area != 'device':
        return
    command = [os.path.join(build, images), f"--gtest_filter=*/{device.split(':', maxsplit=1)[0]}_*"]
    yield 'images', images, command, {'VMAFGPU_TEST_DEVICES': device, 'GTEST_FAIL_FAST': '1'}


def passes(command, environment):
    """Returns 'passed', 'failed' or 'hangs'."""
    try:
        done = subprocess.run(command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return 'hangs'
    return 'passed' if done.returncode == 0 else 'failed'


def judge(mutation, build, device):
    record = {**vars(mutation), 'device': device, 'tried': [], 'status': 'escaped'}
    for name, program, command, environment in suites(mutation, build, device):
        made = subprocess.run(['ninja', '-C', build, program], capture_output=True, text=True, check=False)
        if made.returncode != 0:
            return {**record, 'status': 'refused', 'why': made.stdout[-300:]}
        begin = time.monotonic()
        verdict = passes(command, environment)
        record['tried'].append([name, round(time.monotonic() - begin, 1)])
        if verdict != 'passed':
            return {**record, 'status': 'noticed' if verdict == 'failed' else 'hangs', 'by': name}
    return record


def work_through(options):
    found = [m for m in mutations.chosen() if m.area in AREAS and options.only in (None, m.area, m.name, m.kind)]
    end = time.monotonic() + options.seconds
    with open(options.output, 'a+', encoding='utf-8') as output:
        output.seek(0)
        known = {json.loads(line)['name'] for line in output}
        for mutation in found[options.offset::options.every]:
            if mutation.name in known:
                continue
            if time.monotonic() > end:
                return
            path = os.path.join(mutations.ENGINE, mutation.path)
            with open(path, encoding='utf-8') as file:
                original = file.read()
            try:
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(mutation.apply(original))
                record = judge(mutation, os.path.abspath(options.build), options.device)
            finally:
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(original)
            output.write(json.dumps(record) + '\n')
            output.flush()


def load():
    if not os.path.exists(RESULTS):
        return {}
    with open(RESULTS, encoding='utf-8') as file:
        return json.load(file)


def add(paths):
    results = load()
    for path in paths:
        with open(path, encoding='utf-8') as file:
            for line in file:
                record = json.loads(line)
                results[record['name']] = record
    with open(RESULTS, 'w', encoding='utf-8') as file:
        lines = (f'{json.dumps(name)}: {json.dumps(results[name])}' for name in sorted(results))
        file.write('{\n' + ',\n'.join(lines) + '\n}\n')


def print_table():
    results = [{**r, 'status': judged(r)} for r in load().values()]
    for r in results:
        print(f"{r['name']:20} {r['status']:8} {sum(s for _, s in r['tried']):6.1f} s  {r.get('by', '-'):16} {r['path']}:{r['line']}")
        if r['status'] == 'escaped':
            print(f"    - {r['old'].strip()}\n    + {r['new'].strip()}")
    for area in AREAS:
        counts = {s: sum(r['area'] == area and r['status'] == s for r in results)
                  for s in ('noticed', 'hangs', 'escaped', 'refused', 'harmless')}
        print(f'{area:8} ' + ', '.join(f'{count} {status}' for status, count in counts.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n', maxsplit=1)[0])
    parser.add_argument('--build', help='build folder of bench/gpu-build.sh, in this checkout')
    parser.add_argument('--device', default='cuda:0')
    parser.add_argument('--every', type=int, default=1, help='each so many mutations')
    parser.add_argument('--offset', type=int, default=0, help='the first of them')
    parser.add_argument('--only', help='an area, a kind or a name')
    parser.add_argument('--seconds', type=float, default=1e9, help='no mutation begins later')
    parser.add_argument('--output', help='a line of JSON for each mutation is appended')
    parser.add_argument('--add', nargs='+', help='files of --output')
    parser.add_argument('--table', action='store_true')
    options = parser.parse_args()
    if options.add:
        add(options.add)
    elif options.table:
        print_table()
    elif options.build and options.output:
        work_through(options)
    else:
        parser.error('--build with --output, --add or --table is required')
    return 0


if __name__ == '__main__':
    sys.exit(main())
