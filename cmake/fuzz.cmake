# The fuzz targets: tests/fuzz/fuzz_<what>.c, each a libFuzzer program in build-fuzz/fuzz.
# tools/run_fuzz.py runs them.

if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "SAMARA_FUZZ needs clang: set CMAKE_C_COMPILER=clang")
endif()

# `make fuzz` needs them alone, neither the command nor the other libraries.
add_custom_target(fuzzers)
file(GLOB FUZZ_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
foreach(source ${FUZZ_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  add_dependencies(fuzzers ${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_options(${name} PRIVATE -Wno-missing-prototypes
    -fno-sanitize-coverage=trace-cmp)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(${name} samara_static)
  file(STRINGS ${source} mentions REGEX "mutate_model.h|fuzz_model.c")
  if(mentions) # hooks of its own, in the place of libFuzzer's
    foreach(call strcmp strncmp memcmp)
      target_link_options(${name} PRIVATE
        -Wl,--defsym=__sanitizer_weak_hook_${call}=fuzz_no_hook)
    endforeach()
  endif()
endforeach()
