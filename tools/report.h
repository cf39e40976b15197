/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * The tool's command `report`: a page that compares several JSON logs. The
 * library reads the logs and writes the page.
 */
#ifndef VMAF_GPU_TOOLS_REPORT_H
#define VMAF_GPU_TOOLS_REPORT_H

/** argv[0] is "report". Returns 0, or -1 after a message on stderr. */
int report_command(int argc, char **argv);

#endif
