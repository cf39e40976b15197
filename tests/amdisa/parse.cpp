// SPDX-License-Identifier: BSD-2-Clause-Patent
// Makes a program of the text that llvm-objdump writes: one line for each instruction, its
// address behind "//". Operands are bound to their word's types.
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <sstream>

#include "base/error.h"
#include "words.h"

namespace vmafgpu {
namespace isa {

namespace {

bool begins(const std::string &text, const char *with)
{
    return text.rfind(with, 0) == 0;
}

bool ends(std::string &text, const char *with)
{
    const std::string suffix = with;
    if (text.size() <= suffix.size() ||
        text.compare(text.size() - suffix.size(), suffix.size(), suffix) != 0)
        return false;
    text.resize(text.size() - suffix.size());
    return true;
}

/// Items by commas, outside brackets.
std::vector<std::string> split(const std::string &text)
{
    std::vector<std::string> items;
    std::string item;
    int depth = 0;
    for (const char c : text + ",") {
        depth += (c == '[' || c == '(') - (c == ']' || c == ')');
        if (c != ',' || depth > 0) {
            if (c != ' ' || !item.empty())
                item += c;
            continue;
        }
        if (!item.empty())
            items.push_back(item);
        item.clear();
    }
    return items;
}

/// "[1,0,1]" as bits, the first is the lowest.
uint8_t bit_list(const std::string &text)
{
    uint8_t bits = 0, bit = 1;
    for (const char c : text) {
        if (c == '0' || c == '1') {
            bits |= c == '1' ? bit : 0;
            bit = static_cast<uint8_t>(bit << 1);
        }
    }
    return bits;
}

Select select_of(const std::string &text)
{
    static const std::map<std::string, Select> names = {
        {"DWORD", Select::kAll},    {"BYTE_0", Select::kByte0}, {"BYTE_1", Select::kByte1},
        {"BYTE_2", Select::kByte2}, {"BYTE_3", Select::kByte3}, {"WORD_0", Select::kWord0},
        {"WORD_1", Select::kWord1}};
    const auto found = names.find(text);
    if (found == names.end())
        throw Error(EINVAL, "unknown selection " + text);
    return found->second;
}

/// Index of a register that has a name, or -1.
int named_register(const std::string &text, uint16_t *count)
{
    static const std::map<std::string, std::pair<unsigned, unsigned>> names = {
        {"vcc", {kVcc, 2}},   {"vcc_lo", {kVcc, 1}},   {"vcc_hi", {kVcc + 1, 1}},
        {"exec", {kExec, 2}}, {"exec_lo", {kExec, 1}}, {"exec_hi", {kExec + 1, 1}},
        {"m0", {kM0, 1}},     {"null", {kNull, 1}}};
    const auto found = names.find(text);
    if (found == names.end())
        return -1;
    *count = static_cast<uint16_t>(found->second.second);
    return static_cast<int>(found->second.first);
}

/// "v7", "s[4:7]", "ttmp9"; false if it is none.
bool parse_register(const std::string &text, Operand &operand)
{
    const int named = named_register(text, &operand.count);
    if (named >= 0) {
        operand.kind = Operand::Kind::kScalar;
        operand.index = static_cast<uint16_t>(named);
        return true;
    }
    const bool is_temporary = begins(text, "ttmp");
    const std::string rest = text.substr(is_temporary ? 4 : 1);
    if ((text[0] != 'v' && text[0] != 's' && !is_temporary) || rest.empty() ||
        (rest[0] != '[' && std::isdigit(static_cast<unsigned char>(rest[0])) == 0))
        return false;
    const size_t colon = rest.find(':');
    const int first = std::atoi(rest.c_str() + (rest[0] == '['));
    const int last = colon == std::string::npos ? first : std::atoi(rest.c_str() + colon + 1);
    const bool is_vector = text[0] == 'v';
    operand.kind = is_vector ? Operand::Kind::kVector : Operand::Kind::kScalar;
    operand.index =
        static_cast<uint16_t>(first + (is_temporary ? static_cast<int>(kTemporaries) : 0));
    operand.count = static_cast<uint16_t>(last - first + 1);
    if (operand.index + operand.count > (is_vector ? kVectors : kScalars))
        throw Error(EINVAL, "no register " + text);
    return true;
}

bool parse_constant(const std::string &text, Operand &operand)
{
    char *end = nullptr;
    operand.kind = Operand::Kind::kConstant;
    if (text.find('.') != std::string::npos) {
        operand.form = Operand::Form::kReal;
        operand.real = std::strtod(text.c_str(), &end);
    } else {
        const bool is_literal = begins(text, "0x");
        operand.form = is_literal ? Operand::Form::kLiteral : Operand::Form::kInteger;
        operand.bits = static_cast<uint64_t>(std::strtoll(text.c_str(), &end, 0));
    }
    return *end == '\0';
}

Operand parse_operand(std::string text)
{
    Operand operand;
    if (text == "off")
        return operand;
    if (begins(text, "sext(")) {
        operand.is_sign_extended = true;
        text = text.substr(5, text.size() - 6);
    }
    if (text[0] == '-' && text.size() > 1 &&
        std::isdigit(static_cast<unsigned char>(text[1])) == 0) {
        operand.is_negated = true;
        text.erase(0, 1);
    }
    if (text[0] == '|') {
        operand.is_absolute = true;
        text = text.substr(1, text.size() - 2);
    }
    if (!parse_register(text, operand) && !parse_constant(text, operand))
        throw Error(EINVAL, "unknown operand " + text);
    return operand;
}

/// The value that a constant has where `type` is read.
void bind_constant(Operand &operand, Type type)
{
    if (operand.form == Operand::Form::kReal) {
        const bool is_wide = type == Type::kF64 || type == Type::kU64 || type == Type::kI64;
        operand.bits = is_wide ? bits_as<uint64_t>(operand.real)
                               : bits_as<uint32_t>(static_cast<float>(operand.real));
    } else if (operand.form == Operand::Form::kLiteral) {
        const auto word = static_cast<uint32_t>(operand.bits);
        if (type == Type::kF64)
            operand.bits = static_cast<uint64_t>(word) << 32;
        else if (type == Type::kI64)
            operand.bits = static_cast<uint64_t>(int64_t{static_cast<int32_t>(word)});
    }
}

void set_waits(Inst &inst, const std::string &name, unsigned value)
{
    const auto low = static_cast<uint8_t>(value & 0x3f);
    const auto high = static_cast<uint8_t>(value >> 8 & 0x3f);
    if (name == "s_wait_loadcnt" || name == "vmcnt")
        inst.wait_load = low;
    else if (name == "s_wait_storecnt" || name == "s_waitcnt_vscnt")
        inst.wait_store = low;
    else if (name == "s_wait_dscnt" || name == "lgkmcnt")
        inst.wait_shared = low;
    else if (name == "s_wait_kmcnt")
        inst.wait_scalar = low;
    else if (name == "s_wait_loadcnt_dscnt")
        inst.wait_load = high, inst.wait_shared = low;
    else if (name == "s_wait_storecnt_dscnt")
        inst.wait_store = high, inst.wait_shared = low;
    else if (name != "expcnt")
        throw Error(EINVAL, "unknown counter " + name);
}

class Line {
public:
    explicit Line(std::string text) : text_(std::move(text)) {}

