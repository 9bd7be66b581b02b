# CMake with adcc as its compilers. What CMake takes for the compilers' own libraries has none of ours.
cmake -S . -B build -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_Fortran_COMPILER="$FC" >log || { cat log; exit 1; }
if grep -rE 'IMPLICIT_LINK_(LIBRARIES|DIRECTORIES).*(adrt|adshadow|adcc)' build/CMakeFiles/*/CMake*Compiler.cmake; then
    echo 'archives of adcc among the implicit libraries'
    exit 1
fi
cmake --build build -j4 >log 2>&1 || { cat log; exit 1; }
build/user
build/program
