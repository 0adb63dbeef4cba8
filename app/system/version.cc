#include "app/system/version.h"

#include <fmt/format.h>
#include <imgui.h>
#include <implot.h>
#include <link.h>
#include <CLI/Version.hpp>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/system/build_commit.h"  // made by app/commit.cmake

namespace stepscope {
namespace {

// Finds the build id among the ELF notes of a program. A note is three lengths, then its name and
// its contents, each padded to four bytes.
std::string BuildIdIn(const char* notes, size_t size) {
  ElfW(Nhdr) note;
  for (size_t at = 0; at + sizeof(note) <= size;) {
    std::memcpy(&note, notes + at, sizeof(note));
    const size_t name = at + sizeof(note), content = name + (note.n_namesz + 3u) / 4 * 4;
    at = content + (note.n_descsz + 3u) / 4 * 4;
    if (at > size) break;
    if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
        std::memcmp(notes + name, "GNU", 4) != 0)
      continue;
    std::string id;
    for (size_t i = 0; i < note.n_descsz; ++i)
      id += fmt::format("{:02x}", static_cast<unsigned char>(notes[content + i]));
    return id;
  }
  return {};
}

int ReadProgram(dl_phdr_info* program, size_t, void* id) {
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = program->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const char*>(program->dlpi_addr + part.p_vaddr);
    std::string found = BuildIdIn(notes, part.p_memsz);
    if (!found.empty()) *static_cast<std::string*>(id) = std::move(found);
  }
  return 1;  // the program is the first; its libraries do not matter
}

}  // namespace

std::string BuildId() {
  std::string id;
  ::dl_iterate_phdr(ReadProgram, &id);
  return id;
}

std::string VersionText() {
  const std::string json = std::to_string(NLOHMANN_JSON_VERSION_MAJOR) + "." +
                           std::to_string(NLOHMANN_JSON_VERSION_MINOR) + "." +
                           std::to_string(NLOHMANN_JSON_VERSION_PATCH);
  return "stepscope " STEPSCOPE_VERSION "\ncommit " STEPSCOPE_COMMIT ", " STEPSCOPE_COMPILER
         ", " STEPSCOPE_BUILD "\nDear ImGui " IMGUI_VERSION ", ImPlot " IMPLOT_VERSION
         ", CLI11 " CLI11_VERSION ", nlohmann_json " +
         json + ",\n" STEPSCOPE_LIBRARIES ",\n" STEPSCOPE_CODECS;
}

}  // namespace stepscope
