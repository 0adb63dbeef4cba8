#!/usr/bin/env python3
"""Writes the bill of materials of a program as CycloneDX JSON:

sbom.py --program FILE --copyright FILE --out FILE [--with NAME=VERSION]...

What is in it and in which version the program itself says (--version); licences and authors come from the file of all
licences (packaging/copyright), which must have each. --with adds what is shipped beside it. The same program
gives the same file.
"""

import argparse
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
import uuid

# Where a package manager would look for it.
PURLS = {"Dear ImGui": "pkg:github/ocornut/imgui", "ImPlot": "pkg:github/epezent/implot",
         "CLI11": "pkg:github/CLIUtils/CLI11", "nlohmann_json": "pkg:github/nlohmann/json",
         "GLFW": "pkg:github/glfw/glfw", "libepoxy": "pkg:github/anholt/libepoxy", "fmt": "pkg:github/fmtlib/fmt",
         "protobuf": "pkg:github/protocolbuffers/protobuf", "simdjson": "pkg:github/simdjson/simdjson",
         "zstd": "pkg:github/facebook/zstd", "brotli": "pkg:github/google/brotli",
         "snappy": "pkg:github/google/snappy", "SQLite": "pkg:github/sqlite/sqlite", "isa-l": "pkg:github/intel/isa-l",
         "nghttp2": "pkg:github/nghttp2/nghttp2", "highwayhash": "pkg:github/google/highwayhash"}

EXPRESSIONS = {"GPL-3+ with GCC Runtime Library Exception": "GPL-3.0-or-later WITH GCC-exception-3.1"}


def program_version(program):
    """version, commit, [(library, version)] as --version says them."""
    text = subprocess.run([program, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = text.strip().split("\n")
    libraries = []
    for part in " ".join(lines[2:]).split(", "):
        name, version = re.fullmatch(r"(.+?) ([0-9][\w.+ -]*?),?", part).groups()
        libraries.append((name, version))
    return lines[0].split()[1], re.match(r"commit ([^,]+)", lines[1])[1], libraries


def licences_of(path):
    """{work: (licence, copyright)} of a machine-readable copyright file."""
    found = {}
    with open(path, encoding="utf-8") as file:
        paragraphs = file.read().split("\n\n")
    for paragraph in paragraphs:
        fields = dict(re.findall(r"^([A-Z][\w-]*): (.*)$", paragraph, re.M))
        for work in fields.get("Files", "").split():
            if "/" in work:
                found[work.partition("/")[2]] = (fields["License"], fields["Copyright"])
    return found


def component(name, version, licence, copyright_line):
    licences = [{"expression": EXPRESSIONS[licence]}] if licence in EXPRESSIONS else [{"license": {"id": licence}}]
    entry = {"type": "library", "bom-ref": f"{name}@{version}", "name": name, "version": version,
             "licenses": licences, "copyright": copyright_line}
    if name in PURLS:
        entry["purl"] = f"{PURLS[name]}@{version.split()[0]}"
    return entry


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--copyright", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--with", dest="beside", action="append", default=[])
    options = parser.parse_args()
    version, commit, libraries = program_version(options.program)
    licences = licences_of(options.copyright)
    components = []
    for name, library_version in libraries + [tuple(item.split("=", 1)) for item in options.beside]:
        work = name.replace(" ", "_")
        if work not in licences:
            sys.exit(f"{options.copyright}: no licence of {name}")
        components.append(component(name, library_version, *licences[work]))
    with open(options.program, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    when = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    bom = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_OID, digest)),
        "metadata": {
            "timestamp": when.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {"type": "application", "bom-ref": f"stepscope@{version}", "name": "stepscope",
                          "version": version, "licenses": [{"license": {"id": "Apache-2.0"}}],
                          "hashes": [{"alg": "SHA-256", "content": digest}],
                          "properties": [{"name": "stepscope:commit", "value": commit}]}},
        "components": components,
        "dependencies": [{"ref": f"stepscope@{version}", "dependsOn": [c["bom-ref"] for c in components]}],
    }
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump(bom, file, indent=1, ensure_ascii=False)
        file.write("\n")


if __name__ == "__main__":
    main()
