# Warnings are errors in our own code; headers of libraries are included as system headers.
add_library(kbeval_warnings INTERFACE)
target_compile_options(kbeval_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 reports overlaps inside std::string that can't happen (GCC bug 105651).
  target_compile_options(kbeval_warnings INTERFACE -Wno-restrict)
endif()
if(KBEVAL_FUZZ)
  # Clang warns of other things than GCC, against which the code is kept clean.
  target_compile_options(kbeval_warnings INTERFACE -Wno-error)
endif()
