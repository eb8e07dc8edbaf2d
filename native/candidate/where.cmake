# Which CMake this is, and where it lies: a command of that name may be a script that starts it.
message("${CMAKE_COMMAND}")
message("${CMAKE_ROOT}")
message("${CMAKE_VERSION}")
