# Warnings are errors in our own code; headers of libraries are included as system headers.
add_library(kbeval_warnings INTERFACE)
target_compile_options(kbeval_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
