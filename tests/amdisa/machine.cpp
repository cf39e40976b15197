// SPDX-License-Identifier: BSD-2-Clause-Patent
// See machine.h.
#include "machine.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>
#include <thread>

#include "base/error.h"

namespace vmafgpu {
namespace isa {

namespace {

std::string environment(const char *name, const char *otherwise)
{
    const char *text = std::getenv(name);
    return text && *text ? text : otherwise;
}

std::string read_file(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw Error(EINVAL, path + ": cannot be read");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// "v_add_f32_e32 v1, v2" -> "v_add_f32"
std::string word_name(const Inst &inst)
{
    return inst.word ? inst.word->name : "?";
}

void nothing(WaveBase &, const Inst &)
{
}

} // namespace

/// Machines that are alive; the stand-in never closes its devices.
struct Counting {
    std::set<const Machine *> machines;
    ~Counting()
    {
        for (const Machine *machine : machines)
            machine->write_files();
    }
    static Counting &all()
    {
        static Counting instance;
        return instance;
    }
};

struct Machine::Job {
    Launch launch;
    Loaded *loaded;
    std::atomic<uint64_t> next{0};
    uint64_t blocks, multiplier, offset;
    std::mutex mutex;
    std::string failure;
    int code = 0;
};

Machine::Machine(std::string target, std::string texts)
    : target_(std::move(target)), texts_(std::move(texts)),
      seed_(std::strtoull(environment("VMAFGPU_ISA_SEED", "1").c_str(), nullptr, 0)),
      limit_(std::strtoull(environment("VMAFGPU_ISA_LIMIT", "20000000").c_str(), nullptr, 0)),
      knocked_out_(environment("VMAFGPU_ISA_KNOCKOUT", ""))
{
    all_words(); // lives longer than what is made after it
    Counting::all().machines.insert(this);
}

Machine::~Machine()
{
    if (Counting::all().machines.erase(this) != 0)
        write_files();
}

void Machine::add(const std::string &name, const std::string &object)
{
    objects_.push_back(std::make_unique<Loaded>());
    objects_.back()->name = name;
    const std::string other = environment("VMAFGPU_ISA_OBJECTS", "");
    const std::string path = other + "/" + name + ".co";
    const bool is_replaced = !other.empty() && std::ifstream(path).good();
    objects_.back()->object = is_replaced ? read_file(path) : object;
}

void Machine::read(Loaded &loaded)
{
    if (loaded.is_read)
        return;
    loaded.program = parse_program(read_file(texts_ + "/" + loaded.name + ".s"), target_);
    read_code_object(loaded.object, loaded.program);
    loaded.counts.resize(loaded.program.texts.size());
    const size_t at = knocked_out_.find('@');
    const bool is_here =
        at == std::string::npos || loaded.name.find(knocked_out_.substr(at + 1)) == 0;
    for (auto *insts : {&loaded.program.insts, &loaded.program.seconds})
        for (Inst &inst : *insts)
            if (is_here && word_name(inst) == knocked_out_.substr(0, at))
                inst.run = nothing;
    memory_.add(loaded.program.image.data(), loaded.program.image.size());
    loaded.is_read = true;
}

Machine::Loaded *Machine::find(const std::string &kernel)
{
    for (const auto &loaded : objects_) {
        // Most objects are not needed by a run; a kernel's name is in its object.
        if (loaded->object.find(kernel + ".kd") == std::string::npos)
            continue;
        read(*loaded);
        if (loaded->program.kernels.count(kernel) != 0)
            return loaded.get();
    }
    return nullptr;
}

uint32_t Machine::kernarg_bytes(const std::string &kernel)
{
    Loaded *loaded = find(kernel);
    return loaded ? loaded->program.kernels.at(kernel).kernarg_bytes : 0;
}

void Machine::run_blocks(Job &job)
{
    Block block(job.launch.kernel->wave_size);
    try {
        for (uint64_t i = job.next++; i < job.blocks; i = job.next++) {
            const uint64_t at = (i * job.multiplier + job.offset) % job.blocks;
            const uint64_t row = at / job.launch.grid[0];
            block.run(job.launch, {static_cast<unsigned>(at % job.launch.grid[0]),
                                   static_cast<unsigned>(row % job.launch.grid[1]),
                                   static_cast<unsigned>(row / job.launch.grid[1])});
        }
    } catch (const Error &error) {
        const std::lock_guard<std::mutex> lock(job.mutex);
        job.failure = error.what();
        job.code = error.code();
        job.next = job.blocks;
    }
    const std::lock_guard<std::mutex> lock(job.mutex);
    for (size_t i = 0; i < block.counts().size(); ++i) {
        job.loaded->counts[i].waves += block.counts()[i].waves;
        job.loaded->counts[i].lanes += block.counts()[i].lanes;
        job.loaded->counts[i].ended |= block.counts()[i].ended;
    }
}

void Machine::launch(const std::string &name, const unsigned (&grid)[3], unsigned threads,
                     const std::string &kernarg)
{
    Loaded *loaded = find(name);
    if (!loaded)
        throw Error(EINVAL, "no machine code of kernel " + name + " for " + target_);
    const Kernel &kernel = loaded->program.kernels.at(name);
    // Sizes of a dispatch packet. Kernels read nothing else of it.
    alignas(64) uint32_t packet[16] = {};
    packet[1] = threads | 1u << 16;
    packet[2] = 1;
    for (int i = 0; i < 3; ++i)
        packet[3 + i] = grid[i] * (i == 0 ? threads : 1);
    Job job;
    job.launch = {&loaded->program,
                  &kernel,
                  &memory_,
                  loaded->program.image.data(),
                  kernarg.data(),
                  packet,
                  threads,
                  {grid[0], grid[1], grid[2]},
                  seed_ * 1000003 + ++launches_,
                  limit_};
    job.loaded = loaded;
    job.blocks = uint64_t{grid[0]} * grid[1] * grid[2];
    job.offset = seed_ * 7919 % job.blocks;
    job.multiplier = job.blocks / 2 + 1;
    while (std::gcd(job.multiplier, job.blocks) != 1)
        ++job.multiplier;
    memory_.add(kernarg.data(), kernarg.size());
    memory_.add(packet, sizeof(packet));
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> helpers;
    for (unsigned i = 1; i < std::min<uint64_t>(cores, job.blocks); ++i)
        helpers.emplace_back([&] { run_blocks(job); });
    run_blocks(job);
    for (std::thread &helper : helpers)
        helper.join();
    memory_.remove(packet);
    memory_.remove(kernarg.data());
    if (!job.failure.empty())
        throw Error(job.code, job.failure);
}

void Machine::write_files() const
{
    write_counts();
    write_coverage();
}

/// Writes a line for each instruction that was carried out: object, address, times, what it ended
/// if it is a wait (the sum of Ended), text.
void Machine::write_coverage() const
{
    const std::string path = environment("VMAFGPU_ISA_COVERAGE", "");
    FILE *file = path.empty() ? nullptr : std::fopen(path.c_str(), "a");
    if (!file)
        return;
    for (const auto &loaded : objects_)
        for (const Inst &inst : loaded->program.insts)
            if (loaded->counts[inst.id].waves > 0)
                std::fprintf(file, "%s\t%llx\t%llu\t%u\t%s\n", loaded->name.c_str(),
                             static_cast<unsigned long long>(inst.address),
                             static_cast<unsigned long long>(loaded->counts[inst.id].waves),
                             unsigned{loaded->counts[inst.id].ended},
                             loaded->program.texts[inst.id].c_str());
    std::fclose(file);
}

/// Object, kernel, word, unit, instructions in the code, times, lanes: one line for each.
void Machine::write_counts() const
{
    const std::string path = environment("VMAFGPU_ISA_COUNTS", "");
    FILE *file = path.empty() ? nullptr : std::fopen(path.c_str(), "a");
    if (!file)
        return;
    struct Sum {
        const char *unit;
        uint64_t places = 0, waves = 0, lanes = 0;
    };
    for (const auto &loaded : objects_) {
        const Program &program = loaded->program;
        std::map<uint32_t, std::string> names;
        for (const auto &[name, kernel] : program.kernels)
            names[kernel.first] = name;
        std::map<std::pair<std::string, std::string>, Sum> sums;
        std::string kernel;
        for (uint32_t i = 0; i < program.insts.size(); ++i) {
            const auto found = names.find(i);
            kernel = found != names.end() ? found->second : kernel;
            const Inst &inst = program.insts[i];
            const Count &count = loaded->counts[inst.id];
            if (count.waves == 0)
                continue;
            std::string name = word_name(inst);
            if (inst.second != 0)
                name = "dual " + name + "+" + word_name(program.seconds[inst.second - 1]);
            Sum &sum = sums[{kernel, name}];
            sum.unit = kUnitNames[static_cast<int>(inst.word->unit)];
            ++sum.places;
            sum.waves += count.waves;
            sum.lanes += count.lanes;
        }
        for (const auto &[key, sum] : sums)
            std::fprintf(file, "%s\t%s\t%s\t%s\t%llu\t%llu\t%llu\n", loaded->name.c_str(),
                         key.first.c_str(), key.second.c_str(), sum.unit,
                         static_cast<unsigned long long>(sum.places),
                         static_cast<unsigned long long>(sum.waves),
                         static_cast<unsigned long long>(sum.lanes));
    }
    std::fclose(file);
}

} // namespace isa
} // namespace vmafgpu
