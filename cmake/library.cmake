# The three libraries.
#
#   libsamara.a, libsamara.so   everything, from one set of position-independent objects
#   libsamara-predict.a         load and predict alone: libc and libm, no zlib
#
# Inner loops (src/kernel/tier) are compiled once for each tier of the CPU family with
# -DSMR_TIER=<name>; kernel/dispatch.c chooses among them at run time.

include_directories(${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${CMAKE_BINARY_DIR})

file(GLOB_RECURSE SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c)
list(FILTER SOURCES EXCLUDE REGEX "/src/kernel/tier/")
file(GLOB TIER_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/kernel/tier/*.c)

# Sanitizers take half a minute a file to look through fully optimised, unrolled loops.
set(TIER_LEVEL -O3)
if(SAMARA_SANITIZE)
  set(TIER_LEVEL -O1)
elseif(SAMARA_LEVEL)
  set(TIER_LEVEL ${SAMARA_LEVEL})
endif()

set(TIER_OBJECTS)
macro(add_tier name)
  add_library(tier_${name} OBJECT ${TIER_SOURCES})
  set_target_properties(tier_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_definitions(tier_${name} PRIVATE SMR_TIER=${name})
  target_compile_options(tier_${name} PRIVATE ${TIER_LEVEL} -ffunction-sections -fdata-sections ${ARGN})
  if(SAMARA_FUZZ) # no fuzzer looks for their branches, but they stay within their memory
    target_compile_options(tier_${name} PRIVATE -fno-sanitize=all -fsanitize=address)
  endif()
  list(APPEND TIER_OBJECTS $<TARGET_OBJECTS:tier_${name}>)
endmacro()
# Most tests of matrices and of neighbours wait for the products of the best tier: these are optimised,
# and only their memory is looked at.  The same lines in the other tiers have every check.
if(SAMARA_SANITIZE MATCHES "address" AND NOT SAMARA_FUZZ)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/kernel/tier/product_f32.c
    ${PROJECT_SOURCE_DIR}/src/kernel/tier/product_f64.c PROPERTIES COMPILE_OPTIONS
    "$<$<STREQUAL:$<TARGET_PROPERTY:NAME>,tier_v4>:-O2;-fno-sanitize=undefined>")
endif()
if(SAMARA_FUZZ) # clang takes a minute for each of these
  foreach(name gram_f64 product_f32 product_f64 row_products)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/kernel/tier/${name}.c PROPERTIES
      COMPILE_OPTIONS -fno-sanitize=all)
  endforeach()
endif()
if(TIER_SOURCES)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_tier(base -march=x86-64)
    add_tier(v3 -march=x86-64-v3)
    add_tier(v4 -march=x86-64-v4 -mprefer-vector-width=512)
  else()
    add_tier(base)
  endif()
endif()

# Sources that say other things to the prediction library than to the whole one, or are no part of
# it; the rest is compiled once for both.
set(OWN_SOURCES)
foreach(source ${SOURCES})
  file(STRINGS ${source} mentions LIMIT_COUNT 1
    REGEX "SMR_TRAINING|SMR_PREDICT_ONLY|SMR_NO_ZLIB|SMR_HAVE_")
  if(mentions OR source MATCHES "/src/(study|report|dist|metric)/")
    list(APPEND OWN_SOURCES ${source})
  endif()
endforeach()
set(COMMON_SOURCES ${SOURCES})
list(REMOVE_ITEM COMMON_SOURCES ${OWN_SOURCES})

# A pass over all values of a table, which a prediction waits for: as much a loop as those above.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/learn/ranges.c PROPERTIES
  COMPILE_OPTIONS ${TIER_LEVEL})
# clang takes a minute to follow undefined behaviour through these unrolled walks.
if(SAMARA_SANITIZE AND CMAKE_C_COMPILER_ID MATCHES "Clang")
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/learn/trees/walk.c PROPERTIES
    COMPILE_OPTIONS -fno-sanitize=undefined)
endif()
# libFuzzer learns from comparisons which bytes a reader of files waits for; elsewhere to tell it of each
# takes half of the time.
if(SAMARA_FUZZ)
  foreach(source ${SOURCES})
    if(NOT source MATCHES "/src/data/(arff|arrow|block_code|cifar|csv|idx|jpeg|jsonl|libsvm|npy|packing|picture|pieces|png|pnm|sniff|sqlite)")
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS
        -fno-sanitize-coverage=trace-cmp -include
        ${PROJECT_SOURCE_DIR}/tests/fuzz/inline_strcmp.h)
    endif()
  endforeach()
endif()
add_library(samara_objects OBJECT ${OWN_SOURCES})
add_library(common_objects OBJECT ${COMMON_SOURCES})
target_compile_definitions(common_objects PRIVATE SMR_COMMON) # without SMR_TRAINING
target_compile_definitions(samara_objects PRIVATE $<$<NOT:$<BOOL:${ZLIB_FOUND}>>:SMR_NO_ZLIB>)
foreach(target samara_objects common_objects)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
endforeach()

set(OBJECTS $<TARGET_OBJECTS:samara_objects> $<TARGET_OBJECTS:common_objects> ${TIER_OBJECTS})
add_library(samara_static STATIC ${OBJECTS})
add_library(samara_shared SHARED ${OBJECTS})
foreach(target samara_static samara_shared)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME samara)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
endforeach()
target_link_libraries(samara_static PUBLIC ${SAMARA_LIBS})
target_link_options(samara_static INTERFACE ${SAMARA_ASKS})
target_link_libraries(samara_shared PRIVATE ${SAMARA_LIBS})

# What programs of this build are linked with.  Every test holds the whole library, which is fast to
# link as it is delivered; instrumented it takes longer than to compile it, and is linked once.
set(LIBRARY samara_static)
if(SAMARA_SANITIZE AND NOT SAMARA_FUZZ AND NOT APPLE)
  set(LIBRARY samara_instrumented)
  add_library(samara_instrumented SHARED ${OBJECTS})
  target_include_directories(samara_instrumented INTERFACE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(samara_instrumented PUBLIC ${SAMARA_LIBS})
endif()

# Before 1.0 any minor version may change the interface, so the name of the library carries it.
# Symbols are not versioned until 1.0; the script keeps everything but smr_ inside.
set(SYMBOLS ${PROJECT_SOURCE_DIR}/cmake/samara.map)
set_target_properties(samara_shared PROPERTIES VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINK_DEPENDS ${SYMBOLS})
if(NOT APPLE)
  target_link_options(samara_shared PRIVATE -Wl,--version-script=${SYMBOLS})
endif()

# The prediction library: what is common, and the other sources with -DSMR_PREDICT_ONLY, which leaves
# the fit functions out of the descriptors, joined into one object that keeps the functions of predict.txt and what
# they reach; the linker drops what only training used.
if(NOT APPLE AND NOT SAMARA_SANITIZE AND NOT SAMARA_FUZZ)
  set(PREDICT_SOURCES ${OWN_SOURCES})
  list(FILTER PREDICT_SOURCES EXCLUDE REGEX "/src/(study|report|dist|metric)/")
  add_library(predict_objects OBJECT ${PREDICT_SOURCES})
  target_compile_definitions(predict_objects PRIVATE SMR_PREDICT_ONLY SMR_NO_ZLIB)
  target_compile_options(predict_objects PRIVATE -ffunction-sections -fdata-sections
    -Wno-unused-function -Wno-unused-variable -Wno-unused-const-variable)
  set_target_properties(predict_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)

  set(PREDICT_LIST ${PROJECT_SOURCE_DIR}/cmake/predict.txt)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PREDICT_LIST})
  file(STRINGS ${PREDICT_LIST} PREDICT_FUNCTIONS REGEX "^smr_")
  list(TRANSFORM PREDICT_FUNCTIONS PREPEND "-Wl,-u," OUTPUT_VARIABLE PREDICT_ROOTS)

  set(PREDICT_OBJECT ${CMAKE_BINARY_DIR}/samara-predict.o)
  set(PREDICT_LIBRARY ${CMAKE_BINARY_DIR}/libsamara-predict.a)
  # The linker drops the code that only training used, but not the names that it asked for: a program
  # would be linked with dlopen for the sake of nobody.
  set(PREDICT_FORGET)
  if(CMAKE_OBJCOPY)
    list(TRANSFORM PREDICT_FUNCTIONS PREPEND "--keep-symbol=" OUTPUT_VARIABLE PREDICT_KEPT)
    set(PREDICT_FORGET COMMAND ${CMAKE_OBJCOPY} --wildcard "--strip-unneeded-symbol=*" ${PREDICT_KEPT}
      ${PREDICT_OBJECT})
  endif()
  add_custom_command(OUTPUT ${PREDICT_LIBRARY}
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -Wl,--gc-sections ${PREDICT_ROOTS}
      -o ${PREDICT_OBJECT} $<TARGET_OBJECTS:predict_objects> $<TARGET_OBJECTS:common_objects>
      ${TIER_OBJECTS}
    ${PREDICT_FORGET}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${PREDICT_LIBRARY}
    COMMAND ${CMAKE_AR} rcs ${PREDICT_LIBRARY} ${PREDICT_OBJECT}
    DEPENDS predict_objects $<TARGET_OBJECTS:predict_objects> $<TARGET_OBJECTS:common_objects>
      ${TIER_OBJECTS} ${PREDICT_LIST}
    COMMENT "Linking prediction library libsamara-predict.a" COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(samara_predict ALL DEPENDS ${PREDICT_LIBRARY})
endif()
