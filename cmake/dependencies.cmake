# What samara uses when it is there.  config.h carries the answers to the sources and to
# `samara --version`.

find_package(Threads REQUIRED)
find_package(ZLIB)

set(SMR_HAVE_ZLIB ${ZLIB_FOUND})
if(NOT ZLIB_FOUND)
  message(STATUS "zlib not found: files ending in .gz will be refused")
endif()
# Pictures as PNG, by the command alone.
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(RSVG QUIET librsvg-2.0>=2.46 cairo-png)
endif()
if(NOT RSVG_FOUND)
  message(STATUS "librsvg not found: --plot FILE.png will be refused")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/config.h.in ${CMAKE_BINARY_DIR}/config.h)

# The system libraries that the whole library needs, for linking and for samara.pc.
set(SAMARA_LIBS)
set(SAMARA_PC_LIBS "-lpthread -lm")
set(SAMARA_PC_REQUIRES "")
if(ZLIB_FOUND)
  list(APPEND SAMARA_LIBS ZLIB::ZLIB)
  set(SAMARA_PC_REQUIRES "zlib")
endif()
list(APPEND SAMARA_LIBS Threads::Threads m)
