// SPDX-License-Identifier: BSD-2-Clause-Patent
// Parser and predictor of svm.h. The order of the predictor's additions must not change: equality
// with libsvm to the last bit depends on it.
#include "model/svm.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "libm/libm.h"

namespace vmafgpu {

namespace {

constexpr std::string_view kBlank = " \t\r";

// Header keys that a regression with this kernel does not read.
constexpr std::string_view kIgnored[] = {"degree", "coef0", "label", "probA", "probB", "nr_sv"};

/// Cut the next blank-separated word off the front of `line`; "" at its end.
std::string_view next_word(std::string_view &line)
{
    const size_t begin = line.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) {
        line = {};
        return {};
    }
    const size_t end = std::min(line.find_first_of(kBlank, begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    line.remove_prefix(end);
    return word;
}

} // namespace

class SvmParser {
public:
    SvmParser(std::string_view text, size_t features, const std::string &where)
        : rest_(text), where_(where)
    {
        svm_.features_ = features;
    }

    Svm run()
    {
        read_header();
        read_vectors();
        svm_.vectors_ = in_blocks();
        return std::move(svm_);
    }

private:
    [[noreturn]] void fail(const std::string &text) const
    {
        throw Error(EINVAL, where_ + ": line " + std::to_string(line_) + ": " + text);
    }

    bool next_line(std::string_view &line)
    {
        if (rest_.empty())
            return false;
        const size_t end = rest_.find('\n');
        line = rest_.substr(0, end);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        ++line_;
        return true;
    }

    void read_header();
    void read_key(std::string_view key, std::string_view values);
    void read_vectors();
    void read_vector(std::string_view line);
    std::vector<double> in_blocks() const;
    double one_number(std::string_view key, std::string_view values) const;
    void one_word(std::string_view key, std::string_view values, std::string_view allowed) const;

