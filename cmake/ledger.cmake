# The ledger: tests/ledger/ledger.c fits the sentences of tests/ledger/ledger.txt and compares their
# bytes, on every tier of the processor and at several numbers of threads.  It needs no cmocka, so
# that it is built for other processors, too (`make arm64`).

add_executable(ledger ${PROJECT_SOURCE_DIR}/tests/ledger/ledger.c)
set_target_properties(ledger PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
target_link_libraries(ledger ${LIBRARY})
# `make clang` and `make arm64` build and run these: the ledger, and the kernels against plain loops.
add_custom_target(bit_tests DEPENDS ledger ${KERNEL_TESTS})

# Tier and threads of each run; a sanitizer, and a processor that has one tier, run once.
set(LEDGER_RUNS vnni_1 vnni_2 vnni_7 v4_1 v4_7 v3_1 v3_2 base_7)
if(SAMARA_SANITIZE OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(LEDGER_RUNS best_2)
endif()
foreach(run ${LEDGER_RUNS})
  string(REGEX MATCH "^(.*)_(.*)$" run ${run})
  add_test(NAME ledger_${run} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMAND ledger --tier ${CMAKE_MATCH_1} --threads ${CMAKE_MATCH_2} tests/ledger/ledger.txt)
  set_tests_properties(ledger_${run} PROPERTIES LABELS "ledger" TIMEOUT 600 COST 5
    SKIP_RETURN_CODE 77)
endforeach()
