# Shared compile options and the helper that turns a folder into one static library.
add_library(fsadvise_options INTERFACE)
target_compile_options(fsadvise_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # False positives of GCC 12 on temporaries of std::string concatenation (GCC bug 105651).
    target_compile_options(fsadvise_options INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
endif()
target_include_directories(fsadvise_options INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})

# Heavy headers that most files of a module need anyway; compiled once a module they halve the build.
set(fsadvise_heavy_headers <algorithm> <map> <memory> <optional> <set> <string> <vector> <fmt/format.h>)

# fsadvise_module(name folder LINK ... PCH ...): every .cpp below the folder becomes library fsadvise_<name>.
function(fsadvise_module name folder)
    cmake_parse_arguments(arg "" "" "LINK;PCH" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    set(target fsadvise_${name})
    if(sources)
        add_library(${target} STATIC ${sources})
        target_link_libraries(${target} PUBLIC ${arg_LINK} PRIVATE fsadvise_options)
        target_precompile_headers(${target} PRIVATE ${fsadvise_heavy_headers} ${arg_PCH})
        target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
    else()
        add_library(${target} INTERFACE)
        target_link_libraries(${target} INTERFACE ${arg_LINK})
        target_include_directories(${target} INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
    endif()
endfunction()
