# Libraries come from the system; KBEVAL_PORTABLE prefers their static archives.
if(KBEVAL_PORTABLE)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(OPENSSL_USE_STATIC_LIBS ON)
endif()
find_package(CLI11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_path(SQLITE3_INCLUDE sqlite3.h REQUIRED)
find_library(SQLITE3_LIBRARY NAMES sqlite3 REQUIRED)
find_path(RE2_INCLUDE re2/re2.h REQUIRED)
find_library(RE2_LIBRARY NAMES re2 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
# libcurl's headers only: the library is loaded when an agent speaks HTTP (src/agent/curl.h). toml++ is headers.
find_path(CURL_INCLUDE curl/curl.h REQUIRED)
find_path(TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)

add_library(kbeval_dependencies INTERFACE)
target_include_directories(kbeval_dependencies SYSTEM INTERFACE
  ${SQLITE3_INCLUDE} ${RE2_INCLUDE} ${CURL_INCLUDE} ${TOMLPLUSPLUS_INCLUDE})
target_link_libraries(kbeval_dependencies INTERFACE
  CLI11::CLI11 nlohmann_json::nlohmann_json OpenSSL::Crypto ZLIB::ZLIB ${SQLITE3_LIBRARY} ${RE2_LIBRARY} Threads::Threads
  ${CMAKE_DL_LIBS})
# spdlog and fmt by their headers alone: nothing to find at run time.
get_target_property(spdlog_include spdlog::spdlog_header_only INTERFACE_INCLUDE_DIRECTORIES)
target_include_directories(kbeval_dependencies SYSTEM INTERFACE ${spdlog_include})
target_compile_definitions(kbeval_dependencies INTERFACE SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY)
if(KBEVAL_PORTABLE)
  target_link_options(kbeval_dependencies INTERFACE -static-libstdc++ -static-libgcc)
endif()
