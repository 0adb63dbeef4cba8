# Writes the header with the commit that is built, only when it changes:
# cmake -DROOT=<repository> -DOUTPUT=<header> -P commit.cmake
# The commit is git's, else that of the source archive (app/commit.txt, which `git archive` fills in).
cmake_minimum_required(VERSION 3.25)
set(commit "")
find_program(GIT git)
if(GIT AND EXISTS "${ROOT}/.git")
  execute_process(COMMAND "${GIT}" -C "${ROOT}" describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit)
  file(STRINGS "${ROOT}/app/commit.txt" commit LIMIT_COUNT 1)
  if(commit MATCHES "Format")  # not from an archive
    set(commit "unknown")
  endif()
  string(SUBSTRING "${commit}" 0 12 commit)
endif()
set(text "// Made by app/commit.cmake.\n#define STEPSCOPE_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" old)
endif()
if(NOT text STREQUAL old)
  file(WRITE "${OUTPUT}" "${text}")
endif()
