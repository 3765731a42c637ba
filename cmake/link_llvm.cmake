# SPDX-License-Identifier: Apache-2.0
# Links what the objects listed in FOLDER/llvm_objects.txt call of LLVM, out of the archives in llvm_archives.txt, into
# the object OUTPUT. Nothing is done where they call the same as at the last time.
cmake_minimum_required(VERSION 3.25)
file(STRINGS ${FOLDER}/llvm_objects.txt objects)
list(FILTER objects EXCLUDE REGEX "\\.(gch|pch)$")
file(STRINGS ${FOLDER}/llvm_archives.txt archives)
execute_process(COMMAND ${NM} --undefined-only --format=posix ${objects}
  OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_.]*(4llvm|LLVM)[A-Za-z0-9_.]* " called "${listing}")
list(TRANSFORM called STRIP)
list(REMOVE_DUPLICATES called)
list(SORT called)
list(TRANSFORM called PREPEND "-u ")
list(JOIN called "\n" called)
list(JOIN archives "\n" archives)
set(asked "${called}\n--start-group\n${archives}\n--end-group\n")
set(last "")
if(EXISTS ${OUTPUT} AND EXISTS ${FOLDER}/llvm_link.txt)
  file(READ ${FOLDER}/llvm_link.txt last)
endif()
if(asked STREQUAL last)
  return()
endif()
file(WRITE ${FOLDER}/llvm_link.new "${asked}")
execute_process(COMMAND ${LD} -r -o ${OUTPUT}.linked @${FOLDER}/llvm_link.new COMMAND_ERROR_IS_FATAL ANY)
# A program's static objects may compute, so LLVM's are made before them: linkers put .init_array.N before .init_array.
execute_process(COMMAND ${OBJCOPY} --strip-debug --rename-section .init_array=.init_array.00150
  --redefine-sym __cxa_atexit=tutti_at_exit_of_static_llvm
  ${OUTPUT}.linked ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${OUTPUT}.linked)
file(RENAME ${FOLDER}/llvm_link.new ${FOLDER}/llvm_link.txt)
