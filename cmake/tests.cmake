# One executable for each tests/**/test_<what>.c; other .c files of a folder belong to all tests of
# that folder.  tools/run_tests.py runs what is registered here and counts single tests.

find_library(CMOCKA cmocka)
find_package(Python3 COMPONENTS Interpreter)

file(GLOB_RECURSE TEST_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/test_*.c)
if(NOT CMOCKA)
  message(STATUS "cmocka not found: unit tests are left out")
  set(TEST_SOURCES)
endif()

# Every program has the whole library in it: without what a debugger asks for it is linked in a third
# of the time, and three hundred of them take a sixth of the disk.  build-debug has it all.
set(LINKED)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(LINKED -Wl,-S)
endif()

add_custom_target(thread_tests)
foreach(source ${TEST_SOURCES})
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(name ${source} NAME_WE)
  if(SAMARA_SANITIZE AND name MATCHES "^test_(settings|weights)$")
    continue() # thousands of small fits, of which the contract's suite has one of each kind
  endif()
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
  # The library is as it is delivered; the tests themselves run once.  (cmocka's assert_true(int)
  # converts.)
  target_compile_options(${name} PRIVATE -O0 -Wno-sign-conversion
    $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>)
  target_link_libraries(${name} ${LIBRARY} ${CMOCKA})
  target_link_options(${name} PRIVATE ${LINKED})
  set(cost 1)
  if(name STREQUAL "test_settings")
    set(cost 40)
  endif()
  if(name STREQUAL "test_contract") # the longest: in three, for the cores
    set(cost 15)
    set(tests contract_ensemble contract_linear contract_others)
    add_test(NAME contract_ensemble COMMAND ${name} ensemble
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    add_test(NAME contract_linear COMMAND ${name} linear WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    add_test(NAME contract_others COMMAND ${name} --but ensemble linear
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  else()
    set(tests ${name})
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endif()
  if(label STREQUAL "unit/kernel")
    list(APPEND KERNEL_TESTS ${name})
  endif()
  file(STRINGS ${source} mentions REGEX "threads($|[^ ]| [^=]| = ([^1]|1[0-9]))" LIMIT_COUNT 1)
  if(mentions) # on more than one: `make tsan` builds and runs these
    list(APPEND label threads)
    add_dependencies(thread_tests ${name})
  endif()
  set_tests_properties(${tests} PROPERTIES LABELS "${label}" TIMEOUT 600 COST ${cost})
endforeach()

# Each fuzz target also replays its corpus as an ordinary test: what was once found stays found.
file(GLOB FUZZ_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
foreach(source ${FUZZ_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  string(REPLACE "fuzz_" "" what ${name})
  add_executable(replay_${what} ${source} ${PROJECT_SOURCE_DIR}/tools/fuzz_replay.c)
  set_target_properties(replay_${what} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_include_directories(replay_${what} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(replay_${what} ${LIBRARY})
  target_link_options(replay_${what} PRIVATE ${LINKED})
  target_compile_options(replay_${what} PRIVATE -Wno-missing-prototypes)
  add_test(NAME replay_${what} COMMAND replay_${what} tests/fuzz/corpus/${what}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(replay_${what} PROPERTIES LABELS "fuzz" TIMEOUT 300)
endforeach()

# Tests written in Python, on the tree and on what was built.
if(Python3_FOUND)
  set(SANITIZED)
  if(SAMARA_SANITIZE) # they skip what is long and runs what others run
    set(SANITIZED --sanitized)
  endif()
  function(add_python_test name script)
    add_test(NAME ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/${script} ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS "tools" TIMEOUT 300)
  endfunction()
  add_python_test(tools test_tools.py)
  add_python_test(lints lint.py --selftest)
  add_python_test(links check_links.py)
  add_python_test(truth truth.py --fresh)
  if(TARGET samara)
    # The command with the stand-in learners of every task, in no package.
    file(GLOB STANDINS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/contract/tasks/*.c)
    list(FILTER STANDINS EXCLUDE REGEX "/test_[^/]*$")
    add_executable(samara_standins ${CLI_SOURCES} ${STANDINS})
    set_target_properties(samara_standins PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_include_directories(samara_standins PRIVATE ${PROJECT_SOURCE_DIR}/cli)
    target_link_libraries(samara_standins ${LIBRARY})
    add_test(NAME tasks WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/contract/tasks/commands.py
        ${CMAKE_BINARY_DIR})
    set_tests_properties(tasks PROPERTIES LABELS "contract" TIMEOUT 300)
    foreach(part 1 2 3 4)
      add_python_test(transcripts_${part} transcripts.py ${CMAKE_BINARY_DIR} --part ${part}/4
        ${SANITIZED})
      set_tests_properties(transcripts_${part} PROPERTIES COST 8)
    endforeach()
    add_python_test(fuzz_seeds fuzz_seeds.py --check $<TARGET_FILE:samara> tests/fuzz/corpus/model)
    if(TARGET samara_alone)
      add_python_test(static check_static.py ${CMAKE_BINARY_DIR})
    endif()
    add_python_test(docs gen_docs.py ${CMAKE_BINARY_DIR} --check)
    add_python_test(pictures gen_pictures.py ${CMAKE_BINARY_DIR} --check ${SANITIZED})
    set_tests_properties(pictures PROPERTIES COST 8)
    if(NOT SAMARA_SANITIZE) # what these look at, a sanitizer sees in `pictures` and transcripts
      add_test(NAME flags WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/contract/flags/flags.py
          ${CMAKE_BINARY_DIR})
      set_tests_properties(flags PROPERTIES LABELS "contract" TIMEOUT 600 COST 20)
      add_python_test(cancel measure_cancel.py ${CMAKE_BINARY_DIR} --short)
      add_python_test(examples check_examples.py ${CMAKE_BINARY_DIR})
      set_tests_properties(examples PROPERTIES COST 8)
      add_test(NAME browser WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/report/browser.py
          ${CMAKE_BINARY_DIR})
      set_tests_properties(browser PROPERTIES LABELS "report" TIMEOUT 600 COST 20)
      add_test(NAME same_figures WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/report/same.py
          ${CMAKE_BINARY_DIR})
      set_tests_properties(same_figures PROPERTIES LABELS "report" TIMEOUT 300)
    endif()
  endif()
  if(NOT SAMARA_SANITIZE)
    add_test(NAME pyarrow WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/arrow/with_pyarrow.py
        ${CMAKE_BINARY_DIR})
    set_tests_properties(pyarrow PROPERTIES LABELS "arrow" TIMEOUT 300)
    add_python_test(symbols check_symbols.py ${CMAKE_BINARY_DIR} --cc ${CMAKE_C_COMPILER})
    add_python_test(header check_header.py ${CMAKE_BINARY_DIR} --cc ${CMAKE_C_COMPILER})
    add_python_test(guide check_guide.py ${CMAKE_BINARY_DIR} --cc ${CMAKE_C_COMPILER})
    add_python_test(install check_install.py ${CMAKE_BINARY_DIR} --cc ${CMAKE_C_COMPILER})
  endif()
endif()
