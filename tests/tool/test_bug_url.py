#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""--version, --help, scripts/amd-selftest.sh and internal errors of the library and of vmaf-gpu say
where to report faults: at the address that the build was given, else to people. README.md has the
heading that the latter leads to.

    test_bug_url.py SOURCE_ROOT TOOL FAULTS url=[URL] OTHER_TOOL OTHER_FAULTS url=[URL]
"""
import pathlib
import re
import subprocess
import sys
import tempfile

PEOPLE = "Report bugs to whoever gave you this build, or as its README.md says.\n"


def output(*command, status=0):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != status:
        sys.exit(f"{command}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def check(tool, url):
    wanted = f"Report bugs to: {url}\n" if url else PEOPLE
    version = output(tool, "--version").splitlines(keepends=True)
    if len(version) != 2 or version[1] != wanted:
        sys.exit(f"{tool} --version: {version}, not {wanted!r}")
    if not output(tool, "--help").endswith("\n\n" + wanted):
        sys.exit(f"{tool} --help does not end with {wanted!r}")


def check_selftest(root, tool):
    """The function of the script alone; the rest needs an AMD GPU."""
    script = (root / "scripts/amd-selftest.sh").read_text()
    function = re.search(r"^where_to_report\(\) \{.*?^\}\n", script, re.M | re.S)
    if function is None or script.count("where_to_report") < 2:
        sys.exit("amd-selftest.sh has or calls no function where_to_report")
    said = output(tool, "--version").splitlines(keepends=True)[1]
    folder = pathlib.Path(tool).parent.parent
    for programs, wanted in ((folder, said), ("/nonexistent", PEOPLE)):
        found = output("bash", "-euc", f"programs={programs}\n{function.group(0)}where_to_report")
        if found != wanted:
            sys.exit(f"amd-selftest.sh with {programs}: {found!r}, not {wanted!r}")


def check_texts(faults, url):
    """The library's texts; the filter and Python pass them on."""
    where = f"; please report it to {url or 'whoever gave you this build'}"
    wanted = f"1 internal error: index 5{where}\n1 self-test of gpu:0 failed{where}\n0 the width is 0\n"
    found = output(faults)
    if found != wanted:
        sys.exit(f"{faults}: {found!r}, not {wanted!r}")


def check_fault(root, tool):
    """An error of Python that vmaf-gpu does not expect, planted; without the tool, too."""
    wanted = output(tool, "--version").splitlines(keepends=True)[1] if tool else "Report bugs to whoever gave you this build.\n"
    script = ("import sys\nfrom vmaf_gpu.batch import cli\ncli._refuse_tool = lambda words: words[5]\n"
              "sys.exit(cli.main([]))")
    with tempfile.TemporaryDirectory() as folder:
        if tool:
            (pathlib.Path(folder) / "vmaf_gpu").symlink_to(pathlib.Path(tool).resolve())
        done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, check=False,
                              timeout=60, env={"PYTHONPATH": str(root / "python"), "PATH": folder})
    if done.returncode != 1 or "IndexError" not in done.stderr or \
            not done.stderr.endswith(f"\nvmaf-gpu: internal error. {wanted}"):
        sys.exit(f"vmaf-gpu with {tool}: status {done.returncode}\n{done.stderr}")


def main(root, *tools):
    root = pathlib.Path(root)
    urls = [word.removeprefix("url=") for word in tools[2::3]]
    if sorted(map(bool, urls)) != [False, True]:
        sys.exit("one tool with an address and one without are wanted")
    for tool, faults, url in zip(tools[::3], tools[1::3], urls):
        check(tool, url)
        check_texts(faults, url)
        check_fault(root, tool)
    check_fault(root, None)
    check_selftest(root, tools[0])
    if "\n## Reporting bugs\n" not in (root / "README.md").read_text():
        sys.exit('README.md has no heading "Reporting bugs"')
    print("where to report: with an address and without")


if __name__ == "__main__":
    main(*sys.argv[1:])
