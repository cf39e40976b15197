# SPDX-License-Identifier: BSD-2-Clause-Patent
# The library for vcpkg, of the checkout that this file lies in:
#   vcpkg install vmaf-gpu --overlay-ports=packaging/vcpkg
# Not here: an address to download from, because nothing is published yet.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

set(TOOLS false)
if("tools" IN_LIST FEATURES)
  set(TOOLS true)
endif()

vcpkg_configure_meson(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -Dtests=false
    -Demu=false
    -Dtools=${TOOLS})
vcpkg_install_meson()
vcpkg_fixup_pkgconfig()
if(TOOLS)
  vcpkg_copy_tools(TOOL_NAMES vmaf_gpu AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST
  "${SOURCE_PATH}/LICENSES/BSD-2-Clause-Patent.txt"
  "${SOURCE_PATH}/models/NOTICE")
