// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the XML log and the pages share. Texts of the user are bytes of any kind; pugixml escapes
// what has an escape and prints the rest as it is.
#pragma once

#include <pugixml.hpp>

#include <string>
#include <string_view>

#include "report/report_file.h"

namespace vmafgpu {

/// U+FFFD in the place of each byte that is not UTF-8 and each character that XML 1.0 forbids.
std::string xml_text(std::string_view text);

/// Where pugixml prints to: a file.
class XmlFile : public pugi::xml_writer {
public:
    explicit XmlFile(ReportFile &file) : file_(file) {}
    void write(const void *data, size_t size) override
    {
        file_.write({static_cast<const char *>(data), size});
    }

private:
    ReportFile &file_;
};

} // namespace vmafgpu
