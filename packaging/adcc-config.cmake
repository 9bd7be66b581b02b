# find_package(adcc): derivatives in CMake projects, compiled by clang and flang of LLVM 22 with the plugin, or by adcc.
#
#   adcc::plugin    compilations load the plugin
#   adcc::runtime   links have the tape runtime
#   adcc::shadow    links have the shadow runtime; shared libraries lead to that of their program
#   adcc_differentiate(TARGET [ADJOINT HEAD…] [TANGENT HEAD…] [OPTIONS --ad-…])
#                   all three, and heads and options for all sources of a target
#
# Variables: ADCC_EXECUTABLE, ADCC_PLUGIN, ADCC_INCLUDE_DIR, ADCC_SHADOW_LIBRARY (for LD_PRELOAD).
# Where adcc is the compiler, it adds all this by itself: the targets are empty, and heads are its options.

get_filename_component(_adcc_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(_adcc_lib "${_adcc_prefix}/lib/adcc")
set(ADCC_EXECUTABLE "${_adcc_prefix}/bin/adcc")
set(ADCC_PLUGIN "${_adcc_lib}/libadpass.so")
set(ADCC_INCLUDE_DIR "${_adcc_prefix}/include/adcc")
set(ADCC_SHADOW_LIBRARY "${_adcc_lib}/adshadow.so")
foreach(_adcc_file "${ADCC_PLUGIN}" "${ADCC_INCLUDE_DIR}/ad.h" "${_adcc_lib}/libadrt.a" "${_adcc_lib}/libadshadow.a" "${_adcc_lib}/libadguest.a")
    if(NOT EXISTS "${_adcc_file}")
        set(adcc_FOUND FALSE)
        set(adcc_NOT_FOUND_MESSAGE "${_adcc_file} does not exist: install adcc anew")
        return()
    endif()
endforeach()

# What each compiler is: adcc, clang (or flang) of the plugin's LLVM, or another one.
set(_adcc_languages "")
set(_adcc_is_alone TRUE)
foreach(_adcc_language C CXX Fortran)
    if(NOT CMAKE_${_adcc_language}_COMPILER_LOADED)
        continue()
    endif()
    list(APPEND _adcc_languages ${_adcc_language})
    execute_process(COMMAND "${CMAKE_${_adcc_language}_COMPILER}" --print-plugin OUTPUT_VARIABLE _adcc_shown ERROR_QUIET RESULT_VARIABLE _adcc_code)
    if(_adcc_code EQUAL 0 AND _adcc_shown MATCHES "libadpass")
        set(_adcc_kind_${_adcc_language} adcc)
    else()
        set(_adcc_is_alone FALSE)
        if(CMAKE_${_adcc_language}_COMPILER_ID MATCHES "^(Clang|LLVMFlang)$" AND CMAKE_${_adcc_language}_COMPILER_VERSION MATCHES "^22\\.")
            set(_adcc_kind_${_adcc_language} clang)
        else()
            set(_adcc_kind_${_adcc_language} other)
        endif()
    endif()
endforeach()

if(NOT TARGET adcc::plugin)
    add_library(adcc::plugin INTERFACE IMPORTED)
    add_library(adcc::runtime INTERFACE IMPORTED)
    add_library(adcc::shadow INTERFACE IMPORTED)
    foreach(_adcc_language ${_adcc_languages})
        if(NOT _adcc_kind_${_adcc_language} STREQUAL "clang")
            continue()
        endif()
        set(_adcc_options "-fpass-plugin=${ADCC_PLUGIN}" "-Rpass-analysis=^adcc$" "SHELL:-mllvm -ad-prebuilt=shadow" "SHELL:-mllvm -ad-check")
        if(NOT _adcc_language STREQUAL "Fortran")
            list(APPEND _adcc_options -fno-discard-value-names "SHELL:-idirafter \"${ADCC_INCLUDE_DIR}\"")
        endif()
        foreach(_adcc_option IN LISTS _adcc_options)
            set_property(TARGET adcc::plugin APPEND PROPERTY INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:${_adcc_language}>:${_adcc_option}>")
        endforeach()
    endforeach()
    if(NOT _adcc_is_alone)
        # Names of libraries go to the linker as they are: CMake would unite those that occur twice.
        set(_adcc_is_shared "$<IN_LIST:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY;MODULE_LIBRARY>")
        set_property(TARGET adcc::runtime PROPERTY INTERFACE_LINK_LIBRARIES
            "-Wl,-lm,-lgcc" "$<${_adcc_is_shared}:-Wl,--exclude-libs,libadrt.a>" "${_adcc_lib}/libadrt.a" "-Wl,-lm,-lpthread,-ldl")
        set_property(TARGET adcc::shadow PROPERTY INTERFACE_LINK_LIBRARIES adcc::runtime "-Wl,-lc"
            "$<${_adcc_is_shared}:${_adcc_lib}/libadguest.a>" "$<$<NOT:${_adcc_is_shared}>:-Wl,--export-dynamic-symbol=adshadow_functions_1>"
            "$<$<NOT:${_adcc_is_shared}>:${_adcc_lib}/libadshadow.a>"
            "-Wl,-lm,-lpthread,-ldl")
    endif()
endif()

# A target's sources are compiled with the plugin, and it is linked with the runtimes.
function(adcc_differentiate target)
    cmake_parse_arguments(PARSE_ARGV 1 _adcc "" "" "ADJOINT;TANGENT;OPTIONS")
    if(_adcc_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "adcc_differentiate(${target}): unknown arguments ${_adcc_UNPARSED_ARGUMENTS}")
    endif()
    get_target_property(sources ${target} SOURCES)
    foreach(language ${_adcc_languages})
        list(JOIN CMAKE_${language}_SOURCE_FILE_EXTENSIONS "|" extensions)
        string(REPLACE "+" "\\+" extensions "${extensions}")
        if(_adcc_kind_${language} STREQUAL "other" AND "${sources}" MATCHES "\\.(${extensions})(;|$)")
            message(FATAL_ERROR
                "adcc_differentiate(${target}): the ${language} compiler is ${CMAKE_${language}_COMPILER_ID} ${CMAKE_${language}_COMPILER_VERSION} "
                "(${CMAKE_${language}_COMPILER}). Derivatives are made by clang and flang of LLVM 22, or by adcc: "
                "set CMAKE_${language}_COMPILER to clang-22, clang++-22 or flang-22, or to adcc, ad++ or adfc.")
        endif()
    endforeach()

    # As adcc spells them.
    set(options ${_adcc_OPTIONS})
    foreach(head IN LISTS _adcc_ADJOINT)
        list(APPEND options "--ad-adjoint=${head}")
    endforeach()
    foreach(head IN LISTS _adcc_TANGENT)
        list(APPEND options "--ad-tangent=${head}")
    endforeach()
    if(_adcc_ADJOINT OR _adcc_TANGENT)
        # The other sources of the target do not define what a head names.
        list(APPEND options --ad-heads-optional)
    endif()
    foreach(option IN LISTS options)
        if(NOT option MATCHES "^--ad-")
            message(FATAL_ERROR "adcc_differentiate(${target}): options begin with --ad-: ${option}")
        endif()
        string(SUBSTRING "${option}" 1 -1 plugin_option)
        foreach(language ${_adcc_languages})
            if(_adcc_kind_${language} STREQUAL "adcc")
                set(words "${option}")
            else()
                set(words "SHELL:-mllvm \"${plugin_option}\"")
            endif()
            set_property(TARGET ${target} APPEND PROPERTY COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:${language}>:${words}>")
        endforeach()
    endforeach()

    # By properties: a project may use either signature of target_link_libraries.
    set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES adcc::plugin adcc::runtime adcc::shadow)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY" OR type STREQUAL "OBJECT_LIBRARY")
        set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES "$<LINK_ONLY:adcc::runtime>" "$<LINK_ONLY:adcc::shadow>")
    endif()
endfunction()
