// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs a rule of pairing over stored sketches, and what judges pairs by their pictures, without an
// engine. replay.py compiles it, and writes and reads what it exchanges:
//   replay RULE                 each line of the input names the two files of a pair, with a tab
//                               between; the answer is a line of JSON, named as in the log
//   replay parts PAIRS          the same input, paired by number: how many pairs parts of so many
//                               find fault with, each for itself
//   replay sketch WIDTH HEIGHT  makes the sketches of the input, luma planes of 8 bits
// One thing is left to pairing.cpp: agreeing pictures may confirm a beginning that is undecided and
// more than kMostStartOffset frames apart.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pairing/agreement.h"
#include "pairing/rule.h"
#include "picture/sketch.h"

namespace vmafgpu {
namespace {

constexpr const char *kStarts[] = {"together",  "pictures_first", "pictures_time", "undecided",
                                   "by_option", "by_search",      "by_number"};

/// What arrived at one input. The file has the number of frames, time base and rate; a time for
/// each frame; what picture each one shows, which only replay.py reads; the sketches.
struct Recorded {
    VmafGpuPairingInput declared = {};
    std::vector<int64_t> pts; ///< kNoTime: the frame has none
    std::vector<uint8_t> sketches;

    explicit Recorded(const std::string &path)
    {
        std::ifstream file(path, std::ios::binary);
        int64_t head[5] = {};
        file.read(reinterpret_cast<char *>(head), sizeof(head));
        const int64_t sizes[] = {head[0] * 8, head[0] * kSketchBytes};
        pts.resize(static_cast<size_t>(head[0]));
        sketches.resize(static_cast<size_t>(sizes[1]));
        file.read(reinterpret_cast<char *>(pts.data()), sizes[0]).ignore(sizes[0]);
        file.read(reinterpret_cast<char *>(sketches.data()), sizes[1]);
        if (!file) {
            std::fprintf(stderr, "%s: not a file of replay.py\n", path.c_str());
            std::exit(1);
        }
        declared = {static_cast<int>(head[1]), static_cast<int>(head[2]), static_cast<int>(head[3]),
                    static_cast<int>(head[4])};
    }

    int64_t frames() const { return static_cast<int64_t>(pts.size()); }
    const uint8_t *sketch(int64_t number) const { return &sketches[number * kSketchBytes]; }
};

void print_mismatch(const char *name, const Mismatch &mismatch)
{
    std::printf("\"%s\": %jd, \"first_%s\": %jd, \"offset_%s\": %jd, ", name,
                intmax_t{mismatch.pairs}, name, intmax_t{mismatch.first}, name,
                intmax_t{mismatch.offset});
}

class Replay {
public:
    Replay(const std::string &main, const std::string &reference, int rule)
        : input_{Recorded(main), Recorded(reference)}
    {
        PairingSettings settings;
        settings.rule = rule;
        for (const Input i : {kMain, kReference})
            settings.input[i] = input_[i].declared;
        rule_ = make_rule(settings, [this](const Frame &frame) {
            return input_[frame.tag].sketch(frame.number);
        });
    }

    void run()
    {
        Rule::Status status = Rule::Status::kNeeds;
        while (status == Rule::Status::kNeeds || status == Rule::Status::kDecided) {
            Decision decision;
            unsigned needs = 0;
            status = rule_->next(decision, needs);
            if (status == Rule::Status::kDecided)
                list_.emplace_back(decision.main.number, decision.reference.number);
            if (status == Rule::Status::kDecided && decision.facts.kind == VMAFGPU_MATCH_PAIR)
                agreement_.add_pair(
                    {pairs_++, decision.main.time, list_.back().first, list_.back().second},
                    input_[kMain].sketch(decision.main.number));
            for (const Input input : {kMain, kReference})
                if (status == Rule::Status::kNeeds && (needs >> input & 1) != 0)
                    bring(input);
        }
        const Recorded &rest = input_[kReference];
        for (int64_t n = came_[kReference]; n < rest.frames() && agreement_.wants_reference(); ++n)
            agreement_.add_reference(n, rest.sketch(n));
        agreement_.finish();
    }

