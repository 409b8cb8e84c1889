# How tests build the solver HiGHS (the cargo feature highs): without optimisation and with few large sources, in a
# third of the time.  cargo passes it on where CMAKE_TOOLCHAIN_FILE names it.
set(CMAKE_CXX_FLAGS_RELEASE "-O0 -DNDEBUG" CACHE STRING "")
set(CMAKE_C_FLAGS_RELEASE "-O0 -DNDEBUG" CACHE STRING "")
set(CMAKE_UNITY_BUILD ON CACHE BOOL "")
