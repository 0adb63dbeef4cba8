#!/usr/bin/env python3
"""No two types, and no two functions or variables, of one name in one namespace.

Two types of one name compile and link, and then one's inline functions run on the other's objects: the language calls
that undefined, no compiler reports it. Both checks are needed: the sources show types, the objects show the rest.

check_one_definition.py ROOT [--nm NM LIBRARY...]   checks the sources below ROOT and the objects in the libraries
check_one_definition.py --self-test WORK            must refuse small trees that break the rule
"""
import collections
import pathlib
import re
import subprocess
import sys

FOLDERS = ("model", "loaders", "sql", "capture", "capi", "viewer", "app")

# These have no meaning for scopes: comments, literals (raw ones first), preprocessor lines with continuations.
NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\''
    r"|^[ \t]*#(?:\\\n|[^\n])*",
    re.DOTALL | re.MULTILINE)
TYPE = re.compile(
    r"(?:^|[\s>;}])(?:enum\s+(?:class|struct)|class|struct|union|enum)\s+(?:\[\[.*?\]\]\s*|alignas\s*\([^()]*\)\s*)*"
    r"(?P<name>[A-Za-z_]\w*)\s*(?:final\s*)?(?P<bases>:[^:].*)?$", re.DOTALL)
NAMESPACE = re.compile(r"(?:^|\s)namespace\s*(?P<name>[\w:\s]*)$")


def definitions(text):
    """Qualified names of the types that the text defines at the scope of a named namespace."""
    text = NOISE.sub(lambda m: '""' if m[0][0] in "\"R'" else " ", text)
    scopes, begin, found = [], 0, []  # of each open brace: the namespace it opens, None for any other
    for at in (m.start() for m in re.finditer(r"[{};]", text)):
        if text[at] == "}":
            if scopes:
                scopes.pop()
        elif text[at] == "{":
            head = text[begin:at].strip()
            namespace = NAMESPACE.search(head)
            if namespace:
                scopes.append("".join(namespace["name"].split()))
            elif head.startswith("extern"):
                scopes.append("::")  # extern "C": a brace that opens no scope
            else:
                if all(scopes):
                    kind = TYPE.search(head)
                    # `struct A f(...) {` and `A::B {` define no type of that name here.
                    if kind and "(" not in (kind["bases"] or ""):
                        found.append("::".join([s for s in scopes if s != "::"] + [kind["name"]]))
                scopes.append(None)
        begin = at + 1
    return found


def check_sources(root):
    places = collections.defaultdict(set)
    paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*"))]
    files = [path for path in paths if path.suffix in (".h", ".cc")]
    for path in files:
        for name in definitions(path.read_text(encoding="utf-8")):
            places[name].add(str(path.relative_to(root)))
    problems = [f"{name} is a type in {', '.join(sorted(p))}" for name, p in sorted(places.items()) if len(p) > 1]
    return problems, len(files), len(places)


def check_objects(nm, libraries):
    places = collections.defaultdict(set)
    for library in libraries:
        command = [nm, "-A", "-C", "--defined-only", library]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        for line in lines.splitlines():
            # Capital letters are what other objects see; V and W may be defined often, by the language's rules.
            match = re.match(r"(.*?):[0-9a-f]* ([TDBRGSC]) (.*)$", line)
            if match:
                places[match[3]].add(match[1])
    # Constructors and destructors have several symbols of one name, all in one object.
    return [f"{name} is in {', '.join(sorted(p))}" for name, p in sorted(places.items()) if len(p) > 1], len(places)


def self_test(work):
    def refuses(files):
        for name in files:
            path = work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[name])
        problems = check_sources(work)[0]
        for name in files:
            (work / name).unlink()
        return problems

    def within(text):
        return "namespace stepscope {\n" + text + "\n}\n"

    two = within("struct Twice { int a; };")
    bad = [
        {"model/a.h": two, "viewer/b.h": two},
        {"model/a.h": two, "viewer/b.cc": within("enum class Twice : uint8_t { kA };")},
        {"model/a.h": two, "app/b.h": within("class Twice final : public Base<int> {\n};")},
        {"model/a.h": two, "app/b.h": 'extern "C" {\n}\n// }\n' + within('const char* k = "}";\nstruct Twice {};')},
        {"model/a.h": "namespace a::b {\ntemplate <typename T>\nstruct Twice {};\n}\n",
         "app/b.h": "namespace a {\nnamespace b {\nvoid F() { if (x) {} }\nstruct Twice {};\n}\n}\n"},
    ]
    good = [
        {"model/a.h": two, "viewer/b.h": "namespace stepscope::compare {\nstruct Twice {};\n}\n"},
        {"model/a.h": two, "viewer/b.cc": within("namespace {\nstruct Twice {};\n}")},
        {"model/a.h": two, "viewer/b.h": within("struct Twice;\nstruct Other { struct Twice {}; };")},
        {"model/a.h": two, "viewer/b.cc": within("/* struct Twice {}; */\nvoid F() { struct Twice {}; }")},
    ]
    for files in bad:
        if len(refuses(files)) != 1:
            sys.exit(f"The check of one definition let this pass: {files}")
    for files in good:
        if refuses(files):
            sys.exit(f"The check of one definition refused this: {files}")

    # A library in which two objects define one function, as nm lists it.
    nm = work / "nm"
    symbols = [f"{o}:0 {symbol}" for symbol in ("T Twice()", "W Inline()", "t Own()") for o in ("a.o", "b.o")]
    nm.write_text("#!/bin/sh\n" + "".join(f"echo 'lib.a:{symbol}'\n" for symbol in symbols))
    nm.chmod(0o755)
    problems, _ = check_objects(str(nm), ["lib.a"])
    if problems != ["Twice() is in lib.a:a.o, lib.a:b.o"]:
        sys.exit(f"The check of one definition said of the objects: {problems}")
    print("The check of one definition refuses what it should")


def main(arguments):
    if arguments[0] == "--self-test":
        self_test(pathlib.Path(arguments[1]))
        return 0
    problems, files, types = check_sources(pathlib.Path(arguments[0]))
    symbols = 0
    if len(arguments) > 1:
        twice, symbols = check_objects(arguments[2], arguments[3:])
        problems += twice
    for problem in problems:
        print(problem)
    if not types:
        sys.exit("No types found: is this the repository?")
    print(f"{types} types in {files} files, {symbols} symbols")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
