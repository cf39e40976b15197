// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reads words.txt for test_words.cpp: its programs, and what registers and memory hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inst.h"

namespace vmafgpu {
namespace isa {

/// Global memory of the programs.
constexpr unsigned kMemoryBytes = 4096;
unsigned char *words_memory();

struct Setting {
    std::string name, value;
};

struct Line {
    int number = 0;
    std::string text;
    std::vector<Setting> before, after;
    uint32_t first = 0, count = 0;
    uint32_t tested = 0; ///< instruction; marked by "!", or the first
};

/// A register, or a place in memory: "v0", "v[0:1]", "s2", "vcc", "mask4", "mem[8]".
struct Place {
    char kind = '?';
    unsigned index = 0, count = 1;
};

Place place_of(const std::string &name);
/// Returns the value that `text` stands for in a lane, for `count` registers. exec: lanes that are
/// on.
uint64_t value_of(const std::string &text, unsigned count, unsigned lane, uint64_t exec);
/// The lines that are meant for the program's target in waves of that size.
std::vector<Line> read_lines(const std::string &path, const Program &program,
                             const std::string &wave);
/// True if every word but hints is in some program, of whatever target; else prints which not.
bool names_all_words(const std::string &path);

} // namespace isa
} // namespace vmafgpu
