#!/usr/bin/env python3
"""What a build hides that compiles sources together (STEPSCOPE_UNITY).

  1. A source names what no header that it includes, directly or through others, speaks of: it compiles behind another
     source that includes more, and not alone.
  2. A function in the unnamed namespace of a source has the name of one in another source of the part, or in a
     header that another includes, and a call may fit both: which one it means depends on what stands before it.
  3. A source calls what only imgui_internal.h declares, without including it: a precompiled header hides that.

Names of types, functions and constants of our own headers are looked at. The compiler sees the rest wherever a source
is compiled alone and without precompiled headers: in the package, and by clang-tidy.

check_alone.py ROOT [PARTS]  checks the sources below ROOT; PARTS lists the files that include what is compiled together;
                             without it, the sources of a directory are
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
PLAIN = ("auto", "bool", "char", "double", "float", "int", "long", "short", "signed", "unsigned", "void")


def clean(text):
    return NOISE.sub(lambda m: '""' if m[0][0] in "\"R'" else " ", text)


def declarations(text):
    """(name, parameters or None, namespace or None) of what a cleaned text declares outside of types.

    The namespace is that around the unnamed one; None: other sources can use the name."""
    scopes, begin, found = [], 0, []
    for at in (m.start() for m in re.finditer(r"[{};]", text)):
        head, open_scope = text[begin:at].strip(), all(s is not None for s in scopes)
        if text[at] != "}" and open_scope:
            namespace = NAMESPACE.search(head) if text[at] == "{" else None
            if namespace or (head.startswith("extern") and "(" not in head and text[at] == "{"):
                scopes.append(namespace["name"].strip() if namespace else "C")
                begin = at + 1
                continue
            local = "" in scopes or head.startswith("static ")
            local = "::".join(filter(None, scopes)) if local else None
            kind, call = TYPE.match(head), CALL.search(head) if "=" not in head.split("(")[0] else None
            if kind:
                if text[at] == "{" or head.startswith("using"):  # and no forward declaration
                    found.append((kind[1], None, local))
            elif call:
                if "::" not in call[1]:
                    found.append((call[1], call[2], local))
            elif head and (value := VALUE.search(head)):
                found.append((value[1], None, local))
        if text[at] == "{":
            scopes.append(None)
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


def types_of(parameters):
    """The types of a list of parameters, without what a conversion does not see, and how many a call needs at least."""
    parts, depth = [""], 0
    for c in parameters:
        depth += (c in "<([{") - (c in ">)]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    types = []
    for part in parts:
        words = re.sub(r"\bconst\b|=.*|\w+::(?=\w)|[&*]", " ", part, flags=re.DOTALL).split()
        if words:
            types.append(" ".join(words[:-1] if len(words) > 1 else words))
    return types, sum("=" not in part for part in parts[:len(types)])


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


def is_class(kind):
    plain = kind.split()[0] in PLAIN or kind.endswith("_t") or kind in ("Ps", "string", "string_view", "SharedText")
    return not plain


def told_apart(a, b):
    """Whether no call fits both lists of parameters."""
    (a, least_a), (b, least_b) = types_of(a), types_of(b)
    return (len(a) < least_b or len(b) < least_a or
            any(x != y and (is_class(x) or is_class(y)) for x, y in zip(a, b)))


def parts_of(files, root):
    """By source: the part that it is compiled in."""
    return {root / name: part for part in files for name in INCLUDE.findall(part.read_text(encoding="utf-8"))}


def check(root, parts, folders=FOLDERS):
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
            for name, _, _ in declared[path]:
                owners[name].append(path)

    known, internals = {}, imgui_internals(root)
    for path, text in cleaned.items():
        errors += [f"{path.relative_to(root)}: calls ImGui::{name}() and does not include imgui_internal.h"
                   for name in sorted(without_internals(path, root, text, internals, known)) if path.suffix == ".cc"]
        if path.suffix != ".cc" or path.parent == root / "tests/tools":  # each is a program
            continue
        reached = {name for name, _, _ in declared[path]}
        for header in headers_of(path, root, known):
            reached |= names.get(header, set())
        for name in sorted(set(USE.findall(text)) & owners.keys() - reached):
            # Names that the source declares within types or as parameters of templates, by their look.
            if not re.search(rf"(?:[\w>&*]\s+|[&*>])(?<!return ){name}\s*[(={{,>]", text):
                errors.append(f"{path.relative_to(root)}: uses {name} of {owners[name][0].relative_to(root)}, "
                              "which it does not include")

    functions, headers = collections.defaultdict(list), collections.defaultdict(set)
    for path in cleaned:
        if path.suffix == ".cc" and path.parent != root / "tests/tools":
            for name, parameters, local in set(declared[path]):
                if local is not None and parameters is not None and name not in ("TEST_CASE", "TEST_CASE_FIXTURE"):
                    functions[parts.get(path, path.parent), name].append((path, parameters, local))
            headers[parts.get(path, path.parent)] |= headers_of(path, root, known)
    for part, found in headers.items():
        for header in found & declared.keys():
            for name, parameters, _ in declared[header]:
                if parameters is not None and (part, name) in functions:
                    functions[part, name].insert(0, (header, parameters, ""))
    for (_, name), places in sorted(functions.items()):
        for i, (path, parameters, space) in enumerate(places):
            for other, others, around in places[:i]:
                seen = space.startswith(around) or around.startswith(space)  # one lies in the other
                if path.suffix == ".cc" and other != path and seen and not told_apart(parameters, others):
                    errors.append(f"{path.relative_to(root)}: {name}() is also in {other.name}, and a call may fit both")
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
    "two local functions for one call": {
        "model/a.cc": "namespace {\nint Half(int n) { return n / 2; }\n}\n",
        "model/b.cc": "namespace {\nint Half(int64_t n, bool up = false) { return n; }\n}\n"},
}
TWO_DIRECTORIES = {
    "model/a/x.cc": "namespace {\nint Half(int n) { return n / 2; }\n}\n",
    "model/b/y.cc": "namespace {\nint Half(int64_t n) { return n; }\n}\n"}
BAD["two local functions of directories that share a part"] = TWO_DIRECTORIES | {
    "part_1.cc": '#include "model/a/x.cc"\n#include "model/b/y.cc"\n'}
IMGUI = {"build/third_party/x/third-party/cimgui/imgui/imgui.h": "IMGUI_API bool Begin(const char* name);",
         "build/third_party/x/third-party/cimgui/imgui/imgui_internal.h": "IMGUI_API ImVec2 Past(int n);"}
BAD["a function of imgui_internal.h"] = IMGUI | {"model/a.cc": "bool b = ImGui::Begin(0) && ImGui::Past(1);"}
GOOD = {
    "two local functions in namespaces beside each other": {
        "model/a.cc": "namespace xla {\nnamespace {\nint Half(int n) { return n / 2; }\n}\n}\n",
        "model/b.cc": "namespace tpu {\nnamespace {\nint Half(int64_t n) { return n; }\n}\n}\n"},
    "two local functions of directories with a part each": TWO_DIRECTORIES,
    "a function of imgui_internal.h that is included": IMGUI | {
        "model/a.cc": "#include <imgui_internal.h>\nbool b = ImGui::Begin(0) && ImGui::Past(1);"},
    "a name of a header behind a header": {
        "model/sum.h": HEADER, "model/more.h": MORE, "model/a.cc": '#include "model/more.h"\nSum s;\n'},
    "a name that the source has itself": {
        "model/sum.h": HEADER, "model/a.cc": "namespace {\nstruct Sum {};\n}\nSum s;\n"},
    "a member, a text and a comment": {
        "model/sum.h": HEADER, "model/a.cc": 'int n = x.TotalOf() + y->Sum + Other::Sum + Size("Sum");  // Sum\n'},
    "local functions for different types": {
        "model/a.cc": "namespace {\nint Half(const Other& of) { return 0; }\n}\n",
        "model/b.cc": "namespace {\nint Half(const Another& of) { return 1; }\n}\n"},
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
                errors = check(root, parts_of(root.glob("part_*.cc"), root), ("model",))
            if bool(errors) != expected:
                print(f"{name}: {'not refused' if expected else errors}")
                failed = 1
    return failed


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    root = pathlib.Path(sys.argv[1])
    parts = pathlib.Path(sys.argv[2]).read_text(encoding="utf-8").split() if len(sys.argv) > 2 else []
    errors = check(root, parts_of(map(pathlib.Path, parts), root))
    print("\n".join(errors))
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
