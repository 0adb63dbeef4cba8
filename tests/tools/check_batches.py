#!/usr/bin/env python3
"""Checks how cmake/batches.py puts sources together: check_batches.py ROOT (of the repository)"""
import os
import pathlib
import sys
import tempfile

HEADER = "namespace stepscope {\nstruct Part {\n  int n = 0;\n};\nint Half(int n);\n}  // namespace stepscope\n"
INCLUDES = '#include "model/part.h"\n'


def unnamed(text):
    return "namespace stepscope {\nnamespace {\n" + text + "\n}  // namespace\n}  // namespace stepscope\n"


APART = [
    ("int Half(int n) { return n / 2; }", "int64_t Half(int64_t n) {\n  return n / 2;\n}"),
    ("std::vector<int> Halves(\n    int n) {", "Result<std::string> Halves(int n) {"),
    ("constexpr int kMost = 3;", "constexpr std::array<int, 2> kMost = {1, 2};"),
    ("const char* const kNames[] = {\"a[\"};", "const char* kNames[2] = {};"),
    ("struct Part {", "class Part final : public Whole {"),
    ("enum class Part : uint8_t { kA };", "struct Part\n    : Whole {"),
    ("template <typename T>\nint Half(T n) {", "int Half(int n) {"),
    ("using Json = nlohmann::json;", "using Json = nlohmann::ordered_json;"),
    ("constexpr int kLeast = 1, kMost = 3;", "constexpr int kMost = 3;"),
    ("constexpr int kLeast = 1,\n              kMost = 3;", "constexpr int kMost = 3;"),
    ("#define TWICE(x) x", "#define TWICE(x) (x)"),
    ("int Half(const Part& part, int n) {", "int Half(const Part& part, int64_t n, bool up = false) {"),
]
TOGETHER = [
    ("int Half(int n) {", "int Third(int n) {"),
    ("using Json = nlohmann::json;", "using Json = nlohmann::json;"),
    ("struct Part;\nint First(int n) {", "struct Part;\nint Second(int n) {"),
    ("void Panel::Draw(int n) {", "void Table::Draw(int n) {"),
    ("bool operator==(const A& a, const A& b) {", "bool operator==(const B& a, const B& b) {"),
    ("void First() {\n  int Half = 1;\n}", "void Second() {\n  int Half = 1;\n}"),
    ("TEST_CASE(\"a\") {", "TEST_CASE(\"b\") {"),
    ("int Half(const Part& part) {", "int Half(const Whole& whole) {"),
    ("int Half(int n) {", "int Half(int n, int m) {"),
]
# Names of a header that the second source includes.
APART_FROM_HEADER = ["struct Part {", "int Half(int64_t n) {"]
TOGETHER_WITH_HEADER = ["struct Parts {", "void Use() {\n  Part part;\n}", "int Half(const Whole& whole) {"]


def batches_of(root, first, second):
    import batches
    for name, text in (("a.cc", first), ("b.cc", second), ("part.h", HEADER)):
        (root / "model" / name).write_text(text, encoding="utf-8")
    return len(batches.make_batches(["model/a.cc", "model/b.cc"], batches.Tree(str(root))))


def check_pairs(root):
    cases = [(2, unnamed(a), unnamed(b)) for a, b in APART] + [(1, unnamed(a), unnamed(b)) for a, b in TOGETHER]
    for count, texts in ((2, APART_FROM_HEADER), (1, TOGETHER_WITH_HEADER)):
        cases += [(count, unnamed(text), INCLUDES) for text in texts] + [(count, INCLUDES, unnamed(text)) for text in texts]
    # Who includes the header itself sees its names alone, too.
    cases.append((1, INCLUDES + unnamed("int Half(int64_t n) {"), INCLUDES))
    inner = unnamed("int Half(int n) {").replace("namespace stepscope {", "namespace stepscope::%s {")
    cases += [(1, inner % "a", inner % "b"), (2, inner % "a", unnamed("int Half(int n) {"))]
    return [f"{count} batches expected:\n{first}\n{second}" for count, first, second in cases
            if batches_of(root, first, second) != count]


def check_sizes(root):
    import batches
    names = [f"model/{folder}/s{i}.cc" for folder, count in (("a", 50), ("b", 3), ("c", 2)) for i in range(count)]
    for name in names:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("", encoding="utf-8")
    sizes = [len(batch.sources) for batch in batches.make_batches(names, batches.Tree(str(root)))]
    return [] if sizes == [24, 24, 7] else [f"batches have {sizes} sources"]


def main():
    sys.dont_write_bytecode = True
    sys.path.insert(0, os.path.join(sys.argv[1], "cmake"))
    with tempfile.TemporaryDirectory() as work:
        root = pathlib.Path(work)
        (root / "model").mkdir()
        errors = check_pairs(root) + check_sizes(root)
    print("\n".join(errors))
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
