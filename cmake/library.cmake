# The three libraries.
#
#   libsamara.a, libsamara.so   everything, from one set of position-independent objects
#   libsamara-predict.a         load and predict alone: libc and libm, no BLAS, no zlib
#
# Inner loops (src/kernel/tier) are compiled once for each tier of the CPU family with
# -DSMR_TIER=<name>; kernel/dispatch.c chooses among them at run time.

include_directories(${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${CMAKE_BINARY_DIR})

file(GLOB_RECURSE SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c)
list(FILTER SOURCES EXCLUDE REGEX "/src/kernel/tier/")
file(GLOB TIER_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/kernel/tier/*.c)

set(TIER_OBJECTS)
macro(add_tier name)
  add_library(tier_${name} OBJECT ${TIER_SOURCES})
  set_target_properties(tier_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_definitions(tier_${name} PRIVATE SMR_TIER=${name})
  target_compile_options(tier_${name} PRIVATE -O3 -ffunction-sections -fdata-sections ${ARGN})
  if(SAMARA_FUZZ) # fully unrolled loops take minutes to instrument, and no fuzzer looks for them
    target_compile_options(tier_${name} PRIVATE -fno-sanitize=all)
  endif()
  list(APPEND TIER_OBJECTS $<TARGET_OBJECTS:tier_${name}>)
endmacro()
if(TIER_SOURCES)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_tier(base -march=x86-64)
    add_tier(v3 -march=x86-64-v3)
    add_tier(v4 -march=x86-64-v4 -mprefer-vector-width=512)
  else()
    add_tier(base)
  endif()
endif()

add_library(samara_objects OBJECT ${SOURCES})
set_target_properties(samara_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_compile_definitions(samara_objects PRIVATE $<$<NOT:$<BOOL:${ZLIB_FOUND}>>:SMR_NO_ZLIB>)

add_library(samara_static STATIC $<TARGET_OBJECTS:samara_objects> ${TIER_OBJECTS})
add_library(samara_shared SHARED $<TARGET_OBJECTS:samara_objects> ${TIER_OBJECTS})
foreach(target samara_static samara_shared)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME samara)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
endforeach()
target_link_libraries(samara_static PUBLIC ${SAMARA_LIBS})
target_link_libraries(samara_shared PRIVATE ${SAMARA_LIBS})

# Before 1.0 any minor version may change the interface, so the name of the library carries it.
# Symbols are not versioned until 1.0; the script keeps everything but smr_ inside.
set(SYMBOLS ${PROJECT_SOURCE_DIR}/cmake/samara.map)
set_target_properties(samara_shared PROPERTIES VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINK_DEPENDS ${SYMBOLS})
if(NOT APPLE)
  target_link_options(samara_shared PRIVATE -Wl,--version-script=${SYMBOLS})
endif()

# The prediction library: the same sources with -DSMR_PREDICT_ONLY, which leaves the fit functions
# out of the descriptors, joined into one object that keeps the functions of predict.txt and what
# they reach.  Its objects need no BLAS; the linker drops what only training used.
if(NOT APPLE AND NOT SAMARA_SANITIZE AND NOT SAMARA_FUZZ)
  set(PREDICT_SOURCES ${SOURCES})
  list(FILTER PREDICT_SOURCES EXCLUDE REGEX "/src/(select|report|dist|metric)/|/src/kernel/blas")
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
  add_custom_command(OUTPUT ${PREDICT_LIBRARY}
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -Wl,--gc-sections ${PREDICT_ROOTS}
      -o ${PREDICT_OBJECT} $<TARGET_OBJECTS:predict_objects> ${TIER_OBJECTS}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${PREDICT_LIBRARY}
    COMMAND ${CMAKE_AR} rcs ${PREDICT_LIBRARY} ${PREDICT_OBJECT}
    DEPENDS predict_objects $<TARGET_OBJECTS:predict_objects> ${TIER_OBJECTS} ${PREDICT_LIST}
    COMMENT "Linking prediction library libsamara-predict.a" COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(samara_predict ALL DEPENDS ${PREDICT_LIBRARY})
endif()
