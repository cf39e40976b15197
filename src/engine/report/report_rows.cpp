// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_rows.h.
#include "report/report_rows.h"

#include <system_error>

#include "base/format_number.h"

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

} // namespace

std::string incomplete_row(const std::string &format, std::string reason, int64_t next)
{
    for (char &c : reason)
        c = c == '\n' || c == '\r' || c == '|' ? ' ' : c;
    const std::string number = std::to_string(next), after = std::to_string(next + 1);
    return (format == "sub" ? "{" + number + "}{" + after + "}" : "# ") + "incomplete: " + reason +
           "\n";
}

RowStream::RowStream(const std::string &format, int precision, std::vector<std::string> names,
                     ReportFile &file, std::function<void(const char *)> warn)
    : format_(format), is_csv_(format != "sub"), end_(format == "csv" ? ",\n" : "\n"),
      precision_(precision), names_(std::move(names)), file_(file), warn_(std::move(warn))
{
    check_precision(precision);
}

std::string RowStream::head() const
{
    if (!is_csv_)
        return "";
    std::string text = "Frame";
    for (const std::string &name : names_)
        text.append(",").append(csv_field(name));
    return text + end_;
}

std::string RowStream::row(int64_t index, const double *scores) const
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

void RowStream::begin()
{
    if (lost_code_ != 0)
        throw Error(lost_code_, "the log could not be written, pairs are missing: " +
                                    std::generic_category().message(lost_code_));
    if (has_begun_)
        return;
    file_.write(head());
    has_begun_ = true;
}

void RowStream::write(int64_t index, const double *scores)
{
    begin();
    if (index <= last_)
        return;
    file_.write(row(index, scores));
    last_ = index;
}

void RowStream::end(const std::string &incomplete, int64_t next)
{
    begin();
    if (!incomplete.empty() && !has_ended_)
        file_.write(incomplete_row(format_, incomplete, next));
    has_ended_ = true;
}

void RowStream::take(int64_t index, const double *scores) noexcept
{
    if (lost_code_ != 0)
        return;
    try {
        write(index, scores);
    } catch (const Error &error) {
        lose(error.code(), error.what());
    } catch (const std::exception &) {
        lose(ENOMEM, "no memory for a row of the log");
    }
}

void RowStream::lose(int code, const char *why) noexcept
{
    lost_code_ = code;
    try {
        if (warn_)
            warn_(why);
    } catch (const std::exception &) { // no memory for the message; the end of the run has one
    }
}

} // namespace vmafgpu
