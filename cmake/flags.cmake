# Compiler options.  Numbers must have the same bits everywhere, so nothing here lets the compiler
# contract, reassociate or assume away NaN.

option(SAMARA_TESTS "Build the tests" ON)
option(SAMARA_FUZZ "Build the fuzz targets with libFuzzer (needs clang)" OFF)
option(SAMARA_WERROR "Treat warnings as errors" OFF)
set(SAMARA_LEVEL "" CACHE STRING "Optimise everything as -O1, -O2 or -O3 says, not as usual")
set(SAMARA_SANITIZE "" CACHE STRING "Sanitizers, as in -fsanitize=: address,undefined or thread")

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O2 -g -DNDEBUG")
if(SAMARA_LEVEL) # to be run and thrown away: it is never looked at in a debugger
  set(CMAKE_C_FLAGS_RELEASE "${SAMARA_LEVEL} -DNDEBUG")
endif()
set(CMAKE_C_FLAGS_DEBUG "-O1 -g -fno-omit-frame-pointer")
if(SAMARA_FUZZ) # executed a hundred million times
  set(CMAKE_C_FLAGS_DEBUG "-O2 -g1 -fno-omit-frame-pointer")
endif()

# Every test is a program with the whole library in it, so the time to link counts.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT APPLE)
  find_program(GOLD ld.gold)
  if(GOLD)
    add_link_options(-fuse-ld=gold)
  endif()
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes
  -Wmissing-prototypes -Wvla -ffp-contract=off -fno-math-errno)
if(NOT SAMARA_SANITIZE OR SAMARA_FUZZ) # else the tests see all of a shared library: see library.cmake
  add_compile_options(-fvisibility=hidden)
endif()
# gcc warns of what cannot be when a sanitizer changes the code, so only clang is strict there.
if(SAMARA_WERROR AND (NOT SAMARA_SANITIZE OR CMAKE_C_COMPILER_ID MATCHES "Clang"))
  add_compile_options(-Werror)
endif()

if(SAMARA_SANITIZE) # reports need the lines, and no more of what a debugger asks for
  add_compile_options(-g1 -fsanitize=${SAMARA_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SAMARA_SANITIZE})
  if(SAMARA_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=all)
  endif()
endif()
if(SAMARA_FUZZ)
  # A trap in place of a call: the same checks, in less code.  The replay under asan tells the reason.
  add_compile_options(-fsanitize=fuzzer-no-link -fsanitize-trap=undefined)
endif()
