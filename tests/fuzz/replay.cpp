// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs a fuzz target once on every file of the folders given, and on each file cut
// short: what the corpora have found stays found, with any compiler.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "bytes.h"

int main(int argc, char **argv)
{
    int files = 0;
    for (int i = 1; i < argc; ++i)
        for (const auto &entry : std::filesystem::directory_iterator(argv[i])) {
            std::ifstream file(entry.path(), std::ios::binary);
            const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
            const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
            for (const size_t size : {bytes.size(), bytes.size() / 2})
                LLVMFuzzerTestOneInput(data, size);
            ++files;
        }
    std::printf("%d files\n", files);
    return files > 0 ? 0 : 1;
}
