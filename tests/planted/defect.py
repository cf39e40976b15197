# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What a planted defect is, which units are compiled again, and which programs must see it.
The defects themselves are in defects.py.
"""
from dataclasses import dataclass

# What is compiled again: a kernels file as the emulator's module, a host source, or a test.
UNITS = {
    'vif': 'emu_vif_kernels.cpp',
    'vif_matrix': 'emu_vif_matrix_kernels.cpp',
    'adm': 'emu_adm_kernels.cpp',
    'motion': 'emu_motion_kernels.cpp',
    'cambi': 'emu_cambi_kernels.cpp',
    'float_ansnr': 'emu_float_ansnr_kernels.cpp',
    'float_sums': 'emu_float_sums_kernels.cpp',
    'unpack': 'emu_unpack_kernels.cpp',
    'psnr': 'emu_psnr_kernels.cpp',
    'speed_chroma': 'emu_speed_chroma_kernels.cpp',
    'ssim': 'emu_ssim_kernels.cpp',
    'vif_record': 'vif_record.cpp',
    'adm_record': 'adm_record.cpp',
    'motion_record': 'motion_record.cpp',
    'psnr_record': 'psnr_record.cpp',
    'speed_chroma_record': 'speed_chroma_record.cpp',
    'cambi_record': 'cambi_record.cpp',
    'float_ansnr_record': 'float_ansnr_record.cpp',
    'float_sums_record': 'float_sums_record.cpp',
    'ssim_record': 'ssim_record.cpp',
    'scale': 'emu_scale_kernels.cpp',
    'scale_cpu': 'scale_cpu.cpp',
    'scale_record': 'scale_record.cpp',
    'psnr_ffmpeg': 'psnr_ffmpeg.cpp',
    'ffmpeg_ssim_cpu': 'ffmpeg_ssim_cpu.cpp',
    'float_adm_cpu': 'float_adm_cpu.cpp',
    'float_motion_cpu': 'float_motion_cpu.cpp',
    'float_vif_cpu': 'float_vif_cpu.cpp',
    'ssimulacra2': 'emu_ssimulacra2_kernels.cpp',
    'ssimulacra2_record': 'ssimulacra2_record.cpp',
    'ssimulacra2_cpu': 'ssimulacra2_cpu.cpp',
    'ssimulacra2_host': 'ssimulacra2.cpp',
    'xpsnr': 'xpsnr.cpp',
    'xpsnr_cpu': 'xpsnr_cpu.cpp',
    'xpsnr_weights': 'xpsnr_weights.cpp',
    # Compiled against the copied headers, so that they see a wrong entry.
    'luma_tables': 'tests/unit/test_luma_tables.cpp',
    'other_tables': 'tests/unit/test_other_tables.cpp',
    'ssim_tables': 'tests/unit/test_ssim_tables.cpp',
    'float_tables': 'tests/unit/test_float_tables.cpp',
}

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
    only: str = ''       # one emulator

    def runs(self):
        if self.program != CHECK:
            kind = 'crash' if self.emu32 == 'crash' else 'test'
            return [([f'--gtest_filter={self.cases}'], kind)]
        if self.unit.endswith('_cpu'):
            return [(['--device=cpu', self.cases], self.emu32)]
        return [([f'--device={device}', self.cases], kind)
                for device, kind in (('emu32', self.emu32), ('emu64', self.emu64))
                if self.only in ('', device)]


def defect(name, unit, file, old, new, cases, *more, **named):
    """One with a single replacement."""
    return Defect(name, unit, [(file, old, new)], cases, *more, **named)
