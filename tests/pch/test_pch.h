// SPDX-License-Identifier: BSD-2-Clause-Patent
// Compiled once for the sources of a large test program, with Meson's option b_pch.
#include <gtest/gtest.h>

#include "base/engine_pch.h"
