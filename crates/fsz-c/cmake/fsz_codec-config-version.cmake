# The version is in the header. Before release 1.0 a minor release may change the interface.
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../../../include/fsz_codec.h" _fsz_codec_lines
     REGEX "^#define FSZC_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
foreach(_fsz_codec_part MAJOR MINOR PATCH)
    string(REGEX REPLACE ".*FSZC_VERSION_${_fsz_codec_part} ([0-9]+).*" "\\1"
           _fsz_codec_${_fsz_codec_part} "${_fsz_codec_lines}")
endforeach()
set(PACKAGE_VERSION "${_fsz_codec_MAJOR}.${_fsz_codec_MINOR}.${_fsz_codec_PATCH}")

if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
endif()
if(PACKAGE_FIND_VERSION_RANGE)
    # Who names a range has tried its releases.
    if(PACKAGE_FIND_VERSION_MIN VERSION_LESS_EQUAL PACKAGE_VERSION
       AND (PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION_MAX
            OR (PACKAGE_FIND_VERSION_RANGE_MAX STREQUAL "INCLUDE"
                AND PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION_MAX)))
        set(PACKAGE_VERSION_COMPATIBLE TRUE)
    endif()
elseif(PACKAGE_FIND_VERSION VERSION_LESS_EQUAL PACKAGE_VERSION
   AND PACKAGE_FIND_VERSION_MAJOR EQUAL _fsz_codec_MAJOR
   AND (_fsz_codec_MAJOR GREATER 0 OR PACKAGE_FIND_VERSION_MINOR EQUAL _fsz_codec_MINOR))
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
