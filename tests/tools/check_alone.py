#!/usr/bin/env python3
"""What a build hides that compiles sources together and with precompiled headers.

  1. A source names what no header that it includes, directly or through others, speaks of.
  2. A source calls what only imgui_internal.h declares, without including it.

Names of types, functions and constants of our own headers are looked at. The compiler sees the rest where it compiles
each source alone: in the package and by `cmake --preset dev`.

check_alone.py ROOT          checks the sources below ROOT
check_alone.py --self-test   must refuse small sources that break a rule
"""
import collections
import pathlib
import re
import sys
import tempfile

from check_one_definition import NAMESPACE, NOISE

FOLDERS = ("model", "loaders", "sql", "capture", "capi", "viewer", "app", "tests")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)
NAME = re.compile(r"\b[A-Z][A-Za-z0-9_]*[a-z][A-Za-z0-9_]*\b")
USE = re.compile(r"(?<![\w.>:~])" + NAME.pattern)
TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:enum\s+class|enum|class|struct|union|using|concept)\s+([A-Za-z_]\w*)",
                  re.DOTALL)
CALL = re.compile(r"([\w:~]+)\s*\((.*)\)[^()]*$", re.DOTALL)
VALUE = re.compile(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*(?:=|$)")


def clean(text):
    return NOISE.sub(lambda m: '""' if m[0][0] in "\"R'" else " ", text)


def declarations(text):
    """The names that a cleaned text declares outside of types and functions."""
    scopes, begin, found = [], 0, set()
    for at in (m.start() for m in re.finditer(r"[{};]", text)):
        head, open_scope = text[begin:at].strip(), all(scopes)
        if text[at] != "}" and open_scope:
            if text[at] == "{" and (NAMESPACE.search(head) or (head.startswith("extern") and "(" not in head)):
                scopes.append(True)
                begin = at + 1
                continue
            kind, call = TYPE.match(head), CALL.search(head) if "=" not in head.split("(")[0] else None
            if kind:
                if text[at] == "{" or head.startswith("using"):  # and no forward declaration
                    found.add(kind[1])
            elif call:
                if "::" not in call[1]:
                    found.add(call[1])
            elif head and (value := VALUE.search(head)):
                found.add(value[1])
        if text[at] == "{":
            scopes.append(False)
        elif text[at] == "}" and scopes:
            scopes.pop()
        begin = at + 1
    return found


def headers_of(path, root, known):
    """The headers of ours that a file includes, directly or through others."""
    if path not in known:
        known[path] = found = set()  # of headers that include each other: what is found so far
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            header = root / name
            if header.is_file() and header not in found:
                found.add(header)
                found |= headers_of(header, root, known)
    return known[path]


def imgui_internals(root):
    """The functions that imgui_internal.h has and imgui.h has not; nothing before they are fetched."""
    found = {}
    for name in ("imgui", "imgui_internal"):
        headers = sorted((root / "build/third_party").glob(f"*/third-party/cimgui/imgui/{name}.h"))
        text = headers[0].read_text(encoding="utf-8") if headers else ""
        found[name] = set(re.findall(r"IMGUI_API[\w\s:<>*&]*?\b(\w+)\(", text))
    return found["imgui_internal"] - found["imgui"]


def without_internals(path, root, text, internals, known):
    """The functions of imgui_internal.h that a source calls without including it."""
    if not internals or any("<imgui_internal.h>" in file.read_text(encoding="utf-8")
                            for file in {path, *headers_of(path, root, known)}):
        return set()
    return set(re.findall(r"ImGui::(\w+)\(", text)) & internals


def check(root, folders=FOLDERS):
    cleaned, errors = {}, []
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cc"):
                cleaned[path] = clean(path.read_text(encoding="utf-8"))
    names = {path: set(NAME.findall(text)) for path, text in cleaned.items()}
    declared = {path: declarations(text) for path, text in cleaned.items()}
    owners = collections.defaultdict(list)
    for path in cleaned:
        if path.suffix == ".h":
            for name in declared[path]:
                owners[name].append(path)

    known, internals = {}, imgui_internals(root)
    for path, text in cleaned.items():
        errors += [f"{path.relative_to(root)}: calls ImGui::{name}() and does not include imgui_internal.h"
                   for name in sorted(without_internals(path, root, text, internals, known)) if path.suffix == ".cc"]
        if path.suffix != ".cc" or path.parent == root / "tests/tools":  # each is a program
            continue
        reached = set(declared[path])
        for header in headers_of(path, root, known):
            reached |= names.get(header, set())
        for name in sorted(set(USE.findall(text)) & owners.keys() - reached):
            # Names that the source declares within types or as parameters of templates, by their look.
            if not re.search(rf"(?:[\w>&*]\s+|[&*>])(?<!return ){name}\s*[(={{,>]", text):
                errors.append(f"{path.relative_to(root)}: uses {name} of {owners[name][0].relative_to(root)}, "
                              "which it does not include")
    return errors


HEADER = """namespace stepscope {
struct Shape;
struct Sum { int value = 0; };
int TotalOf(const Sum& sum);
}
"""
MORE = '#include "model/sum.h"\n'
BAD = {
    "a type of a header that is not included": {"model/sum.h": HEADER, "model/a.cc": "Sum s;\n"},
    "a function of a header that is not included": {"model/sum.h": HEADER, "model/a.cc": "int n = TotalOf({});\n"},
}
IMGUI = {"build/third_party/x/third-party/cimgui/imgui/imgui.h": "IMGUI_API bool Begin(const char* name);",
         "build/third_party/x/third-party/cimgui/imgui/imgui_internal.h": "IMGUI_API ImVec2 Past(int n);"}
BAD["a function of imgui_internal.h"] = IMGUI | {"model/a.cc": "bool b = ImGui::Begin(0) && ImGui::Past(1);"}
GOOD = {
    "a function of imgui_internal.h that is included": IMGUI | {
        "model/a.cc": "#include <imgui_internal.h>\nbool b = ImGui::Begin(0) && ImGui::Past(1);"},
    "a name of a header behind a header": {
        "model/sum.h": HEADER, "model/more.h": MORE, "model/a.cc": '#include "model/more.h"\nSum s;\n'},
    "a name that the source has itself": {
        "model/sum.h": HEADER, "model/a.cc": "namespace {\nstruct Sum {};\n}\nSum s;\n"},
    "a member, a text and a comment": {
        "model/sum.h": HEADER, "model/a.cc": 'int n = x.TotalOf() + y->Sum + Other::Sum + Size("Sum");  // Sum\n'},
}


def self_test():
    failed = 0
    for expected, cases in ((True, BAD), (False, GOOD)):
        for name, files in cases.items():
            with tempfile.TemporaryDirectory() as work:
                root = pathlib.Path(work)
                for path, text in files.items():
                    (root / path).parent.mkdir(parents=True, exist_ok=True)
                    (root / path).write_text(text, encoding="utf-8")
                errors = check(root, ("model",))
            if bool(errors) != expected:
                print(f"{name}: {'not refused' if expected else errors}")
                failed = 1
    return failed


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    errors = check(pathlib.Path(sys.argv[1]))
    print("\n".join(errors))
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
