#include "app/version.h"

#include <imgui.h>
#include <implot.h>
#include <CLI/Version.hpp>
#include <nlohmann/json.hpp>

#include "app/build_commit.h"  // made by app/commit.cmake

namespace stepscope {

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
