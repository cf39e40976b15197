# SPDX-License-Identifier: BSD-2-Clause-Patent
"""python3 -m vmaf_gpu.batch is the command vmaf-gpu."""
import sys

from vmaf_gpu.batch.cli import main

sys.exit(main())
