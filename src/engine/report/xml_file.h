// SPDX-License-Identifier: BSD-2-Clause-Patent
// Where pugixml prints to: a ReportFile. The XML log and the HTML pages use it.
#pragma once

#include <pugixml.hpp>

#include "report/report_file.h"

namespace vmafgpu {

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
