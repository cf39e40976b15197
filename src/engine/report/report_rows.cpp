// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_rows.h.
#include "report/report_rows.h"

#include <system_error>

#include "report/format_number.h"

namespace vmafgpu {

namespace {

/// Quoted (RFC 4180) only if it has to be; libvmaf's own names never have to. A spreadsheet would
/// take a cell that begins like a formula for one: such a name gets an apostrophe.
std::string csv_field(std::string text)
{
    if (!text.empty() && std::string("=+-@\t").find(text[0]) != std::string::npos)
        text.insert(0, "'");
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string result = "\"";
    for (const char c : text)
        result.append(c == '"' ? 2 : 1, c);
    return result + "\"";
}

/// A reason in one line.
std::string one_line(std::string text)
{
    for (char &c : text)
        c = c == '\n' || c == '\r' || c == '|' ? ' ' : c;
    return text;
}

} // namespace

RowFormat::RowFormat(const std::string &format, int precision, std::vector<std::string> names)
    : is_csv_(format != "sub"), end_(format == "csv" ? ",\n" : "\n"), precision_(precision),
      names_(std::move(names))
{
    check_precision(precision);
}

std::string RowFormat::head() const
{
    if (!is_csv_)
        return "";
    std::string text = "Frame";
    for (const std::string &name : names_)
        text.append(",").append(csv_field(name));
    return text + end_;
}

std::string RowFormat::row(int64_t index, const double *scores) const
{
    const std::string number = std::to_string(index);
    std::string text = number;
    if (!is_csv_)
        text = "{" + number + "}{" + std::to_string(index + 1) + "}frame: " + number + "|";
    for (size_t i = 0; i < names_.size(); ++i) {
        const std::string score = format_score(scores[i], precision_);
        if (is_csv_)
            text.append(",").append(score);
        else
            text.append(names_[i]).append(": ").append(score).append("|");
    }
    return text + end_;
}

std::string RowFormat::incomplete(const std::string &why, int64_t next) const
{
    const std::string text = "incomplete: " + one_line(why) + "\n";
    return is_csv_ ? "# " + text
                   : "{" + std::to_string(next) + "}{" + std::to_string(next + 1) + "}" + text;
}

void RowStream::begin()
{
    if (has_begun_)
        return;
    begin_ = file_.size();
    file_.write(format_.head());
    has_begun_ = true;
}

void RowStream::write(int64_t index, const double *scores)
{
    if (lost_code_ != 0)
        throw Error(lost_code_, "the log could not be written for too long, pairs are missing: " +
                                    std::generic_category().message(lost_code_));
    begin();
    if (index <= last_)
        return;
    file_.write(format_.row(index, scores));
    last_ = index;
}

void RowStream::end(const char *incomplete, int64_t next)
{
    begin();
    if (incomplete != nullptr && !has_ended_)
        file_.write(format_.incomplete(incomplete, next));
    has_ended_ = true;
}

bool RowStream::take(int64_t index, const double *scores) noexcept
{
    if (lost_code_ != 0)
        return true;
    try {
        write(index, scores);
        refused_ = 0;
        return true;
    } catch (const Error &error) {
        return refuse(error.code(), error.what());
    } catch (const std::exception &) {
        return refuse(ENOMEM, "no memory for a row of the log");
    }
}

bool RowStream::refuse(int code, const char *why) noexcept
{
    try {
        if (!has_warned_ && warn_)
            warn_(why);
    } catch (const std::exception &) { // no memory for the message; the end of the run has one
    }
    has_warned_ = true;
    if (++refused_ < kMostAttempts)
        return false;
    lost_code_ = code;
    return true;
}

bool RowStream::restart()
{
    if (has_begun_ && !file_.truncate(begin_))
        return false;
    has_begun_ = has_ended_ = has_warned_ = false;
    last_ = -1;
    refused_ = 0;
    lost_code_ = 0;
    return true;
}

} // namespace vmafgpu
