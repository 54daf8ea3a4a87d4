# find_package(fsz_codec) defines
#   fsz_codec::fsz_codec         the shared library
#   fsz_codec::fsz_codec_static  the static library
#   FSZ_CODEC_FORTRAN_MODULE     the source of the Fortran module, to be compiled with your program
get_filename_component(_fsz_codec_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(FSZ_CODEC_FORTRAN_MODULE "${_fsz_codec_prefix}/include/fsz_codec.f90")
set(_fsz_codec_places "${_fsz_codec_prefix}"
    PATH_SUFFIXES lib lib64 "lib/${CMAKE_LIBRARY_ARCHITECTURE}" NO_DEFAULT_PATH)
# Not what an earlier run has found: the library may have moved.
unset(_fsz_codec_shared CACHE)
unset(_fsz_codec_static CACHE)
find_library(_fsz_codec_shared NAMES fsz_codec HINTS ${_fsz_codec_places})
find_library(_fsz_codec_static NAMES "libfsz_codec${CMAKE_STATIC_LIBRARY_SUFFIX}"
             HINTS ${_fsz_codec_places})
mark_as_advanced(_fsz_codec_shared _fsz_codec_static)

if(NOT _fsz_codec_shared AND NOT _fsz_codec_static)
    set(fsz_codec_FOUND FALSE)
    set(fsz_codec_NOT_FOUND_MESSAGE "no libfsz_codec under ${_fsz_codec_prefix}")
    return()
endif()
if(_fsz_codec_shared AND NOT TARGET fsz_codec::fsz_codec)
    add_library(fsz_codec::fsz_codec SHARED IMPORTED)
    set_target_properties(fsz_codec::fsz_codec PROPERTIES
        IMPORTED_LOCATION "${_fsz_codec_shared}"
        INTERFACE_INCLUDE_DIRECTORIES "${_fsz_codec_prefix}/include")
endif()
if(_fsz_codec_static AND NOT TARGET fsz_codec::fsz_codec_static)
    add_library(fsz_codec::fsz_codec_static STATIC IMPORTED)
    set_target_properties(fsz_codec::fsz_codec_static PROPERTIES
        IMPORTED_LOCATION "${_fsz_codec_static}"
        INTERFACE_INCLUDE_DIRECTORIES "${_fsz_codec_prefix}/include")
    if(UNIX AND NOT APPLE)
        set_target_properties(fsz_codec::fsz_codec_static PROPERTIES
            INTERFACE_LINK_LIBRARIES "pthread;${CMAKE_DL_LIBS};m;gcc_s")
    endif()
endif()
