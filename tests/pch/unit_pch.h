// SPDX-License-Identifier: BSD-2-Clause-Patent
// The same for tests/unit, whose fixtures read JSON and files.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "test_pch.h"
