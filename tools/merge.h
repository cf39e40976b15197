/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * The tool's command `merge`: one log of a run that was scored in chunks. The
 * library reads the parts, checks them and writes the log.
 */
#ifndef VMAF_GPU_TOOLS_MERGE_H
#define VMAF_GPU_TOOLS_MERGE_H

/**
 * argv[0] is "merge". Returns the exit status, as sysexits.h names them: 0; 64: the command line is
 * wrong; 65: the parts are; 70: two parts disagree on a score; 74: the log cannot be written.
 */
int merge_command(int argc, char **argv);

#endif
