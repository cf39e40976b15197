// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "simt.h"
