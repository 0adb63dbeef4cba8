# What each folder may include (README, "How it is built"):
#   loaders -> model; viewer -> model, shaders; app -> all; loaders and viewer never meet.
#   model: the standard library and fmt. ImGui: viewer and app. GL: viewer/gl and app. GLFW: app.
#   capi -> loaders, model, and nobody includes it.
#   Generated protobuf classes (.pb.h): loaders.
#   Inside viewer/: core <- widgets <- timeline, panels, which never meet <- shell <- viewer/ itself;
#   gl and core alone know how texels are drawn.
#   model/analysis: no circles. A source and its header are one; which comes before which, model/analysis/registry.cc
#   says.
# cmake -DROOT=<repository> -P layering_test.cmake
# cmake -DSELF_TEST=ON -DWORK=<scratch directory> -P layering_test.cmake: must refuse bad files.
cmake_minimum_required(VERSION 3.25)

# A whitelist of regular expressions over the text between <> or "" of each include.
set(standard "[a-z_0-9]+" "fmt/.*")
set(posix "sys/.*" "(fcntl|unistd|dirent|endian|poll|signal|spawn|[a-z0-9]*intrin)\\.h")
set(allowed_model ${standard} "cxxabi\\.h" "model/.*" ${posix})
set(allowed_loaders ${standard} ${posix} "model/.*" "loaders/.*" "google/protobuf/.*"
  "zstd(_errors)?\\.h" "brotli/decode\\.h" "snappy\\.h" "isa-l\\.h" "isa-l/.*" "igzip_lib\\.h" "simdjson\\.h" "sqlite3\\.h")
set(allowed_capi ${standard} "std(int|def)\\.h" "model/.*" "loaders/.*" "capi/.*")
set(viewer_libraries ${standard} "model/.*" "imgui\\.h" "imgui_internal\\.h" "implot\\.h" "implot_internal\\.h"
  "nlohmann/.*")
set(allowed_viewer ${viewer_libraries} "viewer/.*")
set(allowed_viewer_core ${viewer_libraries} "viewer/core/.*")
set(allowed_viewer_widgets ${allowed_viewer_core} "viewer/widgets/.*")
set(allowed_viewer_timeline ${allowed_viewer_widgets} "viewer/timeline/.*")
set(allowed_viewer_panels ${allowed_viewer_widgets} "viewer/panels/.*")
set(allowed_viewer_shell ${allowed_viewer_panels} "viewer/shell/.*")
set(allowed_viewer_gl ${allowed_viewer_core} "viewer/gl/.*" "epoxy/gl\\.h" "shaders/embedded\\.h")
set(allowed_app ".*")
set(forbidden_app ".*\\.pb\\.h" "tests/.*")
set(forbidden_model "model/.*\\.pb\\.h")
set(forbidden_viewer ".*\\.pb\\.h")

# Appends to `violations` in the caller, one "file:line: text" per include that is not allowed.
function(check_folder root folder)
  file(GLOB_RECURSE files RELATIVE "${root}" "${root}/${folder}/*.h" "${root}/${folder}/*.cc")
  foreach(file IN LISTS files)
    set(rules ${folder})
    if(file MATCHES "^viewer/([a-z]+)/")
      set(rules viewer_${CMAKE_MATCH_1})  # a new subfolder may include nothing until it has a row above
    endif()
    file(STRINGS "${root}/${file}" lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^[^<\"]*[<\"]([^>\"]*).*$" "\\1" include "${line}")
      set(ok FALSE)
      foreach(pattern IN LISTS allowed_${rules})
        if(include MATCHES "^${pattern}$")
          set(ok TRUE)
        endif()
      endforeach()
      foreach(pattern IN LISTS forbidden_${folder})
        if(include MATCHES "^${pattern}$")
          set(ok FALSE)
        endif()
      endforeach()
      if(NOT ok)
        list(APPEND violations "${file}: ${folder}/ may not include ${include}")
      endif()
    endforeach()
  endforeach()
  list(LENGTH files count)
  math(EXPR checked "${checked} + ${count}")
  set(checked "${checked}" PARENT_SCOPE)
  set(violations "${violations}" PARENT_SCOPE)
endfunction()

# Removes from `left` in the caller the stems that `edges_<stem>` ties to none of those left, until none can go.
macro(drop_loose edges)
  set(changed TRUE)
  while(changed)
    set(changed FALSE)
    foreach(stem IN LISTS left)
      set(loose TRUE)
      foreach(other IN LISTS ${edges}_${stem})
        if(other IN_LIST left)
          set(loose FALSE)
        endif()
      endforeach()
      if(loose)
        list(REMOVE_ITEM left ${stem})
        set(changed TRUE)
      endif()
    endforeach()
  endwhile()
endmacro()

# Appends to `violations` in the caller one line with the files of the folder that include each other in a circle.
function(check_circles root folder)
  file(GLOB files RELATIVE "${root}" "${root}/${folder}/*.h" "${root}/${folder}/*.cc")
  foreach(file IN LISTS files)
    get_filename_component(stem "${file}" NAME_WE)
    list(APPEND left ${stem})
    file(STRINGS "${root}/${file}" lines REGEX "^[ \t]*#[ \t]*include[ \t]*\"${folder}/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^.*${folder}/([a-z0-9_]+)\\.h.*$" "\\1" other "${line}")
      if(NOT other STREQUAL stem)
        list(APPEND needs_${stem} ${other})
        list(APPEND needed_by_${other} ${stem})
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES left)
  drop_loose(needs)
  drop_loose(needed_by)
  if(left)
    string(REPLACE ";" ", " left "${left}")
    list(APPEND violations "${folder}/: these include each other in a circle: ${left}")
  endif()
  set(violations "${violations}" PARENT_SCOPE)
