# With STEPSCOPE_STATIC_ROOT (a folder made by packaging/wheel/static_root.sh) program and library need only the C
# library, and an old one is enough: libraries are static; GL, X11 and Wayland are loaded at run time. The sources are
# compiled as for any other build; only what they are linked with differs.
set(root "${STEPSCOPE_STATIC_ROOT}")
set(CMAKE_SKIP_RPATH ON)

# use_archives(<target> <name>...): makes the target link these archives instead of its shared library.
function(use_archives target)
  set(archives "")
  foreach(name IN LISTS ARGN)
    find_library(archive_${name} NAMES "lib${name}.a" HINTS "${root}/lib" NO_CACHE REQUIRED)
    list(APPEND archives "${archive_${name}}")
  endforeach()
  get_target_property(type ${target} TYPE)
  list(GET archives 0 first)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    set_target_properties(${target} PROPERTIES IMPORTED_CONFIGURATIONS "" IMPORTED_LOCATION "${first}"
      IMPORTED_LOCATION_NONE "${first}" IMPORTED_LOCATION_RELEASE "${first}"
      IMPORTED_LOCATION_RELWITHDEBINFO "${first}")
    list(POP_FRONT archives)
  endif()
  set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${archives}")
endfunction()

use_archives(fmt::fmt fmt)
use_archives(zstd::libzstd_shared zstd)
use_archives(simdjson::simdjson simdjson)
use_archives(PkgConfig::BROTLIDEC brotlidec brotlicommon)
use_archives(PkgConfig::SNAPPY snappy)
use_archives(highwayhash highwayhash)
use_archives(PkgConfig::SQLITE3 sqlite3)
use_archives(PkgConfig::NGHTTP2 nghttp2)
use_archives(PkgConfig::ISAL isal)
use_archives(PkgConfig::PROTOBUF_LITE protobuf-lite)
use_archives(PkgConfig::EPOXY epoxy)
use_archives(PkgConfig::GLFW glfw3)
set_target_properties(PkgConfig::EGL PROPERTIES INTERFACE_LINK_LIBRARIES "")  # epoxy loads it
set_target_properties(PkgConfig::GLFW PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${root}/include")
set(GLFW_VERSION 3.4.0)

# start_file(<name> <variable>): the path of one of the compiler's files.
function(start_file name variable)
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" "-print-file-name=${name}"
    OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${variable} "${path}" PARENT_SCOPE)
endfunction()
foreach(name crti.o crtn.o crtbeginS.o crtendS.o libstdc++.a libgcc.a libgcc_eh.a)
  start_file(${name} path_${name})
endforeach()
set(glibc "${root}/glibc")
set(start "${path_crti.o} ${path_crtbeginS.o}")
string(APPEND CMAKE_EXE_LINKER_FLAGS " -nostdlib -L${glibc} -Wl,--build-id=sha1 ${glibc}/Scrt1.o ${start}")
string(APPEND CMAKE_SHARED_LINKER_FLAGS " -nostdlib -L${glibc} -Wl,--build-id=sha1 ${start}")
set(CMAKE_CXX_STANDARD_LIBRARIES "-Wl,--start-group ${path_libstdc++.a} ${path_libgcc.a} ${path_libgcc_eh.a}\
 ${root}/lib/libsince.a -lm -lpthread -ldl -lrt -lc -Wl,--end-group ${path_crtendS.o} ${path_crtn.o}")
