# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What a planted defect is, which units are compiled again, and which programs must see it.
The defects themselves are in defects.py.
"""
import glob
import os
from dataclasses import dataclass

ENGINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../src/engine')


def file_of(unit):
    """What is compiled again: a kernels file NAME_kernels.cpp as the emulator's module, a host source, or a test
    against the copied headers, so that it sees a wrong entry of a table."""
    if unit.endswith('_tables'):
        return f'tests/unit/test_{unit}.cpp'
    if glob.glob(f'{ENGINE}/**/{unit}_kernels.cpp', recursive=True):
        return f'emu_{unit}_kernels.cpp'
    return unit.removesuffix('_host') + '.cpp'


# Both emulators would use the kernels of vif_matrix for the larger scales.
ENVIRONMENT = {'vif': {'VMAFGPU_MATRIX': '0'}}

CHECK = 'tests/check/check'
TEST_EMU = 'tests/device/test_emu'
IMAGES = 'tests/unit/images'
TABLES = 'tests/unit/tables'
GOLDEN = 'tests/golden/golden'


@dataclass(frozen=True)
class Defect:
    name: str
    unit: str
    edits: list          # (file, old, new)
    cases: str           # filter of check; of gtest for the unpack kernel and for tables
    emu32: str = 'sums'
    emu64: str = 'sums'
    program: str = CHECK
    only: str = ''       # the only emulator that sees it
    place: str = ''      # what check --bisect says of emu64

    def runs(self):
        if self.program != CHECK:
            kind = 'crash' if self.emu32 == 'crash' else 'test'
            return [([f'--gtest_filter={self.cases}'], kind)]
        if self.unit.endswith('_cpu'):
            return [(['--device=cpu', self.cases], self.emu32)]
        bisect = {'emu64': ['--bisect', '--stop']} if self.place else {}
        return [([f'--device={device}', *bisect.get(device, []), self.cases], kind)
                for device, kind in (('emu32', self.emu32), ('emu64', self.emu64))
                if self.only in ('', device)]


def defect(name, unit, file, old, new, cases, *more, **named):
    """Returns a defect with a single replacement."""
    return Defect(name, unit, [(file, old, new)], cases, *more, **named)