    void print() const
    {
        const Findings &findings = rule_->findings();
        const Disagreement &pictures = agreement_.found();
        std::printf("{\"start\": \"%s\", \"corrections\": %jd, \"agreeing\": %jd, \"turn\": %d, ",
                    kStarts[static_cast<int>(findings.start)], intmax_t{findings.corrections},
                    intmax_t{pictures.agreeing}, static_cast<int>(pictures.turn));
        print_mismatch("elsewhere", pictures.elsewhere);
        print_mismatch("unrelated", pictures.unrelated);
        std::printf("\"list\": [");
        for (size_t i = 0; i < list_.size(); ++i)
            std::printf("%s[%jd, %jd]", i == 0 ? "" : ", ", intmax_t{list_[i].first},
                        intmax_t{list_[i].second});
        std::printf("]}\n");
    }

private:
    /// Gives the rule the next frame, or its end, as Pairing::feed() does.
    void bring(Input input)
    {
        const Recorded &from = input_[input];
        if (came_[input] == from.frames()) {
            rule_->end(input);
            return;
        }
        Frame frame;
        frame.number = came_[input]++;
        frame.pts = from.pts[static_cast<size_t>(frame.number)];
        frame.time =
            nanoseconds(frame.pts, {from.declared.time_base_num, from.declared.time_base_den});
        frame.tag = input;
        if (input == kReference)
            agreement_.add_reference(frame.number, from.sketch(frame.number));
        rule_->add(input, std::move(frame));
    }

    Recorded input_[kInputs];
    std::unique_ptr<Rule> rule_;
    Agreement agreement_;
    int64_t came_[kInputs] = {};
    std::vector<std::pair<int64_t, int64_t>> list_; ///< numbers of main and reference
    int64_t pairs_ = 0;
};

/// Judges pairs [begin, end) by the frames that a part of a run sees.
int64_t faults_of_part(const Recorded &main, const Recorded &reference, int64_t begin, int64_t end)
{
    constexpr int64_t kAround = 2; // what scores need beside a part
    Agreement agreement(true);
    for (int64_t n = std::max<int64_t>(0, begin - kAround);
         n < std::min(reference.frames(), end + kAround); ++n) {
        agreement.add_reference(n, reference.sketch(n));
        if (n >= begin && n < end)
            agreement.add_pair({n, 0, n, n}, main.sketch(n));
    }
    agreement.finish();
    return agreement.found().elsewhere.pairs + agreement.found().unrelated.pairs;
}

void replay_parts(const std::string &main_path, const std::string &reference_path, int64_t length)
{
    const Recorded main(main_path), reference(reference_path);
    const int64_t pairs = std::min(main.frames(), reference.frames());
    int64_t told = 0;
    for (int64_t begin = 0; begin < pairs; begin += length)
        told += faults_of_part(main, reference, begin, std::min(begin + length, pairs));
    std::printf("{\"pairs\": %jd, \"told\": %jd}\n", intmax_t{pairs}, intmax_t{told});
}

void replay_all(int rule, int64_t part)
{
    std::string line;
    while (std::getline(std::cin, line)) {
        const size_t tab = line.find('\t');
        if (part > 0) {
            replay_parts(line.substr(0, tab), line.substr(tab + 1), part);
            continue;
        }
        Replay replay(line.substr(0, tab), line.substr(tab + 1), rule);
        replay.run();
        replay.print();
    }
}

void sketch_all(int width, int height)
{
    std::vector<char> luma(static_cast<size_t>(width) * static_cast<size_t>(height));
    VmafGpuPicture picture = {};
    picture.width = width;
    picture.height = height;
    picture.depth = 8;
    picture.plane[0].data = luma.data();
    picture.plane[0].pitch = width;
    Sketch sketch;
    while (std::cin.read(luma.data(), static_cast<std::streamsize>(luma.size()))) {
        make_sketch(picture, sketch.data());
        std::fwrite(sketch.data(), 1, sketch.size(), stdout);
    }
}

} // namespace
} // namespace vmafgpu

int main(int argc, char **argv)
{
    if (argc == 4 && std::strcmp(argv[1], "sketch") == 0)
        vmafgpu::sketch_all(std::atoi(argv[2]), std::atoi(argv[3]));
    else if (argc == 3 && std::strcmp(argv[1], "parts") == 0)
        vmafgpu::replay_all(0, std::max(std::atoi(argv[2]), 1));
    else if (argc == 2)
        vmafgpu::replay_all(std::atoi(argv[1]), 0);
    else
        return 1;
    return 0;
}
