#!/usr/bin/env python3
"""Checks what stands in packaging/: check_packaging.py PROGRAM REPOSITORY

Every library that the program names has a licence, the bill of materials is the same twice, the desktop's files agree
on types and names, and the content rules of these types know the samples and refuse other files.
"""

import configparser
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"
WRONG = []


def check(ok, what):
    if not ok:
        WRONG.append(what)


def unescape(text):
    return text.encode("latin-1").decode("unicode_escape").encode("latin-1")


def matches(rule, content):
    """A <match> of shared-mime-info, with what stands inside it."""
    begin, _, end = rule.get("offset").partition(":")
    value = unescape(rule.get("value"))
    if value not in content[int(begin):int(end or begin) + len(value)]:
        return False
    inner = rule.findall(MIME + "match")
    return not inner or any(matches(child, content) for child in inner)


def types_of(mime, content):
    return [entry.get("type") for entry in mime.findall(MIME + "mime-type")
            if any(matches(rule, content) for rule in entry.findall(f"{MIME}magic/{MIME}match"))]


def read_start(path):
    if path.endswith(".zst"):
        process = subprocess.Popen(["zstd", "-dcq", path], stdout=subprocess.PIPE)
        content = process.stdout.read(4096)
        process.stdout.close()
        process.wait()
        return content
    with open(path, "rb") as file:
        return file.read(4096)


def check_types(root, mime):
    data = os.path.join(root, "tests/data")
    for name in sorted(os.listdir(data)):
        if name.endswith(".xplane.pb.zst"):
            found = types_of(mime, read_start(os.path.join(data, name)))
            check(found == ["application/vnd.stepscope.xplane"], f"{name} is taken for {found}")
    trace = b'{"displayTimeUnit": "ns", "traceEvents": []}'
    check(types_of(mime, trace) == ["application/vnd.stepscope.chrome-trace+json"], "a Chrome trace is not known")
    riegeli = bytes.fromhex("83af70d10d884a3f") + bytes(8)
    check(types_of(mime, riegeli) == ["application/vnd.stepscope.riegeli"], "a Riegeli file is not known")
    snapshot = b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x08segments\x94"
    check(types_of(mime, snapshot) == ["application/vnd.stepscope.pytorch-snapshot"], "a snapshot is not known")
    for other in (b'{"name": "traceless", "version": 1}', b"\x0a\x05hello", b"\x80\x04}.", b"\x1f\x8b\x08", b""):
        check(not types_of(mime, other), f"{other} is taken for {types_of(mime, other)}")


def check_names(mime):
    """By its ending a compressed file is one of ours, and still one of its compression."""
    entry = mime.find(f"{MIME}mime-type[@type='application/vnd.stepscope.compressed']")
    globs = {glob.get("pattern") for glob in entry.findall(MIME + "glob")}
    check({"trace.json.gz", "*.trace.json.gz", "*.xplane.pb.zst"} <= globs, f"compressed files are {globs}")
    parents = {parent.get("type") for parent in entry.findall(MIME + "sub-class-of")}
    check(parents == {"application/gzip", "application/zstd"}, f"compressed files are also {parents}")
    patterns = [glob.get("pattern") for glob in mime.iter(MIME + "glob")]
    check(len(patterns) == len(set(patterns)), "a name belongs to two types")


def check_desktop(folder, mime):
    known = {entry.get("type") for entry in mime.findall(MIME + "mime-type")}
    name = "io.github.stepscope.Stepscope"
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(os.path.join(folder, name + ".desktop"), encoding="utf-8")
    entry = parser["Desktop Entry"]
    check(set(entry["MimeType"].strip(";").split(";")) == known, "the desktop entry opens other types than there are")
    check(entry["Exec"] == "stepscope %F" and entry["Icon"] == "stepscope", "the desktop entry")
    metainfo = tree.parse(os.path.join(folder, name + ".metainfo.xml")).getroot()
    check({m.text for m in metainfo.iter("mediatype")} == known, "the metainfo has other types than there are")
    check(metainfo.findtext("launchable") == name + ".desktop", "the metainfo starts another desktop entry")
    return metainfo


def check_versions(program, root, metainfo):
    version = subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True).stdout.split()[1]
    release = metainfo.find("releases/release").get("version")
    check(release == version, f"the metainfo's release is {release}, the program {version}")
    with open(os.path.join(root, "CHANGELOG.md"), encoding="utf-8") as file:
        check(f"\n## {version}\n" in file.read(), f"CHANGELOG.md has no {version}")
    with open(os.path.join(root, "NOTICE"), encoding="utf-8") as file:
        check("packaging/copyright" in file.read(), "NOTICE does not name packaging/copyright")


def check_bill(program, root):
    with tempfile.TemporaryDirectory() as folder:
        texts = []
        for name in ("a.json", "b.json"):
            path = os.path.join(folder, name)
            made = subprocess.run([sys.executable, os.path.join(root, "packaging/sbom.py"), "--program", program,
                                   "--copyright", os.path.join(root, "packaging/copyright"), "--out", path,
                                   "--with", "JetBrains Mono=2", "--with", "libstdc++=12"],
                                  stderr=subprocess.PIPE, text=True)
            check(made.returncode == 0, f"sbom.py: {made.stderr}")
            if made.returncode:
                return
            with open(path, encoding="utf-8") as file:
                texts.append(file.read())
        check(texts[0] == texts[1], "the bill of materials is not the same twice")
        names = {part["name"] for part in json.loads(texts[0])["components"]}
        check(len(names) == 18 and {"Dear ImGui", "GLFW", "JetBrains Mono", "libstdc++"} <= names,
              f"the bill of materials has {names}")


def main():
    program, root = sys.argv[1:3]
    folder = os.path.join(root, "packaging/desktop")
    mime = tree.parse(os.path.join(folder, "stepscope.xml")).getroot()
    check_types(root, mime)
    check_names(mime)
    check_versions(program, root, check_desktop(folder, mime))
    check_bill(program, root)
    for what in WRONG:
        print(what, file=sys.stderr)
    sys.exit(1 if WRONG else 0)


if __name__ == "__main__":
    main()
