// SPDX-License-Identifier: BSD-2-Clause-Patent
// Any bytes as a JSON log for `vmaf_gpu report`: read, or refused by an Error of one line. What was
// read is consistent, and takes memory in proportion to the text.
#include <sstream>

#include "base/error.h"
#include "bytes.h"
#include "parts/log_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    using namespace vmafgpu;
    std::istringstream text(std::string(reinterpret_cast<const char *>(data), size));
    try {
        const ReadLog log = read_log(text, "fuzz.json");
        VMAFGPU_FUZZ_REQUIRE(log.table.rows() > 0 && !log.table.names().empty());
        VMAFGPU_FUZZ_REQUIRE(log.times.size() == log.table.rows());
        VMAFGPU_FUZZ_REQUIRE(log.table.rows() * log.table.names().size() <= size);
        for (size_t row = 0; row < log.table.rows(); ++row)
            VMAFGPU_FUZZ_REQUIRE(log.table.find(log.table.index(row)) == row);
    } catch (const Error &error) {
        const std::string message = error.what();
        VMAFGPU_FUZZ_REQUIRE(!message.empty() && message.find('\n') == std::string::npos);
        VMAFGPU_FUZZ_REQUIRE(error.code() > 0);
    }
    return 0;
}