endfunction()

set(checked 0)
set(violations "")
if(NOT SELF_TEST)
  check_circles("${ROOT}" model/analysis)
  foreach(folder model loaders capi viewer app)
    check_folder("${ROOT}" ${folder})
  endforeach()
  if(checked EQUAL 0)
    message(FATAL_ERROR "No source files under ${ROOT}")
  endif()
  foreach(violation IN LISTS violations)
    message("${violation}")
  endforeach()
  if(violations)
    message(FATAL_ERROR "Includes against the layering")
  endif()
  message("${checked} files keep to the layers")
  return()
endif()

# file|include: each must be refused on its own.
set(bad
  "model/a.cc|\"loaders/loader.h\"" "model/a.cc|\"viewer/core/panel.h\"" "model/a.cc|<imgui.h>"
  "model/a.cc|<zstd.h>" "model/a.h|\"loaders/xplane/xplane.pb.h\"" "model/a.cc|\"a.h\""
  "loaders/a.cc|\"viewer/core/panel.h\"" "loaders/a.cc|\"app/session.h\"" "loaders/a.cc|\"imgui.h\""
  "loaders/a.cc|<GL/gl.h>" "loaders/a.cc|<GLFW/glfw3.h>"
  "capi/a.cc|\"app/options.h\"" "capi/a.cc|\"viewer/core/panel.h\"" "capi/a.cc|<nlohmann/json.hpp>"
  "model/a.cc|\"capi/stepscope.h\""
  "viewer/a.cc|\"loaders/loader.h\"" "viewer/a.cc|\"app/session.h\""
  "viewer/core/a.cc|\"viewer/timeline/layout.h\"" "viewer/core/a.h|\"viewer/widgets/draw.h\""
  "viewer/widgets/a.cc|\"viewer/panels/step_chart.h\"" "viewer/timeline/a.cc|\"viewer/panels/step_chart.h\""
  "viewer/panels/a.cc|\"viewer/timeline/layout.h\"" "viewer/panels/a.cc|\"viewer/shell/shell.h\""
  "viewer/shell/a.cc|\"viewer/viewer.h\"" "viewer/new/a.cc|<vector>"
  "viewer/a.cc|<GLFW/glfw3.h>" "viewer/panels/a.cc|<epoxy/gl.h>" "viewer/a.cc|<GL/gl.h>"
  "viewer/gl/a.cc|\"loaders/loader.h\"" "viewer/a.cc|\"loaders/xplane/xplane.pb.h\""
  "app/a.cc|\"loaders/xplane/xplane.pb.h\"" "app/a.cc|\"tests/support/wire.h\"")
set(good
  "model/a.cc|\"model/b.h\"" "model/a.cc|<vector>" "model/a.cc|<fmt/format.h>"
  "loaders/a.cc|\"model/trace.h\"" "loaders/a.cc|\"loaders/xplane/xplane.pb.h\""
  "loaders/a.cc|<zstd.h>" "viewer/a.cc|\"model/trace.h\"" "viewer/a.cc|\"imgui.h\""
  "capi/a.cc|\"loaders/loader.h\"" "viewer/shell/a.cc|\"viewer/panels/step_chart.h\""
  "viewer/timeline/a.cc|\"viewer/widgets/draw.h\"" "viewer/viewer.cc|\"viewer/shell/shell.h\""
  "viewer/gl/a.cc|<epoxy/gl.h>" "app/a.cc|\"loaders/loader.h\"" "app/a.cc|<GLFW/glfw3.h>")
foreach(kind bad good)
  foreach(case IN LISTS ${kind})
    string(REPLACE "|" ";" case "${case}")
    list(POP_FRONT case file include)
    file(REMOVE_RECURSE "${WORK}")
    file(WRITE "${WORK}/${file}" "#include ${include}\n")
    string(REGEX REPLACE "/.*" "" folder "${file}")
    set(violations "")
    check_folder("${WORK}" ${folder})
    list(LENGTH violations count)
    if(kind STREQUAL "bad" AND NOT count EQUAL 1)
      message(FATAL_ERROR "The layering check let ${file} include ${include}")
    elseif(kind STREQUAL "good" AND NOT count EQUAL 0)
      message(FATAL_ERROR "The layering check refused ${file} with ${include}")
    endif()
  endforeach()
endforeach()

# file|include ...|what the circle must be
foreach(case "a.h|b.h b.cc|c.h c.h|a.h d.h|a.h a.h|e.h=a, b, c" "a.cc|b.h b.cc|a.h=a, b" "a.h|b.h a.cc|b.h c.cc|a.h b.cc|b.h=")
  string(REGEX MATCH "^(.*)=(.*)$" ignored "${case}")
  string(REPLACE " " ";" edges "${CMAKE_MATCH_1}")
  set(expected "${CMAKE_MATCH_2}")
  file(REMOVE_RECURSE "${WORK}")
  foreach(edge IN LISTS edges)
    string(REPLACE "|" ";" edge "${edge}")
    list(POP_FRONT edge file include)
    file(APPEND "${WORK}/model/x/${file}" "#include \"model/x/${include}\"\n")
  endforeach()
  set(violations "")
  check_circles("${WORK}" model/x)
  if(NOT "${violations}" MATCHES "^(.*circle: )?${expected}$" OR (violations AND NOT expected))
    message(FATAL_ERROR "Of ${case} the check of circles said: ${violations}")
  endif()
endforeach()
message("The layering check refuses what it should")
