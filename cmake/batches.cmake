# stepscope_batches(<target>): with STEPSCOPE_FAST_BUILD, CMake's UNITY_BUILD compiles the sources of a target in
# batches, so that a header is parsed, and a template instantiated, once for all of a batch. batches.py puts sources
# whose names collide into different batches; CMake asks it again whenever a source or header changes.
function(stepscope_batches target)
  set_property(GLOBAL APPEND PROPERTY STEPSCOPE_BATCHED ${target})
endfunction()

# Called when all targets are there.
function(stepscope_make_batches)
  if(NOT STEPSCOPE_FAST_BUILD)
    return()
  endif()
  find_program(PYTHON3 python3)
  if(NOT PYTHON3)
    message(STATUS "There is no python3 to make batches with: each source is compiled alone")
    return()
  endif()
  get_property(targets GLOBAL PROPERTY STEPSCOPE_BATCHED)
  set(lines "")
  foreach(target IN LISTS targets)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "^${CMAKE_SOURCE_DIR}/.*\\.cc$")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
    string(APPEND lines "${target};${sources}\n")
  endforeach()
  set(folders app capi capture loaders model sql tests viewer)
  list(TRANSFORM folders REPLACE "(.+)" "${CMAKE_SOURCE_DIR}/\\1/*.h")
  file(GLOB_RECURSE headers ${folders})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers}
    "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/batches.py")
  file(WRITE "${CMAKE_BINARY_DIR}/gen/batches.txt" "${lines}")
  execute_process(COMMAND "${PYTHON3}" "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/batches.py" "${CMAKE_SOURCE_DIR}"
    INPUT_FILE "${CMAKE_BINARY_DIR}/gen/batches.txt" OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  foreach(line IN LISTS lines)
    string(REPLACE " " ";" words "${line}")
    list(GET words 0 target)
    list(GET words 1 batch)
    list(GET words 2 source)
    set_source_files_properties("${CMAKE_SOURCE_DIR}/${source}" TARGET_DIRECTORY ${target} PROPERTIES
      UNITY_GROUP ${batch})
  endforeach()
  set_target_properties(${targets} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
