#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Configures build/ if nobody has yet.
. "$(dirname "$0")/lib.sh"
configure_engine
