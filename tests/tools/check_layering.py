#!/usr/bin/env python3
"""Checks what each folder of the product includes.

check_layering.py ROOT: refuses an include that RULES does not allow, files that include each other
in a circle, and a folder of more than MOST_STEMS files (a source and its header are one).
check_layering.py --self-test: each of these refuses a small tree that breaks it, and only that.
"""

import fnmatch
import pathlib
import re
import sys
import tempfile

MOST_STEMS = 27

LIBRARIES = {
    'posix': r'(sys/.*|(fcntl|unistd|dirent|endian|poll|signal|spawn|[a-z0-9]*intrin)\.h)',
    'cxxabi': r'cxxabi\.h',
    'c': r'std(int|def)\.h',
    'json': r'nlohmann/.*',
    'imgui': r'(imgui|imgui_internal|implot|implot_internal)\.h',
    'gl': r'(epoxy/gl|shaders/embedded)\.h',
    'codecs': r'(zstd(_errors)?|brotli/decode|snappy|igzip_lib|isa-l(/.*)?|highwayhash/c_bindings)\.h',
    'protobuf': r'(google/protobuf/.*|(loaders/(xplane|store|remote)|capture)/[a-z]+\.pb\.h)',
    'simd': r'[a-z0-9]*intrin\.h',
    'simdjson': r'simdjson\.h',
    'sqlite': r'sqlite3\.h',
    'network': r'(netdb|netinet/[a-z]+|nghttp2/nghttp2)\.h',
    'build_commit': r'app/system/build_commit\.h',  # made by app/commit.cmake
    'any': r'(?!(app|capi|capture|loaders|model|sql|tests|viewer)/).*(?<!\.pb\.h)',
}
STANDARD = r'([a-z_0-9]+|fmt/.*)'  # what every folder may include
GENERATED = r'.*\.pb\.h|app/system/build_commit\.h'  # in folders of ours, but libraries by the rules

# One row for each folder (or file that stands apart from its folder), bottom to top: which others it
# may include, and which libraries. '+': the row above, and the folders that the row above may
# include. '*' matches any text. A row with '*' in its first column is for new folders, which have no row.
RULES = '''
model/base                           |                                              | posix cxxabi
model/jobs                           | +                                            | posix
model                                | +                                            |
model/xla                            | +                                            | json
model/analysis/tables                | +                                            | json
model/analysis/intervals             | +                                            |
model/analysis/naming                | +                                            |
model/analysis                       | +                                            |
model/analysis/grouping              | +                                            |
model/analysis/recording             | +                                            |
model/analysis/tpu                   | +                                            |
model/analysis/steps                 | +                                            |
model/analysis/steps/builders        | +                                            |
model/analysis/devices               | +                                            |
model/analysis/graphs                | +                                            |
model/analysis/ops                   | +                                            |
model/analysis/kernels               | +                                            |
model/analysis/xla                   | +                                            |
model/analysis/torch                 | +                                            |
model/analysis/memory                | +                                            |
model/analysis/derived_tracks        | +                                            |
model/analysis/ranks                 | +                                            |
model/analysis/findings/kernels      | +                                            |
model/analysis/findings              | +                                            |
model/analysis/fleet                 | +                                            |
model/analysis/pages                 | +                                            |
model/analysis/analysis_context.cc   | model*                                       |
model/analysis/registry.cc           | model*                                       |
model/compare                        | model model/base model/jobs model/analysis*  |
model/query                          | model model/base model/jobs model/analysis*  |

loaders/common                       | model*                                       | simd
loaders/xla                          | +                                            |
loaders/files                        | +                                            | posix codecs
loaders/loader.h                     | +                                            |
loaders/riegeli                      | +                                            | posix codecs
loaders/chrome_json                  | model* loaders/common loaders/files loaders/loader.h | posix
loaders/perfetto                     | model* loaders/common loaders/files loaders/loader.h | codecs
loaders/sqlite                       | model* loaders/common loaders/files loaders/loader.h | sqlite
loaders/xplane/scan                  | model* loaders/common loaders/xla loaders/files loaders/loader.h loaders/riegeli | protobuf
loaders/xplane/lines                 | +                                            |
loaders/xplane                       | +                                            | protobuf
loaders/store                        | model* loaders/common loaders/xla loaders/files loaders/loader.h loaders/memory_snapshot | codecs protobuf
loaders/fleet                        | model* loaders/common loaders/xla loaders/files loaders/store loaders/loader.h |
loaders/remote                       | model* loaders/common loaders/files loaders/store loaders/loader.h | posix protobuf
loaders                              | model* loaders*                              |
loaders/*                            | model* loaders/common loaders/files loaders/loader.h |

capture                              | model* loaders/common                        | posix protobuf network

sql                                  | model*                                       | sqlite

viewer/core/look                     | model*                                       | imgui
viewer/core/state                    | +                                            | json
viewer/core/profiles                 | +                                            |
viewer/core/search                   | +                                            |
viewer/core/commands                 | +                                            | imgui
viewer/core                          | +                                            | imgui json
viewer/widgets                       | +                                            | imgui
viewer/gl                            | viewer/core/look                             | imgui gl
viewer/timeline/layout               | model* viewer/core* viewer/widgets           |
viewer/timeline/slices               | +                                            |
viewer/timeline/interaction          | +                                            |
viewer/timeline/painting             | +                                            |
viewer/timeline                      | +                                            | imgui
viewer/panels                        | model* viewer/core* viewer/widgets           | imgui
viewer/panels/fleet                  | +                                            | imgui
viewer/panels/memory                 | +                                            | imgui
viewer/panels/xla                    | +                                            | imgui
viewer/panels/query                  | + sql                                        | imgui
viewer/shell                         | +                                            | imgui
viewer                               | model* viewer*                               | imgui

app/system                           | model*                                       | any build_commit
app/command_line                     | + loaders* capture sql viewer*               | any
app/agents                           | +                                            | any
app/session                          | +                                            | any
app/window                           | +                                            | any
app/replay                           | +                                            | any
app/report                           | +                                            | any
app/bench                            | +                                            | any
app/commands                         | +                                            | any
app                                  | +                                            | any
capi                                 | model* loaders* sql capi*                    | c posix
'''
PRODUCT = ('app', 'capi', 'capture', 'loaders', 'model', 'sql', 'viewer')