    /// Operands and modifiers of one instruction, "v_add_f32_e32 v1, v2, v3".
    Inst parse();

private:
    void take_modifiers(std::string &rest);
    void modifier(const std::string &word);
    void bind(const std::vector<std::string> &items);
    void add_uses();

    std::string text_;
    Inst inst_;
    bool is_dual_ = false;
    unsigned choices_ = 0; ///< items of op_sel
    Select selects_[2] = {Select::kAll, Select::kAll};
};

void Line::modifier(const std::string &word)
{
    const size_t colon = word.find(':');
    const std::string name = word.substr(0, colon);
    const std::string value = colon == std::string::npos ? "" : word.substr(colon + 1);
    const auto number = static_cast<int32_t>(std::strtol(value.c_str(), nullptr, 0));
    if (name == "offset")
        inst_.offset = number;
    else if (name == "offset0")
        inst_.offset0 = static_cast<uint16_t>(number);
    else if (name == "offset1")
        inst_.offset1 = static_cast<uint16_t>(number);
    else if (name == "op_sel") {
        inst_.op_sel = bit_list(value);
        choices_ = static_cast<unsigned>(value.size() / 2);
    } else if (name == "op_sel_hi")
        inst_.op_sel_hi = bit_list(value);
    else if (name == "neg_lo")
        inst_.neg_lo = bit_list(value);
    else if (name == "neg_hi")
        inst_.neg_hi = bit_list(value);
    else if (name == "clamp")
        inst_.is_clamped = true;
    else if (name == "src0_sel" || name == "src1_sel")
        selects_[name[3] - '0'] = select_of(value);
    else if (word != "dst_sel:DWORD" && word != "dst_unused:UNUSED_PAD" && name != "scope")
        throw Error(EINVAL, "unknown modifier " + word);
}

/// Cuts off everything behind the last operand: "v1, v2 offset:4 clamp".
void Line::take_modifiers(std::string &rest)
{
    for (;;) {
        while (!rest.empty() && rest.back() == ' ')
            rest.pop_back();
        const size_t blank = rest.rfind(' ');
        const std::string last = blank == std::string::npos ? rest : rest.substr(blank + 1);
        const bool has_value =
            last.find(':') != std::string::npos && last.find('[') > last.find(':');
        const bool is_modifier = has_value || last == "clamp";
        if (last.empty() || !is_modifier)
            return;
        modifier(last);
        rest.resize(blank == std::string::npos ? 0 : blank);
    }
}

void Line::bind(const std::vector<std::string> &items)
{
    const Word &word = *inst_.word;
    size_t at = 0;
    for (unsigned i = 0; i < word.destinations; ++i, ++at)
        inst_.to[i] = parse_operand(items.at(at));
    unsigned count = 0;
    for (; at < items.size(); ++at)
        inst_.from[count++] = parse_operand(items.at(at));
    if (word.accumulates)
        inst_.from[count++] = inst_.to[0];
    if (is_dual_ && word.name == "v_cndmask_b32" && count == 2)
        inst_.from[count++] = parse_operand("vcc_lo");
    // The destination's item follows those of the sources.
    if (choices_ == count + 1 && count < 3 && (inst_.op_sel >> count & 1) != 0)
        inst_.op_sel = static_cast<uint8_t>((inst_.op_sel ^ 1u << count) | 8);
    for (unsigned i = 0; i < 2; ++i)
        inst_.from[i].select = selects_[i];
    for (unsigned i = 0; i < count; ++i)
        if (inst_.from[i].is_constant())
            bind_constant(inst_.from[i], word.types[i]);
}

void Line::add_uses()
{
    const auto add = [&](const Operand &operand) {
        if (operand.is_vector() || (operand.is_scalar() && operand.index != kNull))
            inst_.uses.push_back({operand.is_vector(), operand.index, operand.count});
    };
    const Access &access = inst_.word->access;
    const bool is_memory = inst_.word->unit == Unit::kGlobal || inst_.word->unit == Unit::kShared;
    for (const Operand &operand : inst_.to)
        add(operand);
    for (Use &use : inst_.uses)
        use.is_loaded = is_memory && access.does == Access::Does::kLoad && !access.is_high;
    for (const Operand &operand : inst_.from)
        add(operand);
    if (inst_.word->reads_vcc)
        inst_.uses.push_back({false, kVcc, 2});
}

Inst Line::parse()
{
    const size_t blank = text_.find(' ');
    std::string name = text_.substr(0, blank);
    std::string rest = blank == std::string::npos ? "" : text_.substr(blank + 1);
    if (begins(name, "v_dual_")) {
        name = "v_" + name.substr(7);
        is_dual_ = true;
    }
    for (const char *suffix : {"_e32", "_e64", "_sdwa"})
        ends(name, suffix);
    const auto found = all_words().find(name);
    if (found == all_words().end())
        return inst_;
    inst_.word = &found->second;
    if (inst_.word->unit == Unit::kHint)
        return inst_;
    take_modifiers(rest);
    if (name == "s_waitcnt") {
        std::istringstream counters(rest);
        for (std::string counter; counters >> counter;)
            set_waits(inst_, counter.substr(0, counter.find('(')),
                      static_cast<unsigned>(std::atoi(counter.c_str() + counter.find('(') + 1)));
        return inst_;
    }
    std::vector<std::string> items = split(rest);
    if (begins(name, "s_wait")) {
        set_waits(inst_, name,
                  static_cast<unsigned>(std::strtol(items.back().c_str(), nullptr, 0)));
        return inst_;
    }
    bind(items);
    add_uses();
    return inst_;
}

/// Parses one instruction's text, or one half of a dual one. A text that cannot be read becomes an
/// instruction without a word, whose text says why.
Inst parse_line(const std::string &text, std::string &note)
{
    try {
        return Line(text).parse();
    } catch (const std::exception &error) {
        note = std::string(" (") + error.what() + ")";
        return {};
    }
}

void choose_handler(Inst &inst, unsigned wave_size)
{
    if (!inst.word)
        return;
    const unsigned which = wave_size == 64;
    const bool is_integer = inst.word->types[0] != Type::kF32 && inst.word->types[0] != Type::kF64;
    inst.run = inst.is_clamped && is_integer ? inst.word->clamped[which] : inst.word->run[which];
}

} // namespace

Program parse_program(const std::string &text, const std::string &target)
{
    Program program;
    program.target = target;
    const int number = std::atoi(target.c_str() + 3);
    program.generation = target.size() > 6 ? static_cast<unsigned>(number / 100) : 9;
    std::unordered_map<uint64_t, uint32_t> at;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const size_t comment = line.find("//");
        if (line.empty() || line[0] != '\t' || comment == std::string::npos)
            continue;
        std::string shown = line.substr(1, comment - 1);
        shown.erase(shown.find_last_not_of(' ') + 1);
        const uint64_t address = std::strtoull(line.c_str() + comment + 2, nullptr, 16);
        std::string note;
        const size_t dual = shown.find(" :: ");
        Inst inst = parse_line(shown.substr(0, dual), note);
        if (dual != std::string::npos) {
            Inst second = parse_line(shown.substr(dual + 4), note);
            if (!second.word)
                inst.word = nullptr;
            inst.uses.insert(inst.uses.end(), second.uses.begin(), second.uses.end());
            second.id = static_cast<uint32_t>(program.texts.size());
            program.seconds.push_back(second);
            inst.second = static_cast<uint32_t>(program.seconds.size());
        }
        inst.address = address;
        inst.id = static_cast<uint32_t>(program.texts.size());
        at[address] = static_cast<uint32_t>(program.insts.size());
        program.insts.push_back(inst);
        program.texts.push_back(shown + note);
    }
    for (Inst &inst : program.insts) {
        if (!inst.word || inst.word->unit != Unit::kBranch || !inst.from[0].is_constant())
            continue;
        const auto words = static_cast<int16_t>(inst.from[0].bits);
        const auto found = at.find(inst.address + 4 + static_cast<uint64_t>(int64_t{words} * 4));
        if (found == at.end())
            inst.word = nullptr;
        else
            inst.target = found->second;
    }
    return program;
}

void bind_handlers(Program &program, unsigned wave_size)
{
    for (Inst &inst : program.insts)
        choose_handler(inst, wave_size);
    for (Inst &inst : program.seconds)
        choose_handler(inst, wave_size);
}

} // namespace isa
} // namespace vmafgpu
