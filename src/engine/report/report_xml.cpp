// SPDX-License-Identifier: BSD-2-Clause-Patent
// libvmaf's XML log.
#include "report/report.h"

#include <set>

#include "base/format_number.h"
#include "core/pooling.h"
#include "report/markup.h"

namespace vmafgpu {

namespace {

bool is_name_char(char c, bool is_first)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_')
        return true;
    return !is_first && ((c >= '0' && c <= '9') || c == '-' || c == '.');
}

/// Series names are attribute names in <frame>, where nothing can be escaped:
/// other characters become '_', and names that collide thereby get more of it.
std::vector<std::string> attribute_names(const std::vector<std::string> &names)
{
    std::set<std::string> taken = {"frameNum"};
    std::vector<std::string> result;
    for (const std::string &name : names) {
        std::string attribute;
        for (const char c : name)
            attribute += is_name_char(c, attribute.empty()) ? c : '_';
        while (attribute.empty() || !taken.insert(attribute).second)
            attribute += '_';
        result.push_back(attribute);
    }
    return result;
}

std::string attribute(const std::string &name, const std::string &value)
{
    return markup(" " + name + "=\"%\"", {value});
}

/// Attributes of scalars, also of the numbers of an object; elements of lists: "models" becomes
/// <model .../> for each; <option .../> for each text of an object.
std::string element(const std::string &name, const LogValue &object, const std::string &indent)
{
    using Kind = LogValue::Kind;
    std::string attributes, children;
    const std::string inner = indent + "  ";
    for (const auto &[key, value] : object.members) {
        const std::string one = key.substr(0, key.size() - 1);
        if (value.kind == Kind::kText || value.kind == Kind::kNumber)
            attributes += attribute(key, value.text);
        for (const auto &[inner_key, entry] : value.members)
            if (entry.kind == Kind::kNumber)
                attributes += attribute(std::string(key).append("_").append(inner_key), entry.text);
            else if (value.kind == Kind::kObject)
                children +=
                    inner + markup("<option name=\"%\" value=\"%\" />\n", {inner_key, entry.text});
            else if (entry.kind == Kind::kObject)
                children += element(one, entry, inner);
            else
                children.append(inner).append("<").append(one) +=
                    markup(">%</", {entry.text}).append(one).append(">\n");
    }
    const std::string begin = indent + "<" + name + attributes;
    return children.empty() ? begin + " />\n"
                            : begin + ">\n" + children + indent + "</" + name + ">\n";
}

/// What libvmaf does not have is in elements of its own, behind all others.
void write_run(const ReportInput &input, ReportFile &file)
{
    const RunFacts &run = input.run;
    LogValue own;
    if (!run.version.empty()) {
        own = describe_run(run);
        own.members.insert(own.members.begin(),
                           {"schema_version", number_value(std::to_string(kLogSchemaVersion))});
    }
    add_repeated(run, own);
    if (!own.members.empty())
        file.write(element("vmaf_gpu", own, "  "));
    if (!run.incomplete.empty())
        file.write(markup("  <incomplete reason=\"%\" />\n", {run.incomplete}));
    if (run.pairing)
        file.write(element("pairing", describe_pairing(*run.pairing), "  "));
}

void write_frames(const ReportInput &input, ReportFile &file)
{
    const ScoreTable &table = input.table;
    const std::vector<std::string> names = attribute_names(table.names());
    file.write("  <frames>\n");
    for (size_t row = 0; row < table.rows(); ++row) {
        std::string text = "    <frame frameNum=\"" + std::to_string(table.index(row));
        for (size_t i = 0; i < names.size(); ++i)
            text.append("\" ").append(names[i]).append("=\"").append(
                format_score(table.value(row, i), input.log.precision));
        file.write(text + "\" />\n");
    }
    file.write("  </frames>\n");
}

void write_pooled(const ReportInput &input, ReportFile &file)
{
    const ScoreTable &table = input.table;
    file.write("  <pooled_metrics>\n");
    for (size_t i = 0; i < table.names().size(); ++i) {
        LogValue metric;
        metric.add("name", table.names()[i]);
        if (table.rows() > 0)
            for (const auto &[name, method] : kLogPools)
                metric.add_number(name,
                                  format_score(pooled(table, i, method), input.log.precision));
        file.write(element("metric", metric, "    "));
    }
    file.write("  </pooled_metrics>\n");
}

void write_aggregates(const ReportInput &input, ReportFile &file)
{
    std::vector<std::string> names;
    for (const auto &aggregate : input.run.aggregates)
        names.push_back(aggregate.first);
    names = attribute_names(names);
    LogValue values;
    for (size_t i = 0; i < names.size(); ++i)
        values.add_number(names[i],
                          format_score(input.run.aggregates[i].second, input.log.precision));
    file.write(element("aggregate_metrics", values, "  "));
}

} // namespace

void write_xml(const ReportInput &input, ReportFile &file)
{
    file.write("<VMAF version=\"" VMAFGPU_VERSION "\">\n  <params qualityWidth=\"" +
               std::to_string(input.run.width) + "\" qualityHeight=\"" +
               std::to_string(input.run.height) + "\" />\n  <fyi fps=\"" +
               format_fps(input.run.fps) + "\" />\n");
    write_frames(input, file);
    write_pooled(input, file);
    write_aggregates(input, file);
    write_run(input, file);
    file.write("</VMAF>\n");
}

} // namespace vmafgpu
