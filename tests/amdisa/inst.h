// SPDX-License-Identifier: BSD-2-Clause-Patent
// An instruction of AMD machine code as the interpreter holds it, the table of words that
// it is bound to, and a program: the instructions of one code object. What a word does is
// in the *_table.cpp files; parse.cpp makes programs of llvm-objdump's text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace vmafgpu {
namespace isa {

// Names of scalar registers; the encodings differ between generations, the names do not.
constexpr unsigned kVcc = 106;
constexpr unsigned kTemporaries = 108; ///< ttmp0 to ttmp15
constexpr unsigned kM0 = 124;
constexpr unsigned kNull = 125;
constexpr unsigned kExec = 126;
constexpr unsigned kScalars = 128;
constexpr unsigned kVectors = 256;

/// How a source is read; this decides what a constant means.
enum class Type : uint8_t { kNone, kU16, kI16, kU32, kI32, kF32, kU64, kI64, kF64 };

enum class Select : uint8_t { kAll, kByte0, kByte1, kByte2, kByte3, kWord0, kWord1 };

struct Operand {
    enum class Kind : uint8_t { kNone, kVector, kScalar, kConstant };
    enum class Form : uint8_t { kInteger, kReal, kLiteral }; ///< how a constant was written
    Kind kind = Kind::kNone;
    Form form = Form::kInteger;
    Select select = Select::kAll;
    bool is_negated = false, is_absolute = false, is_sign_extended = false;
    uint16_t index = 0; ///< first register
    uint16_t count = 1; ///< registers
    uint64_t bits = 0;  ///< value of a constant, as the word's type reads it
    double real = 0;

    bool is_vector() const { return kind == Kind::kVector; }
    bool is_scalar() const { return kind == Kind::kScalar; }
    bool is_constant() const { return kind == Kind::kConstant; }
};

enum class Unit : uint8_t {
    kVector,
    kScalar,
    kGlobal,
    kShared,
    kScalarLoad,
    kBranch,
    kWait,
    kHint
};
constexpr const char *kUnitNames[] = {"VALU", "SALU",   "VMEM", "LDS",
                                      "SMEM", "branch", "wait", "hint"};

struct Inst;
class WaveBase;
using Run = void (*)(WaveBase &wave, const Inst &inst);

/// The access that a memory word makes for each lane.
struct Access {
    enum class Does : uint8_t { kLoad, kStore, kAdd, kPermute };
    Does does = Does::kLoad;
    uint8_t bytes = 4; ///< at each address
    bool is_signed = false;
    bool is_high = false; ///< the upper half of a register alone
    uint8_t addresses = 1;
    uint16_t stride = 0; ///< unit of offset0 and offset1, if there are two addresses
    bool is_low = false; ///< the lower half of a register alone
};

struct Word {
    std::string name;
    Unit unit = Unit::kVector;
    Run run[2] = {nullptr, nullptr};     ///< waves of 32, of 64
    Run clamped[2] = {nullptr, nullptr}; ///< functions for integers with the modifier "clamp"
    uint8_t destinations = 1;
    Type types[4] = {Type::kNone, Type::kNone, Type::kNone, Type::kNone};
    bool accumulates = false; ///< the destination is the last source too
    bool reads_vcc = false;   ///< reads VCC although the text does not name it
    Access access;
};

/// Registers that an instruction names.
struct Use {
    bool is_vector;
    uint16_t index, count;
    bool is_loaded = false; ///< a load writes it, and nothing else does
};

struct Inst {
    const Word *word = nullptr; ///< null: not in the table, an error when it is reached
    Run run = nullptr;
    Operand to[2];
    Operand from[4];
    std::vector<Use> uses;
    uint64_t address = 0;
    uint32_t target = 0; ///< index that a branch leads to
    uint32_t second = 0; ///< second half of a dual instruction: index in Program::seconds, plus one
    int32_t offset = 0;
    uint16_t offset0 = 0, offset1 = 0;
    uint8_t op_sel = 0, op_sel_hi = 7, neg_lo = 0, neg_hi = 0;
    bool is_clamped = false;
    bool returns = false; ///< an atomic that returns the value before
    uint8_t wait_load = 255, wait_store = 255, wait_shared = 255, wait_scalar = 255;
    uint32_t id = 0; ///< index in Program::texts and in the counts
};

struct Kernel {
    std::string name;
    uint32_t first = 0; ///< instruction
    unsigned wave_size = 32;
    uint32_t shared_bytes = 0, kernarg_bytes = 0;
    uint32_t rsrc1 = 0, rsrc2 = 0;
    uint16_t properties = 0;
};

struct Program {
    unsigned generation = 0; ///< 9 to 12
    std::string target;      ///< "gfx1100"
    std::vector<Inst> insts;
    std::vector<Inst> seconds; ///< the right halves of dual instructions
    std::vector<std::string> texts;
    std::map<std::string, Kernel> kernels;
    std::vector<char> image; ///< the image as it is loaded: address 0 is image[0]
};

/// Names are unlike where meanings are, but for what `generation` decides.
using Table = std::unordered_map<std::string, Word>;
const Table &all_words();

/// Text of `llvm-objdump -d`, of code for `target`. Words that are missing are bound to null.
Program parse_program(const std::string &text, const std::string &target);
/// Chooses what to call for each word.
void bind_handlers(Program &program, unsigned wave_size);
/// Adds kernels and the loaded image. Throws Error(EINVAL) for what is not supported.
void read_code_object(const std::string &file, Program &program);

} // namespace isa
} // namespace vmafgpu