def read_rules(text):
    """{folder or file: (patterns of folders and files, regular expression of other includes)}"""
    rules, above, allowed = {}, '', []
    for line in filter(None, text.splitlines()):
        key, ours, libraries = (part.strip() for part in line.split('|'))
        words = ours.split()
        allowed = ([above] + allowed if '+' in words else []) + [w for w in words if w != '+']
        rules[key] = allowed, '|'.join([STANDARD] + [LIBRARIES[name] for name in libraries.split()])
        above = key
    return rules


def place_of(path, rules):
    """The row that speaks of a file: its own, or that of its folder."""
    return path if path in rules else path.rpartition('/')[0]


def row_of(place, rules):
    """The row of a folder or file, or that for new folders; None: there is none."""
    return rules.get(place) or next((row for key, row in rules.items() if fnmatch.fnmatchcase(place, key)), None)


def includes_of(root):
    """{path of a source or header: what it includes}"""
    files = (f for folder in PRODUCT for f in sorted((root / folder).rglob('*')) if f.suffix in ('.h', '.cc'))
    pattern = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]*)', re.M)
    return {f.relative_to(root).as_posix(): pattern.findall(f.read_text()) for f in files}


def stem(path):
    return path.rsplit('.', 1)[0]


def forbidden_includes(files, rules):
    for path, includes in files.items():
        place = place_of(path, rules)
        row = row_of(place, rules)
        if row is None:
            yield f'{path}: {place}/ has no row in RULES (tests/tools/check_layering.py)'
            continue
        allowed, libraries = row
        for include in includes:
            target = place_of(include, rules)
            if include.split('/')[0] in PRODUCT and '/' in include and not re.fullmatch(GENERATED, include):
                ok = target == place or any(fnmatch.fnmatchcase(target, a) for a in allowed)
            else:
                ok = re.fullmatch(libraries, include)
            if not ok:
                yield f'{path}: {place}/ may not include {include}'


def circles(files):
    """Sets of files, without endings, of which each reaches each."""
    edges = {}
    for path, includes in files.items():
        edges.setdefault(stem(path), set()).update(stem(i) for i in includes if stem(i) != stem(path))

    def reached(start):
        found, left = set(), [start]
        while left:
            new = edges.get(left.pop(), set()) - found
            found |= new
            left += new
        return found

    reach = {node: reached(node) for node in edges}
    return {frozenset(other for other in reach[node] if node in reach.get(other, ()))
            for node in edges if node in reach[node]}


def crowded_folders(files):
    stems = {}
    for path in files:
        stems.setdefault(path.rpartition('/')[0], set()).add(stem(path))
    for folder, found in stems.items():
        if len(found) > MOST_STEMS:
            yield f'{folder}/: {len(found)} files, at most {MOST_STEMS} (a source and its header are one)'


def violations(root, rules):
    files = includes_of(root)
    found = list(forbidden_includes(files, rules)) + list(crowded_folders(files))
    found += ['these include each other in a circle: ' + ', '.join(c) for c in sorted(map(sorted, circles(files)))]
    return found, len(files)


