# One executable for each tests/**/test_<what>.c; other .c files of a folder belong to all tests of
# that folder.  tools/run_tests.py runs what is registered here and counts single tests.

find_library(CMOCKA cmocka)
find_package(Python3 COMPONENTS Interpreter)

file(GLOB_RECURSE TEST_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/test_*.c)
if(NOT CMOCKA)
  message(STATUS "cmocka not found: unit tests are left out")
  set(TEST_SOURCES)
endif()

foreach(source ${TEST_SOURCES})
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(name ${source} NAME_WE)
  if(TARGET ${name}) # two folders may have a test of the same name
    get_filename_component(last ${folder} NAME)
    string(REPLACE "test_" "test_${last}_" name ${name})
  endif()
  file(GLOB helpers CONFIGURE_DEPENDS ${folder}/*.c)
  list(FILTER helpers EXCLUDE REGEX "/test_[^/]*$")
  file(RELATIVE_PATH label ${PROJECT_SOURCE_DIR}/tests ${folder})
  add_executable(${name} ${source} ${helpers})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${folder})
  target_link_libraries(${name} samara_static ${CMOCKA})
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT 300)
endforeach()
