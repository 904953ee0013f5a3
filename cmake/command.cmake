# The command: build/samara.

file(GLOB CLI_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.c)
if(CLI_SOURCES)
  add_executable(samara ${CLI_SOURCES})
  target_include_directories(samara PRIVATE ${PROJECT_SOURCE_DIR}/cli)
  target_link_libraries(samara samara_static)
endif()
