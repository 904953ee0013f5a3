# Builds for arm64 Linux elsewhere: the cross compiler of Debian and Ubuntu, and qemu to run what it
# makes, statically linked so that nothing else of that system is needed.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
find_program(QEMU qemu-aarch64)
set(CMAKE_CROSSCOMPILING_EMULATOR ${QEMU})
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)

# What this machine has is not for that one.
foreach(package ZLIB PkgConfig)
  set(CMAKE_DISABLE_FIND_PACKAGE_${package} ON)
endforeach()
