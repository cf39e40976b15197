/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Where users report faults: the address that the build was given (Meson option bug_url), else
 * people. Not here: any address.
 */
#ifndef VMAF_GPU_TOOLS_BUG_REPORT_H
#define VMAF_GPU_TOOLS_BUG_REPORT_H

/* help2man makes a section of a line that begins with these words. */
#ifdef VMAFGPU_BUG_URL
#define BUG_REPORT_TEXT "Report bugs to: " VMAFGPU_BUG_URL "\n"
#else
#define BUG_REPORT_TEXT "Report bugs to whoever gave you this build, or as its README.md says.\n"
#endif

#endif
