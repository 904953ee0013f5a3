# The command, build/samara, and what it writes about itself: its manual page and completions.

file(GLOB CLI_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.c)
if(CLI_SOURCES)
  add_executable(samara ${CLI_SOURCES})
  target_include_directories(samara PRIVATE ${PROJECT_SOURCE_DIR}/cli)
  target_link_libraries(samara samara_static)
  if(RSVG_FOUND) # its headers; the library is opened when a PNG is drawn
    target_compile_definitions(samara PRIVATE SMR_HAVE_RSVG=1)
    target_include_directories(samara SYSTEM PRIVATE ${RSVG_INCLUDE_DIRS})
    target_link_libraries(samara ${CMAKE_DL_LIBS})
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
