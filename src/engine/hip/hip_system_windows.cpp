// SPDX-License-Identifier: BSD-2-Clause-Patent
// See hip_system.h. Windows's half: the display driver brings the runtime.
#include "hip/hip_system.h"

namespace vmafgpu {

std::vector<std::string> hip_library_names()
{
    return {"amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll"};
}

std::string hip_source_text()
{
    return "AMD's display driver (Adrenalin or PRO) installs one of them in System32";
}

std::string hip_visibility_text()
{
    return "is there an AMD GPU that this display driver supports, and not hidden by "
           "HIP_VISIBLE_DEVICES?";
}

} // namespace vmafgpu
