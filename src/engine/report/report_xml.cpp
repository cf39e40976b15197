// SPDX-License-Identifier: BSD-2-Clause-Patent
// libvmaf's XML log. One element is built at a time and printed by pugixml,
// which escapes; a tree of all frames would take gigabytes for a long film.
#include "report/report_formats.h"

#include <pugixml.hpp>

#include <set>

#include "core/pooling.h"
#include "report/format_number.h"
#include "report/report_pairing.h"
#include "report/xml_text.h"

namespace vmafgpu {

namespace {

constexpr std::pair<const char *, VmafGpuPool> kMethods[] = {
    {"min", VMAFGPU_POOL_MIN},
    {"max", VMAFGPU_POOL_MAX},
    {"mean", VMAFGPU_POOL_MEAN},
    {"harmonic_mean", VMAFGPU_POOL_HARMONIC_MEAN},
};

void print(const pugi::xml_node &element, unsigned depth, ReportFile &file)
{
    XmlFile writer(file);
    element.print(writer, "  ", pugi::format_indent, pugi::encoding_utf8, depth);
}

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

void write_head(const ReportInput &input, ReportFile &file)
{
    pugi::xml_document document;
    pugi::xml_node params = document.append_child("params");
    params.append_attribute("qualityWidth") = input.width;
    params.append_attribute("qualityHeight") = input.height;
    print(params, 1, file);
    pugi::xml_node fyi = document.append_child("fyi");
    fyi.append_attribute("fps") = format_fps(input.log.fps).c_str();
    print(fyi, 1, file);
}

/// Attributes of scalars, also of the numbers of an object; elements of lists: "models" becomes
/// <model .../> for each; <option .../> for each text of an object.
void append_members(pugi::xml_node element, const LogValue &object)
{
    using Kind = LogValue::Kind;
    for (const auto &[key, value] : object.members) {
        if (value.kind == Kind::kText || value.kind == Kind::kNumber)
            element.append_attribute(key.c_str()) = xml_text(value.text).c_str();
        for (const auto &[name, entry] : value.members) {
            if (entry.kind == Kind::kNumber) {
                const std::string joined = std::string(key).append("_").append(name);
                element.append_attribute(joined.c_str()) = entry.text.c_str();
                continue;
            }
            const bool is_list = value.kind == Kind::kList;
            pugi::xml_node child =
                element.append_child(is_list ? key.substr(0, key.size() - 1).c_str() : "option");
            if (!is_list) {
                child.append_attribute("name") = xml_text(name).c_str();
                child.append_attribute("value") = xml_text(entry.text).c_str();
            } else if (entry.kind == Kind::kObject) {
                append_members(child, entry);
            } else {
                child.text() = xml_text(entry.text).c_str();
            }
        }
    }
}

/// What libvmaf does not have is in elements of its own, behind all others.
void write_run(const ReportInput &input, ReportFile &file)
{
    pugi::xml_document document;
    pugi::xml_node element = document.append_child("vmaf_gpu");
    if (input.facts != nullptr) {
        element.append_attribute("schema_version") = kLogSchemaVersion;
        append_members(element, describe_run(input));
    }
    if (input.log.repeated_main >= 0)
        element.append_attribute("repeated_main") = static_cast<long long>(input.log.repeated_main);
    if (input.log.repeated_reference >= 0)
        element.append_attribute("repeated_reference") =
            static_cast<long long>(input.log.repeated_reference);
    if (element.first_attribute())
        print(element, 1, file);
    if (input.log.incomplete != nullptr) {
        pugi::xml_node incomplete = document.append_child("incomplete");
        incomplete.append_attribute("reason") = xml_text(input.log.incomplete).c_str();
        print(incomplete, 1, file);
    }
    if (const auto pairing = pairing_of(input.log)) {
        pugi::xml_node paired = document.append_child("pairing");
        append_members(paired, describe_pairing(*pairing));
        print(paired, 1, file);
    }
}

void write_frames(const ReportInput &input, ReportFile &file)
{
    const ScoreTable &table = input.table;
    pugi::xml_document document;
    pugi::xml_node frame = document.append_child("frame");
    pugi::xml_attribute number = frame.append_attribute("frameNum");
    std::vector<pugi::xml_attribute> attributes;
    for (const std::string &name : attribute_names(table.names()))
        attributes.push_back(frame.append_attribute(name.c_str()));
    file.write("  <frames>\n");
    for (size_t row = 0; row < table.rows(); ++row) {
        number.set_value(static_cast<long long>(table.index(row)));
        for (size_t i = 0; i < attributes.size(); ++i)
            attributes[i].set_value(format_score(table.value(row, i), input.log.precision).c_str());
        print(frame, 2, file);
    }
    file.write("  </frames>\n");
}

void write_pooled(const ReportInput &input, ReportFile &file)
{
    const ScoreTable &table = input.table;
    file.write("  <pooled_metrics>\n");
    for (size_t i = 0; i < table.names().size(); ++i) {
        pugi::xml_document document;
        pugi::xml_node metric = document.append_child("metric");
        metric.append_attribute("name") = xml_text(table.names()[i]).c_str();
        if (table.rows() > 0)
            for (const auto &[name, method] : kMethods)
                metric.append_attribute(name) =
                    format_score(pooled(table, i, method), input.log.precision).c_str();
        print(metric, 2, file);
    }
    file.write("  </pooled_metrics>\n");
}

void write_aggregates(const ReportInput &input, ReportFile &file)
{
    std::vector<std::string> names;
    for (const auto &aggregate : input.aggregates)
        names.push_back(aggregate.first);
    names = attribute_names(names);
    pugi::xml_document document;
    pugi::xml_node element = document.append_child("aggregate_metrics");
    for (size_t i = 0; i < names.size(); ++i)
        element.append_attribute(names[i].c_str()) =
            format_score(input.aggregates[i].second, input.log.precision).c_str();
    print(element, 1, file);
}

} // namespace

void write_xml(const ReportInput &input, ReportFile &file)
{
    file.write("<VMAF version=\"" VMAFGPU_VERSION "\">\n");
    write_head(input, file);
    write_frames(input, file);
    write_pooled(input, file);
    write_aggregates(input, file);
    write_run(input, file);
    file.write("</VMAF>\n");
}

} // namespace vmafgpu
