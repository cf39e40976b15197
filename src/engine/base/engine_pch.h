// SPDX-License-Identifier: BSD-2-Clause-Patent
// The standard headers that most files of the engine include. With Meson's option b_pch they are
// compiled once: half of the time of a small file. Each file still includes what it uses, since
// other builds do without this one.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>
