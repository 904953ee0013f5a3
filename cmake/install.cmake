# make install: command, header, libraries, pkg-config files, the CMake package, examples, and what
# documents there are.  All paths are relative to the prefix, so the tree may be moved.

# What `make` builds, and all that is installed.
add_custom_target(front DEPENDS samara_static samara_shared)
foreach(part samara samara_predict samara_documents)
  if(TARGET ${part})
    add_dependencies(front ${part})
  endif()
endforeach()

include(CMakePackageConfigHelpers)
set(PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/samara)

if(TARGET samara)
  install(TARGETS samara RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES ${PROJECT_SOURCE_DIR}/include/samara.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set_target_properties(samara_shared PROPERTIES EXPORT_NAME samara)
set_target_properties(samara_static PROPERTIES EXPORT_NAME static)
install(TARGETS samara_shared EXPORT samaraTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS samara_static EXPORT samaraStaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(PREDICT_LIBRARY)
  install(FILES ${PREDICT_LIBRARY} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

install(EXPORT samaraTargets NAMESPACE samara:: DESTINATION ${PACKAGE_DIR})
install(EXPORT samaraStaticTargets NAMESPACE samara:: DESTINATION ${PACKAGE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/samaraConfig.cmake.in
  ${CMAKE_BINARY_DIR}/cmake/samaraConfig.cmake INSTALL_DESTINATION ${PACKAGE_DIR}
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/samaraConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cmake/samaraConfig.cmake
  ${CMAKE_BINARY_DIR}/cmake/samaraConfigVersion.cmake DESTINATION ${PACKAGE_DIR})

file(RELATIVE_PATH SAMARA_PC_UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" SAMARA_PC_UP "${SAMARA_PC_UP}")
set(PC_FILES samara)
if(PREDICT_LIBRARY)
  list(APPEND PC_FILES samara-predict)
endif()
foreach(name ${PC_FILES})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${CMAKE_BINARY_DIR}/cmake/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/cmake/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

set(SAMARA_LINKED ${CMAKE_INSTALL_BINDIR}/samara
  ${CMAKE_INSTALL_LIBDIR}/libsamara.so.${PROJECT_VERSION})
set(SAMARA_ARCHIVES ${CMAKE_INSTALL_LIBDIR}/libsamara.a ${CMAKE_INSTALL_LIBDIR}/libsamara-predict.a)
if(NOT APPLE AND NOT SAMARA_SANITIZE)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/strip.cmake.in ${CMAKE_BINARY_DIR}/cmake/strip.cmake @ONLY)
  install(SCRIPT ${CMAKE_BINARY_DIR}/cmake/strip.cmake)
endif()

# Documents, the manual page and the shell completions, as far as they are there.  Pages, examples
# and tables lie in the folders that they have in the repository, so that every link between them
# leads where it led (tools/check_install.py), and commands on data/ run there as they stand.
foreach(document README.md CHANGELOG.md LICENSE ARCHITECTURE.md CONTRIBUTING.md SECURITY.md)
  install(FILES ${PROJECT_SOURCE_DIR}/${document} DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
endforeach()
foreach(folder docs examples data)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL
    USE_SOURCE_PERMISSIONS)
endforeach()
install(FILES ${CMAKE_BINARY_DIR}/samara.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(FILES ${CMAKE_BINARY_DIR}/samara.bash RENAME samara
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)
install(FILES ${CMAKE_BINARY_DIR}/_samara
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions OPTIONAL)
install(FILES ${CMAKE_BINARY_DIR}/samara.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d OPTIONAL)