# --- Self-test -----------------------------------------------------------------------------------
# A file and what it includes; each is refused on its own.
BAD = '''
model/a.cc loaders/loader.h
model/a.cc viewer/core/panel.h
model/a.cc capi/stepscope.h
model/a.cc imgui.h
model/a.cc zstd.h
model/a.cc nlohmann/json.hpp
model/a.cc a.h
model/a.h loaders/xplane/xplane.pb.h
model/a.cc model/analysis/analysis.h
model/base/a.h model/trace.h
model/new/a.h model/trace.h
model/a.h model/xla/shape.h
model/xla/a.h model/analysis/tables/result_table.h
model/analysis/tables/a.h model/analysis/intervals/ranges.h
model/analysis/intervals/a.h model/analysis/naming/op_name.h
model/analysis/naming/a.h model/analysis/analysis.h
model/analysis/a.h model/analysis/grouping/grouping.h
model/analysis/grouping/a.h model/analysis/steps/steps.h
model/analysis/steps/a.h model/analysis/steps/builders/infer_steps.h
model/analysis/steps/builders/a.h model/analysis/devices/precision.h
model/analysis/devices/a.h model/analysis/graphs/graph_ops.h
model/analysis/graphs/a.h model/analysis/ops/op_database.h
model/analysis/ops/a.h model/analysis/kernels/kernel_stats.h
model/analysis/kernels/a.h model/analysis/xla/hlo_ops.h
model/analysis/xla/a.h model/analysis/memory/stack_tree.h
model/analysis/memory/a.h model/analysis/derived_tracks/device_lanes.h
model/analysis/derived_tracks/a.h model/analysis/ranks/clocks.h
model/analysis/ranks/a.h model/analysis/findings/finding.h
model/analysis/findings/a.h model/analysis/pages/row_events.h
model/analysis/pages/a.h model/compare/compare.h
model/compare/a.h model/query/event_query.h
model/query/a.h model/compare/compare.h
loaders/a.cc viewer/core/panel.h
loaders/a.cc app/session/session.h
loaders/a.cc imgui.h
loaders/a.cc GL/gl.h
loaders/common/a.h loaders/files/byte_source.h
loaders/files/a.h loaders/loader.h
loaders/xla/a.h loaders/xplane/xplane_loader.h
loaders/loader.h loaders/profile_dir.h
loaders/xplane/scan/a.h loaders/xplane/lines/line_set.h
loaders/xplane/lines/a.h loaders/xplane/xspace_load.h
loaders/riegeli/a.h loaders/xplane/xplane_loader.h
loaders/chrome_json/a.h loaders/xplane/xplane_loader.h
loaders/chrome_json/a.h loaders/xplane/xplane.pb.h
loaders/perfetto/a.h loaders/riegeli/chunk_list.h
loaders/sqlite/a.h loaders/profile_dir.h
loaders/memory_snapshot/a.cc sqlite3.h
loaders/new/a.h loaders/xplane/xplane_loader.h
loaders/new/a.cc fcntl.h
sql/a.cc loaders/loader.h
capture/a.cc loaders/loader.h
capture/a.cc viewer/core/panel.h
viewer/a.cc capture/record.h
loaders/a.cc capture/record.h
capture/a.cc curl/curl.h
loaders/a.cc nghttp2/nghttp2.h
sql/a.cc viewer/core/panel.h
model/a.cc sql/database.h
loaders/xplane/a.h loaders/chrome_json/chrome_json_loader.h
capi/a.cc app/command_line/command_line.h
capi/a.cc viewer/core/panel.h
capi/a.cc nlohmann/json.hpp
viewer/a.cc loaders/loader.h
viewer/a.cc app/session/session.h
viewer/a.cc GLFW/glfw3.h
viewer/a.cc GL/gl.h
viewer/a.cc loaders/xplane/xplane.pb.h
viewer/new/a.cc vector
viewer/core/look/a.h viewer/core/state/settings.h
viewer/core/state/a.h viewer/core/profiles/profile.h
viewer/core/profiles/a.h viewer/core/search/search.h
viewer/core/search/a.h viewer/core/commands/context.h
viewer/core/commands/a.h viewer/core/panel.h
viewer/core/a.h viewer/widgets/row_events.h
viewer/core/a.cc viewer/timeline/layout/layout.h
viewer/widgets/a.cc viewer/panels/step_chart.h
viewer/gl/a.cc viewer/core/panel.h
viewer/gl/a.cc loaders/loader.h
viewer/timeline/layout/a.h viewer/timeline/slices/draw_plan.h
viewer/timeline/slices/a.h viewer/timeline/interaction/path_view.h
viewer/timeline/interaction/a.h viewer/timeline/painting/ruler.h
viewer/timeline/painting/a.h viewer/timeline/timeline_panel.h
viewer/timeline/a.cc viewer/panels/step_chart.h
viewer/panels/a.cc viewer/timeline/layout/layout.h
viewer/panels/a.cc viewer/panels/memory/memory_boxes.h
viewer/panels/a.cc viewer/shell/shell.h
viewer/panels/a.cc epoxy/gl.h
viewer/core/state/a.cc imgui.h
viewer/timeline/layout/a.cc imgui.h
viewer/panels/memory/a.cc viewer/shell/shell.h
viewer/shell/a.cc viewer/timeline/timeline_panel.h
viewer/shell/a.cc viewer/viewer.h
app/a.cc loaders/xplane/xplane.pb.h
app/a.cc tests/support/wire.h
app/a.cc capi/stepscope.h
app/system/a.h app/command_line/command_line.h
app/system/a.h loaders/loader.h
app/command_line/a.h app/session/session.h
app/session/a.h app/window/gui.h
app/window/a.h app/replay/replay_script.h
app/replay/a.h app/report/report.h
app/report/a.h app/commands/commands.h
app/bench/a.h app/commands/stage.h
app/session/a.h app/system/build_commit.h
loaders/perfetto/a.h loaders/xplane/xplane.pb.h
'''
GOOD = '''
model/a.cc model/b.h
model/a.cc vector
model/a.cc fmt/format.h
model/a.cc model/jobs/job.h
model/base/a.cc sys/mman.h
model/analysis/a.cc model/analysis/naming/op_name.h
model/analysis/steps/a.cc model/analysis/analysis.h
model/analysis/registry.cc model/analysis/pages/row_events.h
model/analysis/analysis_context.cc model/analysis/steps/steps.h
model/query/a.h model/analysis/steps/scope.h
loaders/a.cc model/trace.h
loaders/a.cc loaders/profile_dir.h
loaders/xplane/a.cc loaders/xplane/xplane.pb.h
loaders/xplane/a.cc loaders/riegeli/chunk_list.h
loaders/riegeli/a.cc zstd.h
capture/a.cc loaders/common/wire.h
capture/a.cc nghttp2/nghttp2.h
app/a.cc capture/record.h
viewer/a.cc model/trace.h
viewer/a.cc imgui.h
viewer/viewer.cc viewer/shell/shell.h
viewer/shell/a.cc viewer/panels/step_chart.h
viewer/timeline/a.cc viewer/widgets/draw_text.h
viewer/gl/a.cc epoxy/gl.h
capi/a.cc loaders/loader.h
app/a.cc loaders/loader.h
app/window/a.cc GLFW/glfw3.h
app/system/version.cc app/system/build_commit.h
'''
# Includes between files of model/, and the files of the circle that they make.
CIRCLES = [
    ('a.h>b.h b.cc>c.h c.h>a.h d.h>a.h a.h>e.h', ['model/a', 'model/b', 'model/c']),
    ('a.cc>b.h b.cc>a.h', ['model/a', 'model/b']),
    ('a.cc>a.h a.h>b.h a.cc>b.h b.cc>b.h c.cc>a.h', []),
]


