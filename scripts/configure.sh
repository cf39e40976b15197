#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Configures build/ if nobody has yet.
#   scripts/configure.sh          for scores on this machine: its GPUs, its processor, no tests
#   scripts/configure.sh test     all that scripts/test.sh needs
#   scripts/configure.sh full     all that scripts/test.sh full needs
. "$(dirname "$0")/lib/common.sh"
configure_engine "$@"
