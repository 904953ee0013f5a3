# Benchmark programs: bench/<what>.c becomes build/bench/<what>, by `make bench` (target
# bench_programs) only.  bench/run.py runs them side by side with their peers.

add_custom_target(bench_programs)
file(GLOB BENCH_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
foreach(source ${BENCH_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_executable(bench_${name} EXCLUDE_FROM_ALL ${source})
  set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  target_include_directories(bench_${name} PRIVATE ${PROJECT_SOURCE_DIR}/bench)
  target_link_libraries(bench_${name} ${LIBRARY})
  add_dependencies(bench_programs bench_${name})
endforeach()
if(TARGET bench_ceilings)
  target_compile_options(bench_ceilings PRIVATE -O3 -march=native -ffp-contract=fast -Wno-pedantic
    -Wno-psabi)
endif()
