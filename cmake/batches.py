#!/usr/bin/env python3
"""Puts the sources of targets into batches that are compiled together: batches.py ROOT < TARGETS

TARGETS has a line for each target: its name and its sources, separated by semicolons. The answer has a line for each
source: target, batch and source. A batch has at most 24 sources, of one folder or of small ones that follow each other.

Within a batch each name must mean what it means where the source is compiled alone. So a source does not join a batch if
both declare a name in their unnamed namespaces, or if one declares a name there that a header of the other declares and
that it does not include itself. Functions of one name may be together if no call fits both.
"""
import collections
import functools
import os
import re
import sys

FULL, SMALL = 24, 16  # sources; a batch with fewer than SMALL takes the sources of the next folder, too

INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
# Our format begins a declaration outside of types and functions, and hardly anything else, in the first column. A line
# that ends with a comma goes on: `constexpr int kA = 1,` and `              kB = 2;`.
LINE = re.compile(r"^(?:[A-Za-z_#]|\}  // namespace).*(?:(?<=,)\n +.*)*", re.MULTILINE)
NAMESPACE = re.compile(r"namespace ?([\w:]*) ?\{$")
ALIAS = re.compile(r"using (\w+) = (.*)")
TYPE = re.compile(r"(?:template <.*> ?)?(?:enum class|struct|class|enum|union|concept|#define) (\w+)(?![^{]*;$)")
NAME = re.compile(r"(?:[^(=;{]*[ *&>])?(\w+) ?(?:\[[^=]*\])? ?([(={;])")
MORE = re.compile(r", \**(\w+) ?(?=[=;,{\[])")  # of `int a = 1, b = 2;`
NOT_ONE = ("#", "using ", "namespace ", "extern ", "static_assert", "friend ", "TEST_CASE", "struct ", "class ", "enum ")
PLAIN = ("auto", "bool", "char", "double", "float", "int", "long", "short", "signed", "unsigned", "void", "Ps", "string",
         "string_view", "SharedText")

# What a line declares: `alias` is the type behind `using NAME =`, `parameters` begins with those of a function.
Declared = collections.namedtuple("Declared", "name space alias parameters")


@functools.lru_cache(maxsize=None)
def parameter_types(text):
    """The types of the parameters in a line, without what a conversion does not see, and whether it has all of them."""
    types, depth, part = [], 0, ""
    for c in text:
        depth += (c in "<([{") - (c in ">)]}")
        if (c == "," and depth == 0) or depth < 0:
            words = re.sub(r"\bconst\b|=.*|\w+::(?=\w)|[&*]", " ", part).split()
            if words:
                types.append(" ".join(words[:-1] if len(words) > 1 else words))
            part = ""
            if depth < 0:
                break
        else:
            part += c
    return types, depth < 0


def declarations(line, space, template):
    if match := TYPE.match(line):
        return [Declared(match[1], space, None, None)]
    if match := ALIAS.match(line):
        return [Declared(match[1], space, match[2], None)]
    if line.startswith(NOT_ONE) or not (match := NAME.match(line)) or match[1] in ("operator", "const"):
        return []
    if match[2] == "(":
        return [Declared(match[1], space, None, None if template else line[match.end():])]
    return [Declared(name, space, None, None) for name in (match[1], *MORE.findall(line, match.end() - 1))]


def is_class(kind):
    return kind.split()[0] not in PLAIN and not kind.endswith("_t")


def collide(a, b):
    """Whether two declarations of one name may be taken for each other."""
    if a.alias is not None and a.alias == b.alias:
        return False
    if a.space != b.space and not a.space.startswith(b.space) and not b.space.startswith(a.space):
        return False
    if a.parameters is None or b.parameters is None:
        return True
    (types, all_types), (others, all_others) = parameter_types(a.parameters), parameter_types(b.parameters)
    if any(x != y and (is_class(x) or is_class(y)) for x, y in zip(types, others)):
        return False
    return not (all_types and all_others and "=" not in a.parameters + b.parameters and len(types) != len(others))


class File:
    """A source or header: the headers that it includes, and what it declares for itself and for all."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.includes = INCLUDE.findall(text)
        self.own, self.shared = collections.defaultdict(list), collections.defaultdict(list)
        spaces, template = [], False
        for line in (" ".join(lines.split()) for lines in LINE.findall(text)):
            if match := NAMESPACE.match(line):
                spaces.append(match[1])
            elif line.startswith("}"):
                del spaces[-1:]
            else:
                own = "" in spaces or line.startswith(("static ", "#define "))
                for found in declarations(line, "::".join(filter(None, spaces)), template):
                    (self.own if own else self.shared)[found.name].append(found)
            template = line.startswith("template ")


class Tree:
    def __init__(self, root):
        self.root, self.files, self.closures = root, {}, {}

    def file(self, path):
        if path not in self.files:
            self.files[path] = File(os.path.join(self.root, path))
        return self.files[path]

    def headers(self, path):
        """The headers of ours that a file includes, directly or through others."""
        if path not in self.closures:
            found = self.closures[path] = set()  # of headers that include each other: what is found so far
            for name in self.file(path).includes:
                if name not in found and os.path.exists(os.path.join(self.root, name)):
                    found.add(name)
                    found |= self.headers(name)
        return self.closures[path]


def any_collide(some, others):
    return any(collide(a, b) for name in some.keys() & others.keys() for a in some[name] for b in others[name])


class Batch:
    def __init__(self):
        self.sources, self.own, self.headers = [], collections.defaultdict(list), set()

    def name(self):
        """That of its first source, so that a batch keeps its name when others change."""
        return re.sub(r"\W", "_", self.sources[0])

    def full(self, folder):
        size = len(self.sources)
        return size >= FULL or (size >= SMALL and folder != os.path.dirname(self.sources[-1]))

    def takes(self, source, tree):
        own, headers = tree.file(source).own, tree.headers(source)
        return not (any_collide(own, self.own) or
                    any(any_collide(tree.file(header).shared, self.own) for header in headers - self.headers) or
                    any(any_collide(tree.file(header).shared, own) for header in self.headers - headers))

    def add(self, source, tree):
        self.sources.append(source)
        for name, found in tree.file(source).own.items():
            self.own[name] += found
        self.headers |= tree.headers(source)


def make_batches(sources, tree):
    batches, left = [], []
    for source in sorted(sources, key=lambda source: (os.path.dirname(source), source)):
        if not batches or batches[-1].full(os.path.dirname(source)):
            batches.append(Batch())
        if batches[-1].takes(source, tree):
            batches[-1].add(source, tree)
        else:
            left.append(source)
    for source in left:
        batch = next((batch for batch in batches if len(batch.sources) < FULL and batch.takes(source, tree)), None)
        if batch is None:
            batch = Batch()
            batches.append(batch)
        batch.add(source, tree)
    return batches


def main():
    tree = Tree(sys.argv[1])
    for line in sys.stdin:
        target, *sources = line.strip().split(";")
        for batch in make_batches([os.path.relpath(source, tree.root) for source in sources if source], tree):
            for source in batch.sources:
                print(target, batch.name(), source)


if __name__ == "__main__":
    main()
