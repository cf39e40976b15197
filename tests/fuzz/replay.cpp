// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs a fuzz target once on every file of the folders given, and on each file cut
// short: what the corpora have found stays found, with any compiler. A folder without
// files is a failure.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "bytes.h"

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i) {
        int files = 0;
        for (const auto &entry : std::filesystem::directory_iterator(argv[i])) {
            std::ifstream file(entry.path(), std::ios::binary);
            const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
            const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
            for (const size_t size : {bytes.size(), bytes.size() / 2})
                LLVMFuzzerTestOneInput(data, size);
            ++files;
        }
        std::printf("%s: %d files\n", argv[i], files);
        if (files == 0)
            return 1;
    }
    return argc > 1 ? 0 : 1;
}
