# The crates that carry Dear ImGui (docking), ImPlot and imgui_test_engine: name, version, SHA-256 of the archive.
# As a script, which fetches all of them: cmake -DSTEPSCOPE_THIRD_PARTY_CACHE=<folder> -P crates.cmake
include("${CMAKE_CURRENT_LIST_DIR}/crate.cmake")
set(imgui_crate dear-imgui-sys 0.20.0 8cf94308fb2b8d19ee855e9548186ec92645ebd321354e78f9df926fc6ed3b0a)
set(implot_crate dear-implot-sys 0.20.0 801e321bba4268c0e5e72fdc367316eba05870c65d35107e45b0e54b0984bc62)
set(test_engine_crate dear-imgui-test-engine-sys 0.20.0
  3675b8e4081ffc19e1b901544dc980c997305d448e5533115d7c3eaaf3b5b53a)

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  foreach(crate imgui_crate implot_crate test_engine_crate)
    stepscope_crate(folder ${${crate}})
  endforeach()
endif()
