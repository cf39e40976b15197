/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * The tool's commands besides scoring, in merge.c and report.c. The library does the work. argv[0]
 * is the name of the command.
 */
#ifndef VMAF_GPU_TOOLS_COMMANDS_H
#define VMAF_GPU_TOOLS_COMMANDS_H

/**
 * One log of a run that was scored in chunks. Returns the exit status, as sysexits.h names them: 0;
 * 64: the command line is wrong; 65: the parts are; 70: two parts disagree on a score; 74: the log
 * cannot be written.
 */
int merge_command(int argc, char **argv);

/** A page that compares several JSON logs. Returns 0, or -1 after a message on stderr. */
int report_command(int argc, char **argv);

#endif
