# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The set of generated mutations that strength.py runs: where each is, and what it changes. Holds
neither a compiler nor a suite.

A mutation's rank comes from a hash of its own line, not from its place. A change elsewhere
in the sources therefore leaves the others chosen, and two commits can be compared.
"""
import fnmatch
import hashlib
import os
import re
from dataclasses import dataclass

ENGINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../src/engine')
SEED = 1

# Area, number of its mutations, its files. A file belongs to the first area that names it.
AREAS = (
    ('kernels', 80, ('*_kernels.cpp', 'features/*_record.cpp', 'features/*_matrix.h', 'simt/quad.h', 'simt/reduce.h',
                    'simt/matrix.h')),
    ('cpu', 60, ('features/*_cpu.cpp', 'features/*-inl.h', 'features/kit/*', 'scaler/*', 'cpu/*')),
    ('reference', 50, ('features/*_ref.cpp', 'features/*/*.h')),
    ('scores', 50, ('features/*.cpp', 'model/*', 'core/pooling.cpp', 'core/score_table.cpp')),
    ('pairing', 50, ('pairing/*',)),
    ('report', 40, ('report/*', 'output/*', 'parts/*')),
    ('api', 40, ('api/*', 'run/*', 'core/*', 'plan/*', 'inputs/*')),
    ('device', 30, ('gpu/*', 'cuda_hip/*', 'picture/*')),
)
# Numbers that other tests compare with their formula; self-tests that only a broken GPU fails;
# code of other systems.
LEFT_OUT = ('*_tables.h', '*/selftest*', '*_windows.*', '*/skeleton/*', '*/record_args.h')

# Kind, pattern in code without comments and strings, replacements of the whole match.
RULES = (
    ('relation', r' (<=|>=|==|!=|<|>) ', {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='}),
    ('arithmetic', r'(?<=[\w)\]]) ([-+*/%&|]|<<|>>) (?=[\w(])',
     {'+': '-', '-': '+', '*': '+', '/': '*', '%': '/', '&': '|', '|': '&', '<<': '>>', '>>': '<<'}),
    ('assignment', r' ([-+*|&])= ', {'+': '-', '-': '+', '*': '+', '|': '&', '&': '|'}),
    ('logic', r' (&&|\|\|) ', {'&&': '||', '||': '&&'}),
    ('constant', r'(?<![\w.\'])(\d+)(?![\w.\'])', None),
    ('number', r'(?<![\w.])(\d+\.\d+)(?=f?\b)(?![e\d])', None),
    ('border', r'\b(mirror|mirror_high_repeat|clamp|std::min|std::max|smaller|larger)\(',
     {'std::min': 'std::max', 'std::max': 'std::min', 'smaller': 'larger', 'larger': 'smaller',
      'mirror': 'mirror(1 + ', 'mirror_high_repeat': 'mirror_high_repeat(1 + ', 'clamp': 'clamp(1 + '}),
    ('negation', r'\b(if|while) \((?=[^()]*\)$|[^()]*\(\)\)$)', None),
    ('result', r'\breturn (true|false);', {'true': 'false', 'false': 'true'}),
    ('barrier', r'^ +((?:wave_|subgroup_|block_)?(?:barrier|fence)\(\);)$', None),
    ('statement', r'^ +((?:[\w.>\[\]-]+\([^()]*\)|\w[\w.]* [-+|]?= [^;{]*);)$', None),
)


@dataclass(frozen=True)
class Mutation:
    name: str   # stable: AREA-HASH
    area: str
    path: str   # below src/engine
    line: int   # from 1
    kind: str
    old: str    # the whole line
    new: str

    def apply(self, text):
        """The file with the mutation; None if its line is another one now."""
        lines = text.split('\n')
        if self.line > len(lines) or lines[self.line - 1] != self.old:
            return None
        lines[self.line - 1] = self.new
        return '\n'.join(lines)


def blanked(text):
    """The code with comments, strings, characters and preprocessor lines as blanks, so that columns stay."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^[ \t]*#(?:\\\n|[^\n])*'
    return re.sub(pattern, lambda m: re.sub(r'[^\n]', ' ', m.group()), text, flags=re.DOTALL | re.MULTILINE)


def replacement(kind, match, table):
    """What stands in place of the match, or None."""
    word = match.group(1)
    if kind == 'constant':
        return str(int(word) + 1) if len(word) < 10 else None
    if kind == 'number':
        return f'{float(word) + 0.5}'
    if kind == 'negation':
        return f'{word} (!'
    if kind in ('barrier', 'statement'):
        return match.group().replace(word, ';')
    changed = table.get(word)
    if kind == 'border' and changed and changed.endswith(' + '):
        return changed
    return match.group().replace(word, changed, 1) if changed else None


def of_line(code, line):
    """(kind, new line) of each mutation of a line; `code` is the line with blanks for what is no code."""
    if re.match(r'\s*(static_assert|namespace|using|template|enum|class|struct|friend|case|public|private)\b', code):
        return
    for kind, pattern, table in RULES:
        for match in re.finditer(pattern, code):
            new = replacement(kind, match, table)
            if new is None:
                continue
            begin, end = match.span()
            if kind == 'negation':
                # The condition is one name or call up to the end of the line.
                yield kind, f'{line[:begin]}{new}({line[end:]})'
            else:
                yield kind, line[:begin] + new + line[end:]


def of_file(area, path):
    with open(os.path.join(ENGINE, path), encoding='utf-8') as file:
        text = file.read()
    seen = {}
    for number, (code, line) in enumerate(zip(blanked(text).split('\n'), text.split('\n')), 1):
        repeated = seen[line] = seen.get(line, 0) + 1
        for kind, new in of_line(code, line):
            key = f'{SEED}|{path}|{kind}|{line}|{new}|{repeated}'
            digest = hashlib.sha256(key.encode()).hexdigest()
            yield digest, Mutation(f'{area}-{digest[:8]}', area, path, number, kind, line, new)


def sources():
    """(area, path) of each source that mutations are taken from."""
    for folder, _, names in sorted(os.walk(ENGINE)):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), ENGINE)
            if not name.endswith(('.h', '.cpp')) or any(fnmatch.fnmatch(path, p) for p in LEFT_OUT):
                continue
            area = next((a for a, _, patterns in AREAS if any(fnmatch.fnmatch(path, p) for p in patterns)), None)
            if area:
                yield area, path


def chosen():
    """The set: of each area as many as AREAS says, kind by kind in turn, by rank."""
    ranked = {}
    for area, path in sources():
        for digest, mutation in of_file(area, path):
            ranked.setdefault(area, {}).setdefault(mutation.kind, []).append((digest, mutation))
    result = []
    for area, count, _ in AREAS:
        kinds = [sorted(found, key=lambda pair: pair[0]) for _, found in sorted(ranked[area].items())]
        in_turn = [found[i][1] for i in range(count) for found in kinds if i < len(found)]
        result += in_turn[:count]
    return result