    Svm svm_;
    std::vector<double> rows_; ///< a support vector after the other
    std::string_view rest_;
    const std::string &where_;
    int line_ = 0;
    std::map<std::string, int, std::less<>> seen_; ///< header keys and their lines
    int total_ = 0;
};

void SvmParser::read_header()
{
    std::string_view line;
    while (next_line(line)) {
        const std::string_view key = next_word(line);
        if (key == "SV") {
            if (!next_word(line).empty())
                fail("text after SV");
            for (const char *required :
                 {"svm_type", "kernel_type", "gamma", "nr_class", "total_sv", "rho"})
                if (seen_.find(required) == seen_.end())
                    fail(std::string("the header lacks ") + required);
            return;
        }
        if (key.empty())
            fail("empty line in the header");
        if (!seen_.emplace(key, line_).second)
            fail("a second " + quote(key));
        read_key(key, line);
    }
    fail("the text ends before the line SV");
}

void SvmParser::read_key(std::string_view key, std::string_view values)
{
    if (key == "svm_type") {
        one_word(key, values, "nu_svr");
    } else if (key == "kernel_type") {
        one_word(key, values, "rbf");
    } else if (key == "nr_class") {
        one_word(key, values, "2");
    } else if (key == "gamma") {
        svm_.gamma_ = one_number(key, values);
        if (svm_.gamma_ < 0)
            fail("gamma must not be negative");
    } else if (key == "rho") {
        svm_.rho_ = one_number(key, values);
    } else if (key == "total_sv") {
        const std::string_view word = next_word(values);
        if (!parse_int(word, &total_) || total_ < 1 || !next_word(values).empty())
            fail("total_sv must be one integer above 0, not " + quote(word));
    } else {
        for (const std::string_view ignored : kIgnored)
            if (key == ignored)
                return;
        fail("unknown key " + quote(key));
    }
}

double SvmParser::one_number(std::string_view key, std::string_view values) const
{
    const std::string_view word = next_word(values);
    double value = 0;
    if (!parse_double(word, &value) || !next_word(values).empty())
        fail(std::string(key) + " must be one finite number, not " + quote(word));
    return value;
}

void SvmParser::one_word(std::string_view key, std::string_view values,
                         std::string_view allowed) const
{
    const std::string_view word = next_word(values);
    if (word != allowed || !next_word(values).empty())
        fail(std::string(key) + " must be " + std::string(allowed) + ", not " + quote(word));
}

void SvmParser::read_vectors()
{
    std::string_view line;
    while (next_line(line)) {
        if (line.find_first_not_of(kBlank) == std::string_view::npos) {
            if (rest_.find_first_not_of(" \t\r\n") == std::string_view::npos)
                break; // blank lines at the end
            fail("empty line among the support vectors");
        }
        if (svm_.size() == static_cast<size_t>(total_))
            fail("more support vectors than total_sv, " + std::to_string(total_));
        read_vector(line);
    }
    if (svm_.size() != static_cast<size_t>(total_))
        fail("total_sv is " + std::to_string(total_) + " but there are " +
             std::to_string(svm_.size()) + " support vectors");
}

void SvmParser::read_vector(std::string_view line)
{
    const std::string_view first = next_word(line);
    double value = 0;
    if (!parse_double(first, &value))
        fail("the coefficient " + quote(first) + " is not a finite number");
    svm_.coefficients_.push_back(value);

    const size_t base = rows_.size();
    rows_.resize(base + svm_.features_, 0.0);
    int previous = 0;
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
        const size_t colon = word.find(':');
        int index = 0;
        if (colon == std::string_view::npos || !parse_int(word.substr(0, colon), &index) ||
            !parse_double(word.substr(colon + 1), &value))
            fail(quote(word) + " is not of the form index:number");
        if (index <= previous)
            fail("index " + std::to_string(index) + " is not above the one before it");
        if (static_cast<size_t>(index) > svm_.features_)
            fail("index " + std::to_string(index) + " is above the number of features, " +
                 std::to_string(svm_.features_));
        rows_[base + static_cast<size_t>(index) - 1] = value;
        previous = index;
    }
}

std::vector<double> SvmParser::in_blocks() const
{
    constexpr size_t kBlock = Svm::kBlock;
    const size_t blocks = (svm_.size() + kBlock - 1) / kBlock;
    std::vector<double> result(blocks * svm_.features_ * kBlock, 0.0);
    for (size_t k = 0; k < svm_.size(); ++k)
        for (size_t i = 0; i < svm_.features_; ++i)
            result[(k / kBlock * svm_.features_ + i) * kBlock + k % kBlock] =
                rows_[k * svm_.features_ + i];
    return result;
}

Svm Svm::parse(std::string_view text, size_t features, const std::string &where)
{
    return SvmParser(text, features, where).run();
}

std::vector<double> Svm::parameters() const
{
    std::vector<double> result = {gamma_, rho_};
    for (size_t k = 0; k < coefficients_.size(); ++k) {
        result.push_back(coefficients_[k]);
        for (size_t i = 0; i < features_; ++i)
            result.push_back(vectors_[(k / kBlock * features_ + i) * kBlock + k % kBlock]);
    }
    return result;
}

double Svm::predict(const double *x) const
{
    double sum = 0;
    const double *values = vectors_.data();
    for (size_t first = 0; first < coefficients_.size(); first += kBlock) {
        double distance[kBlock] = {};
        for (size_t i = 0; i < features_; ++i, values += kBlock) {
            for (size_t k = 0; k < kBlock; ++k) {
                const double delta = x[i] - values[k];
                distance[k] = distance[k] + delta * delta;
            }
        }
        const size_t count = std::min(kBlock, coefficients_.size() - first);
        for (size_t k = 0; k < count; ++k)
            sum = sum + coefficients_[first + k] * libm::exp(-gamma_ * distance[k]);
    }
    return sum - rho_;
}

} // namespace vmafgpu
