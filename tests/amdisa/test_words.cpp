// SPDX-License-Identifier: BSD-2-Clause-Patent
// Every word of the table against words.txt: small programs with what registers hold
// before and after. Each runs with all lanes on and with some, where lanes that are off must
// keep what they had, and once more with its first instruction knocked out, which must show.
//
//     test_words TARGET WAVE_SIZE words.txt DISASSEMBLY
//     test_words --known TARGET DISASSEMBLY...     the table has all of their instructions
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>

#include "base/error.h"
#include "block.h"
#include "words_file.h"

using namespace vmafgpu;
using namespace vmafgpu::isa;

namespace {

template <int W> class Test {
public:
    Test(Program &program, const std::string &target) : program_(program), block_(W)
    {
        kernel_.name = "words of " + target;
        kernel_.wave_size = W;
        kernel_.shared_bytes = 1024;
        bind_handlers(program_, W);
        map_.add(words_memory(), kMemoryBytes);
    }

    /// "" or what is wrong.
    std::string run(const Line &line, uint64_t exec)
    {
        exec_ = exec;
        line_ = &line;
        wrong_.clear();
        for (unsigned i = 0; i < kMemoryBytes; ++i)
            words_memory()[i] = static_cast<unsigned char>(i);
        kernel_.first = line.first;
        Launch launch = {};
        launch.program = &program_;
        launch.kernel = &kernel_;
        launch.memory = &map_;
        launch.code = reinterpret_cast<const char *>(0x10000);
        launch.threads = W;
        launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
        launch.seed = ++seed_;
        launch.limit = 1000;
        launch.prepare = [this](WaveBase &wave) {
            prepare(static_cast<Wave<W> &>(wave));
        };
        launch.inspect = [this](WaveBase &wave) {
            inspect(static_cast<Wave<W> &>(wave));
        };
        const std::string expected = error_of(line);
        try {
            block_.run(launch, {0, 0, 0});
        } catch (const Error &error) {
            block_.clear();
            std::string what = error.what();
            std::replace(what.begin(), what.end(), ' ', '_');
            if (expected.empty() || what.find(expected) == std::string::npos)
                return error.what();
            return "";
        }
        return expected.empty() ? wrong_ : "no error '" + expected + "'";
    }

private:
    static std::string error_of(const Line &line)
    {
        for (const Setting &setting : line.after)
            if (setting.name == "error")
                return setting.value;
        return "";
    }

    void prepare(Wave<W> &wave)
    {
        Inst none;
        auto *shared = reinterpret_cast<unsigned char *>(block_.shared(wave, none, 0, 1024));
        for (unsigned i = 0; i < 1024; ++i)
            shared[i] = static_cast<unsigned char>(i);
        for (const Setting &setting : line_->before)
            set(wave, place_of(setting.name), setting.value);
        if (W == 64)
            wave.write64(kExec, exec_);
        else
            wave.write32(kExec, static_cast<uint32_t>(exec_));
        std::memcpy(before_, wave.vectors, sizeof(before_));
    }

    void set(Wave<W> &wave, const Place &place, const std::string &value)
    {
        for (unsigned lane = 0; lane < W; ++lane) {
            const uint64_t bits = value_of(value, place.count, lane, wave.full);
            for (unsigned i = 0; i < place.count && place.kind == 'v'; ++i)
                wave.vectors[place.index + i][lane] = static_cast<uint32_t>(bits >> (32 * i & 63));
        }
        const uint64_t bits = value_of(value, place.count, 0, wave.full);
        if (place.kind == 'c')
            wave.scc = bits != 0;
        else if (place.kind == 'm')
            wave.write_mask(place.index, bits);
        else if (place.kind == 's' && place.count == 2)
            wave.write64(place.index, bits);
        else if (place.kind == 's')
            wave.write32(place.index, static_cast<uint32_t>(bits));
    }

    void expect(const std::string &name, unsigned lane, uint64_t got, uint64_t wanted,
                uint64_t within)
    {
        if (got - wanted + within <= 2 * within || !wrong_.empty())
            return;
        char text[160];
        std::snprintf(text, sizeof(text), "lane %u: %s is 0x%llx instead of 0x%llx", lane,
                      name.c_str(), static_cast<unsigned long long>(got),
                      static_cast<unsigned long long>(wanted));
        wrong_ = text;
    }

    void inspect(Wave<W> &wave)
    {
        std::set<unsigned> named, any;
        for (const Setting &setting : line_->after) {
            const Place place = place_of(setting.name);
            if (setting.name == "untouched") {
                check_untouched(static_cast<unsigned>(std::atoi(setting.value.c_str())));
                continue;
            }
            if (place.kind == 'v')
                for (unsigned i = 0; i < place.count; ++i)
                    named.insert(place.index + i);
            if (setting.value != "any")
                check(wave, setting, place);
            else
                any.insert(place.index);
        }
        // Nothing else has changed, and nothing at all in lanes that are off.
        for (unsigned row = 0; row < kVectors; ++row)
            for (unsigned lane = 0; lane < W && any.count(row) == 0; ++lane)
                if (named.count(row) == 0 || (exec_ >> lane & 1) == 0)
                    expect("v" + std::to_string(row), lane, wave.vectors[row][lane],
                           before_[row][lane], 0);
    }

    void check(Wave<W> &wave, const Setting &setting, const Place &place)
    {
        std::string value = setting.value;
        const size_t bound = value.find("+-");
        const uint64_t within =
            bound == std::string::npos ? 0 : std::strtoull(value.c_str() + bound + 2, nullptr, 0);
        value.resize(std::min(bound, value.size()));
        if (place.kind == 'v') {
            for (unsigned lane = 0; lane < W; ++lane) {
                if ((exec_ >> lane & 1) == 0)
                    continue;
                uint64_t got = wave.vectors[place.index][lane];
                if (place.count > 1)
                    got |= uint64_t{wave.vectors[place.index + 1][lane]} << 32;
                const uint64_t mask = place.count > 1 ? ~uint64_t{0} : 0xffffffff;
                expect(setting.name, lane, got, value_of(value, place.count, lane, exec_) & mask,
                       within);
            }
            return;
        }
        const uint64_t wanted = value_of(value, place.count, 0, exec_);
        if (place.kind == 'c')
            expect("scc", 0, wave.scc, wanted, 0);
        else if (place.kind == 'm')
            expect(setting.name, 0, wave.read_mask(place.index), wanted & wave.full, 0);
        else if (place.kind == 's' && place.count == 2)
            expect(setting.name, 0, wave.read64(place.index), wanted, 0);
        else if (place.kind == 's')
            expect(setting.name, 0, wave.scalars[place.index], wanted & 0xffffffff, within);
        else if (place.kind == 'M')
            expect(setting.name, 0, words_memory()[place.index], wanted, 0);
        else
            check_shared(wave, setting, place, wanted);
    }

    /// The bytes of lanes that are off, `each` for every lane.
    void check_untouched(unsigned each)
    {
        for (unsigned lane = 0; lane < W; ++lane)
            for (unsigned i = lane * each; (exec_ >> lane & 1) == 0 && i < (lane + 1) * each; ++i)
                expect("mem[" + std::to_string(i) + "]", lane, words_memory()[i], i & 255, 0);
    }

    void check_shared(Wave<W> &wave, const Setting &setting, const Place &place, uint64_t wanted)
    {
        Inst none;
        const char *byte = place.kind == 'L' ? block_.shared(wave, none, place.index, 1) : nullptr;
        if (byte)
            expect(setting.name, 0, static_cast<unsigned char>(*byte), wanted, 0);
        else
            wrong_ = "unknown place " + setting.name;
    }

    Program &program_;
    Block block_;
    Kernel kernel_;
    MemoryMap map_;
    const Line *line_ = nullptr;
    uint64_t exec_ = 0, seed_ = 0;
    uint32_t before_[kVectors][W];
    std::string wrong_;
};

void nothing(WaveBase &, const Inst &)
{
}

template <int W> int run_all(Program &program, const std::vector<Line> &lines)
{
    const auto test = std::make_unique<Test<W>>(program, program.target);
    int failures = 0;
    const uint64_t full = ~uint64_t{0} >> (64 - W);
    std::set<std::string> seen, noticed;
    for (const Line &line : lines) {
        const auto complain = [&](const std::string &what) {
            std::printf("words.txt:%d: %s: %s\n", line.number, line.text.c_str(), what.c_str());
            ++failures;
        };
        Inst &first = program.insts.at(line.tested);
        if (!first.run) {
            complain("not in the table: " + program.texts[first.id]);
            continue;
        }
        seen.insert(first.word->name);
        for (const uint64_t exec : {full, full & UINT64_C(0x5a3c96e1b4d2870f)}) {
            const std::string wrong = test->run(line, exec);
            if (!wrong.empty())
                complain(wrong);
            const Run kept = first.run;
            first.run = nothing;
            if (!test->run(line, exec).empty())
                noticed.insert(first.word->name);
            first.run = kept;
        }
    }
    for (const std::string &name : seen) {
        const Unit unit = all_words().at(name).unit;
        if (noticed.count(name) != 0 || name == "s_barrier" || unit == Unit::kHint)
            continue;
        std::printf("%s: no program notices when it does nothing\n", name.c_str());
        ++failures;
    }
    std::printf("%s, waves of %d: %zu programs of %zu words, %d failures\n", program.target.c_str(),
                W, lines.size(), seen.size(), failures);
    return failures == 0 && !lines.empty() ? 0 : 1;
}

std::string read_text(const char *path)
{
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// Instructions without a meaning are an error only when they are reached; here always.
int check_known(const std::string &target, const std::vector<const char *> &paths)
{
    size_t unknown = 0, known = 0;
    for (const char *path : paths) {
        Program program = parse_program(read_text(path), target);
        bind_handlers(program, 32);
        for (const auto *insts : {&program.insts, &program.seconds}) {
            for (const Inst &inst : *insts) {
                const std::string &text = program.texts[inst.id];
                // Behind the last instruction of a kernel.
                const bool is_filling = text == "s_code_end";
                if (!inst.run && !is_filling)
                    std::printf("%s: %s\n", path, text.c_str());
                unknown += !inst.run && !is_filling;
                known += inst.run != nullptr;
            }
        }
    }
    std::printf("%s: %zu instructions, %zu unknown\n", target.c_str(), known, unknown);
    return unknown == 0 && known > 0 ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc > 3 && std::string(argv[1]) == "--known")
        return check_known(argv[2], {argv + 3, argv + argc});
    if (argc != 5)
        return 2;
    Program program = parse_program(read_text(argv[4]), argv[1]);
    const std::vector<Line> lines = read_lines(argv[3], program, argv[2]);
    uint32_t expected = 0;
    for (const Line &line : lines)
        expected += line.count + 1;
    if (expected != program.insts.size()) {
        std::printf("%u instructions in words.txt, %zu in %s\n", expected, program.insts.size(),
                    argv[4]);
        return 1;
    }
    if (!names_all_words(argv[3]))
        return 1;
    return std::atoi(argv[2]) == 64 ? run_all<64>(program, lines) : run_all<32>(program, lines);
}
