# Writes OUTPUT, a header that holds each of FILES (NAME=PATH, separated by commas) as a std::string_view kbeval::NAME.
# Run as a script: cmake -DFILES=... -DOUTPUT=... -P EmbedText.cmake.
set(content "#pragma once\n#include <string_view>\nnamespace kbeval {\n")
string(REPLACE "," ";" entries "${FILES}")
foreach(entry IN LISTS entries)
  string(REGEX MATCH "^([a-z_]+)=(.*)$" matched "${entry}")
  set(name "${CMAKE_MATCH_1}")
  file(READ "${CMAKE_MATCH_2}" text)
  if("${text}" MATCHES "\\)KBEVAL_TEXT\"")
    message(FATAL_ERROR "${CMAKE_MATCH_2} holds the mark that ends an embedded text")
  endif()
  string(APPEND content "inline constexpr std::string_view ${name} = R\"KBEVAL_TEXT(${text})KBEVAL_TEXT\";\n")
endforeach()
file(WRITE "${OUTPUT}" "${content}}  // namespace kbeval\n")
