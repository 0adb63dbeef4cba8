# stepscope_crate(<variable> <name> <version> <SHA-256>): the folder with the unpacked sources of a crate. A crate is a
# plain archive; nothing of it is built or run by cargo. The archive is kept in STEPSCOPE_THIRD_PARTY_CACHE, which all
# build directories share, and must have that sum. It comes from the first of these that has it:
#   1. STEPSCOPE_THIRD_PARTY_CACHE itself, so that a copied archive is enough on a machine without a network,
#   2. the mirror STEPSCOPE_CRATES_URL, where it is set: <url>/<name>/<name>-<version>.crate,
#   3. cargo, the registry's own client. It only downloads.
# As a script: cmake "-DCRATE=<name>;<version>;<SHA-256>" -DSTEPSCOPE_THIRD_PARTY_CACHE=<folder> -P crate.cmake
cmake_minimum_required(VERSION 3.25)
set(STEPSCOPE_CRATES_URL "" CACHE STRING "A mirror with archives of crates (empty: cargo fetches them)")

# Sets `found` in the caller to whether the file is there and has the sum.
macro(crate_has_sum file sha256)
  set(found FALSE)
  if(EXISTS "${file}")
    file(SHA256 "${file}" sum)
    string(COMPARE EQUAL "${sum}" "${sha256}" found)
  endif()
endmacro()

function(crate_by_url archive name version sha256)
  if(NOT STEPSCOPE_CRATES_URL)
    return()
  endif()
  set(url "${STEPSCOPE_CRATES_URL}/${name}/${name}-${version}.crate")
  message(STATUS "Fetching ${url}")
  foreach(attempt RANGE 1 3)
    file(DOWNLOAD "${url}" "${archive}.part" STATUS status INACTIVITY_TIMEOUT 30)
    crate_has_sum("${archive}.part" ${sha256})
    if(found)
      file(RENAME "${archive}.part" "${archive}")
      return()
    endif()
    message(STATUS "${url}: ${status}, or not the sources that are asked for (attempt ${attempt} of 3)")
  endforeach()
  file(REMOVE "${archive}.part")
endfunction()

# Copies the archive from the folder where cargo keeps what it downloads.
function(crate_from_cargo_home archive name version sha256)
  set(home "$ENV{CARGO_HOME}")
  if(NOT home)
    set(home "$ENV{HOME}/.cargo")
  endif()
  file(GLOB kept "${home}/registry/cache/*/${name}-${version}.crate")
  foreach(file IN LISTS kept)
    crate_has_sum("${file}" ${sha256})
    if(found)
      file(COPY_FILE "${file}" "${archive}")
      return()
    endif()
  endforeach()
endfunction()

# `cargo vendor` downloads a crate and asks for no Rust compiler.
function(crate_by_cargo archive name version sha256)
  crate_from_cargo_home("${archive}" ${name} ${version} ${sha256})
  find_program(CARGO NAMES $ENV{CARGO} cargo HINTS "$ENV{HOME}/.cargo/bin" NO_CACHE)
  if(EXISTS "${archive}" OR NOT CARGO)
    return()
  endif()
  message(STATUS "Fetching ${name} ${version} by ${CARGO}")
  set(work "${STEPSCOPE_THIRD_PARTY_CACHE}/cargo")
  file(WRITE "${work}/lib.rs" "")
  file(WRITE "${work}/Cargo.toml" "[package]\nname = \"sources\"\nversion = \"0.0.0\"\n[lib]\npath = \"lib.rs\"\n"
    "[workspace]\n[dependencies]\n${name} = { version = \"=${version}\", default-features = false }\n")
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env RUSTC=/bin/false "${CARGO}" vendor -q "${work}/vendor"
    WORKING_DIRECTORY "${work}" OUTPUT_QUIET ERROR_VARIABLE error)
  file(REMOVE_RECURSE "${work}")
  crate_from_cargo_home("${archive}" ${name} ${version} ${sha256})
  if(NOT EXISTS "${archive}")
    message(STATUS "${CARGO} did not fetch ${name} ${version}: ${error}")
  endif()
endfunction()

function(stepscope_crate variable name version sha256)
  set(folder "${STEPSCOPE_THIRD_PARTY_CACHE}/${name}-${version}")
  set(archive "${folder}.crate")
  set(${variable} "${folder}" PARENT_SCOPE)
  file(MAKE_DIRECTORY "${STEPSCOPE_THIRD_PARTY_CACHE}")
  # Two build directories may be configured at once.
  file(LOCK "${STEPSCOPE_THIRD_PARTY_CACHE}/lock" GUARD FUNCTION TIMEOUT 300)
  if(EXISTS "${folder}/unpacked_${sha256}")
    return()
  endif()
  foreach(source here url cargo)
    crate_has_sum("${archive}" ${sha256})
    if(NOT found AND NOT source STREQUAL "here")
      file(REMOVE "${archive}")
      cmake_language(CALL crate_by_${source} "${archive}" ${name} ${version} ${sha256})
    endif()
  endforeach()
  crate_has_sum("${archive}" ${sha256})
  if(NOT found)
    message(FATAL_ERROR "No sources of ${name} ${version}. Do one of these: install cargo 1.85 or newer; give a mirror "
      "with -DSTEPSCOPE_CRATES_URL=; put ${name}-${version}.crate into ${STEPSCOPE_THIRD_PARTY_CACHE}; or give own "
      "sources with -DSTEPSCOPE_IMGUI_DIR=, -DSTEPSCOPE_IMPLOT_DIR= and, for UI tests, -DSTEPSCOPE_TEST_ENGINE_DIR=.")
  endif()
  file(REMOVE_RECURSE "${folder}")
  file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${STEPSCOPE_THIRD_PARTY_CACHE}")
  file(TOUCH "${folder}/unpacked_${sha256}")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  stepscope_crate(folder ${CRATE})
endif()
