#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Turn LLVM IR that clang made of a kernel source for spirv64 into SPIR-V for OpenCL.

Run by src/engine/opencl/meson.build. clang's HIP has one kind of pointer, which OpenCL calls generic
and few drivers take. Here every pointer gets the address space that its value comes from: what is
loaded from memory points to global memory, tables are constants, the rest is local or private. Where
that cannot be told, this fails. OpenCL rounds quotients and roots of floats as it likes, those of
doubles as IEEE 754 says; so those of floats are made of doubles, which gives the exact rounding.
"""
import argparse
import pathlib
import re
import subprocess
import sys

GENERIC, GLOBAL, CONSTANT = "ptr addrspace(4)", "ptr addrspace(1)", "ptr addrspace(2)"
NAME = r"%[\w.]+"
VALUE = r"(?:%[\w.]+|[-\w.+]+)"
FLAT_CAST = re.compile(r"addrspacecast ptr (%s) to ptr(?! addrspace)" % NAME)
GLOBAL_CAST = re.compile(r"^  (%s) = addrspacecast %s %s to ptr$" % (NAME, re.escape(GLOBAL), VALUE), re.M)
POINTER_LOAD = re.compile(r"^  %%([\w.]+) = (load|inttoptr)( i64 %s to)? ptr(, .*)?$" % VALUE, re.M)
OF_POINTERS = re.compile(r"  (%s) = (?:getelementptr .*?, ptr (?=%%)|phi ptr |select .*, ptr |freeze ptr )" % NAME)
ROOT = re.compile(r"^  %%([\w.]+) = (?:tail )?call float @llvm\.sqrt\.f32\(float (%s)\).*$" % VALUE, re.M)
QUOTIENT = re.compile(r"^  %%([\w.]+) = fdiv float (%s), (%s)(.*)$" % (VALUE, VALUE), re.M)
PASSES = "function(infer-address-spaces,instcombine<no-verify-fixpoint>,early-cse,lower-switch),globaldce"
# Lines that no driver could be trusted with.
WRONG = {r"^@.* addrspace\(1\) ": "a global variable, which few drivers take",
         r"addrspacecast ": "a pointer whose address space is unknown",
         r"store ptr(?! addrspace\(1\))": "a pointer in memory whose address space is unknown",
         r"fdiv (float|<)|frem ": "a quotient that OpenCL need not round exactly",
         r"call .*@llvm\.sqrt\.(f32|v\d)|@llvm\.(pow|exp|log|sin|cos)\w*\.": "a function that is not exact"}


def flat(text):
    """Generic pointers become those of address space 0, which LLVM's pass takes as unknown."""
    text = FLAT_CAST.sub(r"bitcast ptr \1 to ptr", text.replace(GENERIC, "ptr").replace(".p4", ".p0"))
    text = re.sub(r"^@(llvm\.compiler\.used|__hip_cuid_) = .*$|, !llvm\.loop !\d+", "", text, flags=re.M)
    text = re.sub(r"^(@\S+ = )linkonce_odr (?:hidden )?(.*), comdat,", r"\1internal \2,", text, flags=re.M)
    lines, declared = [], set()
    for line in text.split("\n"):
        what = re.sub(" #.*", "", line)
        if not line.startswith("declare ") or what not in declared:
            lines.append(line)
        declared.add(what)
    return "\n".join(lines)


def with_tables(text):
    """Constants that are global variables move to the address space of constants."""
    table = r"addrspace\(1\) (?:externally_initialized )?constant "
    for name in re.findall(r"^(@[\w.$]+) = .*" + table, text, re.M):
        text = re.sub(r"^(%s = .*)%s" % (re.escape(name), table), r"\1addrspace(2) constant ", text, flags=re.M)
        text = re.sub(r"%s %s(?![\w.$])" % (re.escape(GLOBAL), re.escape(name)),
                      "%s %s" % (CONSTANT, name), text)
    return text


def with_global_loads(text):
    """Says of each pointer that comes from memory, or from an integer, that it is a global one."""
    return POINTER_LOAD.sub(r"  %g.\1 = \2\3 " + GLOBAL + r"\4" + "\n" +
                            r"  %\1 = addrspacecast " + GLOBAL + r" %g.\1 to ptr", text)


def with_global_rest(function):
    """LLVM's pass stops at comparisons, at null and at integers made of pointers. What comes from
    global memory is global there, too; if anything else met it, LLVM would refuse the result."""
    names, found = set(GLOBAL_CAST.findall(function)), None
    while found != names:
        found = set(names)
        for line in function.split("\n"):
            made = OF_POINTERS.match(line)
            if made and names & set(re.findall(NAME, line)[1:]):
                names.add(made.group(1))
    lines = []
    for line in function.split("\n"):
        made = re.match(r"  (%s) = " % NAME, line)
        line = re.sub(r"(?<!\w)ptr (%s)" % NAME,
                      lambda one: (GLOBAL if one.group(1) in names else "ptr") + " " + one.group(1), line)
        if made and made.group(1) in names:
            line = line.replace("phi ptr ", "phi %s " % GLOBAL).replace("ptr null", GLOBAL + " null")
            line = re.sub(r"addrspacecast (.*) to ptr$", r"bitcast \1 to " + GLOBAL, line)
        lines.append(line)
    return "\n".join(lines)


def with_spaces(text):
    text = text.replace("addrspacecast (ptr null to ptr addrspace(1))", "null")
    return re.sub(r"^define .*?^}", lambda one: with_global_rest(one.group(0)), text, flags=re.M | re.S)


def with_exact_functions(text):
    """Makes quotients and roots of floats of those of doubles."""
    text, roots = ROOT.subn(r"  %a.\1 = fpext float \2 to double" + "\n" +
                            r"  %q.\1 = call double @llvm.sqrt.f64(double %a.\1)" + "\n" +
                            r"  %\1 = fptrunc double %q.\1 to float", text)
    if roots and "declare double @llvm.sqrt.f64(" not in text:
        text += "declare double @llvm.sqrt.f64(double)\n"
    text = re.sub(r"^declare float @llvm\.sqrt\.f32.*$", "", text, flags=re.M)
    return QUOTIENT.sub(r"  %a.\1 = fpext float \2 to double" + "\n" +
                        r"  %b.\1 = fpext float \3 to double" + "\n" +
                        r"  %q.\1 = fdiv double %a.\1, %b.\1" + "\n" +
                        r"  %\1 = fptrunc double %q.\1 to float", text)


def complaints(text):
    return ["%s: %s" % (reason, line.strip()) for pattern, reason in WRONG.items()
            for line in text.split("\n") if re.search(pattern, line)]


def run(command, text):
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit("%s: %s" % (" ".join(command), done.stderr.decode(errors="replace")))
    return done.stdout


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--opt", required=True, help="LLVM's opt")
    parser.add_argument("--translator", required=True, help="llvm-spirv")
    parser.add_argument("--output", required=True)
    parser.add_argument("input", type=pathlib.Path)
    return parser.parse_args(argv)


def main(argv):
    args = parse(argv)
    text = with_global_loads(with_tables(flat(args.input.read_text())))
    text = run([args.opt, "-S", "--assume-default-is-flat-addrspace", "-passes=" + PASSES], text.encode()).decode()
    text = with_exact_functions(with_spaces(text))
    wrong = complaints(text)
    if wrong:
        sys.exit("%s:\n  %s" % (args.input, "\n  ".join(wrong)))
    assembled = run([args.opt, "-o", "-"], text.encode())
    run([args.translator, "--spirv-max-version=1.3", "-o", args.output, "-"], assembled)


if __name__ == "__main__":
    main(sys.argv[1:])
