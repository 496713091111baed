# Writes OUTPUT, a header with the SHA-256 over every source that goes into kbeval and its native libraries.
# Run as a script: cmake -DROOT=... -DOUTPUT=... -P SourceDigest.cmake. The file is touched only when it changes.
file(GLOB_RECURSE sources RELATIVE ${ROOT}
  ${ROOT}/src/*.h ${ROOT}/src/*.cpp ${ROOT}/harness/native/* ${ROOT}/harness/sandbox/*)
list(SORT sources)
set(text "")
foreach(source IN LISTS sources)
  file(SHA256 ${ROOT}/${source} digest)
  string(APPEND text "${digest}  ${source}\n")
endforeach()
string(SHA256 total "${text}")
set(content "#pragma once\n#define KBEVAL_SOURCE_DIGEST \"${total}\"\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT "${old}" STREQUAL "${content}")
  file(WRITE ${OUTPUT} "${content}")
endif()
