# The command, build/samara, and what it writes about itself: its manual page and completions.

file(GLOB CLI_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.c)
if(CLI_SOURCES)
  add_executable(samara ${CLI_SOURCES})
  target_include_directories(samara PRIVATE ${PROJECT_SOURCE_DIR}/cli)
  target_link_libraries(samara ${LIBRARY})
  if(RSVG_FOUND) # its headers; the library is opened when a PNG is drawn
    target_compile_definitions(samara PRIVATE SMR_HAVE_RSVG=1)
    target_include_directories(samara SYSTEM PRIVATE ${RSVG_INCLUDE_DIRS})
    target_link_libraries(samara ${CMAKE_DL_LIBS})
  endif()

  # `make static`: the same command in one file that needs nothing of the system it runs on.  PNG is
  # drawn by a library that must be opened at run time, so this one draws SVG only.
  find_library(ZLIB_ARCHIVE libz.a)
  find_library(LIBC_ARCHIVE libc.a)
  if(LIBC_ARCHIVE AND NOT APPLE AND NOT SAMARA_SANITIZE AND NOT SAMARA_FUZZ)
    add_executable(samara_alone ${CLI_SOURCES})
    set_target_properties(samara_alone PROPERTIES OUTPUT_NAME samara
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/static)
    target_include_directories(samara_alone PRIVATE ${PROJECT_SOURCE_DIR}/cli)
    target_link_libraries(samara_alone $<TARGET_FILE:samara_static>)
    add_dependencies(samara_alone samara_static)
    if(ZLIB_FOUND)
      target_link_libraries(samara_alone ${ZLIB_ARCHIVE})
    endif()
    target_link_libraries(samara_alone m Threads::Threads)
    target_link_options(samara_alone PRIVATE -static -Wl,-s -Wl,--gc-sections)
  endif()

  set(GENERATED)
  macro(add_generated file)
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/${file}
      COMMAND sh -c "out=$1; shift; \"$@\" >\"$out.part\" && mv \"$out.part\" \"$out\"" sh
        ${CMAKE_BINARY_DIR}/${file} $<TARGET_FILE:samara> ${ARGN}
      DEPENDS samara COMMENT "Writing ${file}" VERBATIM)
    list(APPEND GENERATED ${CMAKE_BINARY_DIR}/${file})
  endmacro()
  if(NOT SAMARA_SANITIZE AND NOT SAMARA_FUZZ)
    add_generated(samara.1 man)
    add_generated(samara.bash completion bash)
    add_generated(_samara completion zsh)
    add_generated(samara.fish completion fish)
    add_custom_target(samara_documents ALL DEPENDS ${GENERATED})
  endif()
endif()
