// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs launches of AMD machine code: finds the kernel in the code objects of one
// architecture, runs its blocks in random order on host threads, counts instructions, and
// knocks instructions out for tests of the tests.
//
//  VMAFGPU_ISA_SEED=N         order of blocks and waves, and the junk in registers
//  VMAFGPU_ISA_COUNTS=FILE    appended at exit: what was carried out how often (counts.py)
//  VMAFGPU_ISA_COVERAGE=FILE  appended at exit: each instruction that was carried out
//  VMAFGPU_ISA_OBJECTS=DIR    code objects there, NAME.co, stand for those of the build
//  VMAFGPU_ISA_KNOCKOUT=WORD@OBJECT  instructions of that name do nothing in the code
//                             objects whose name begins so; without @OBJECT: in all
//  VMAFGPU_ISA_LIMIT=N        more instructions of one wave are an error
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "block.h"

namespace vmafgpu {
namespace isa {

class Machine {
public:
    /// `texts`: folder with what llvm-objdump wrote for each code object, NAME.s.
    Machine(std::string target, std::string texts);
    ~Machine();
    Machine(const Machine &) = delete;
    Machine &operator=(const Machine &) = delete;

    MemoryMap &memory() { return memory_; }
    /// A code object under the name that its text has. It is read when a kernel is looked for.
    void add(const std::string &name, const std::string &object);
    /// Throws Error(EIO) or Error(EINVAL).
    void launch(const std::string &kernel, const unsigned (&grid)[3], unsigned threads,
                const std::string &kernarg);
    /// Bytes of a kernel's arguments, 0 if there is no such kernel.
    uint32_t kernarg_bytes(const std::string &kernel);

private:
    struct Loaded {
        std::string name, object;
        Program program;
        std::vector<Count> counts;
        bool is_read = false;
    };
    struct Job;

    friend struct Counting;
    Loaded *find(const std::string &kernel);
    void read(Loaded &loaded);
    void run_blocks(Job &job);
    void write_files() const;
    void write_counts() const;
    void write_coverage() const;

    std::string target_, texts_;
    std::vector<std::unique_ptr<Loaded>> objects_;
    MemoryMap memory_;
    uint64_t seed_, launches_ = 0, limit_;
    std::string knocked_out_;
};

} // namespace isa
} // namespace vmafgpu