def check_tree(what, includes, refused):
    """`includes`: (file, what it includes). Fails unless `refused` is in the one violation, or there is none."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, include in includes:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            with open(root / path, 'a') as file:
                file.write(f'#include <{include}>\n' if include else '\n')
        found, _ = violations(root, read_rules(RULES))
    if len(found) != (refused is not None) or refused is not None and refused not in found[0]:
        sys.exit(f'{what}: the check of layers said {found}')


def self_test():
    for line in filter(None, BAD.splitlines()):
        check_tree(line, [line.split()], line.split()[0])
    for line in filter(None, GOOD.splitlines()):
        check_tree(line, [line.split()], None)
    for text, circle in CIRCLES:
        edges = [('model/' + a, 'model/' + b) for a, b in (edge.split('>') for edge in text.split())]
        check_tree(text, edges, 'circle: ' + ', '.join(circle) if circle else None)
    for count in (MOST_STEMS, MOST_STEMS + 1):
        files = [(f'capi/a{i}{end}', '') for i in range(count) for end in ('.h', '.cc')]
        check_tree(f'{count} files', files, f'capi/: {count} files' if count > MOST_STEMS else None)
    print('The check of layers refuses what it should')


def main():
    if sys.argv[1:] == ['--self-test']:
        return self_test()
    found, count = violations(pathlib.Path(sys.argv[1]), read_rules(RULES))
    if found or not count:
        sys.exit('\n'.join(found) or f'No sources in {sys.argv[1]}')
    print(f'{count} files keep to the layers')


if __name__ == '__main__':
    main()
