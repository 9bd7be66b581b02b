# Fortran in several files: modules, fixed form, the preprocessor, COMMON of an included file; make and CMake.
heads=(--ad-tangent='model(y)/(x)' --ad-adjoint='model(y)/(x)')

# What the compiler alone makes of modules.
mkdir alone
for file in materials.F90 fields.f90; do (cd alone && flang-22 -O2 -I.. -c ../$file -o ignored.o); done

for level in -O0 -O2; do
    # Heads in the flags of every file: answered where the procedure is, and again at the link.
    make FC="$FC" FFLAGS="$level -g ${heads[*]@Q}" program >log 2>&1 || { cat log; exit 1; }
    ./program
    make -s clean
    # Heads at the link alone; macros from the command.
    make -s FC="$FC" FFLAGS="$level -g -DQUADRATIC -DWP=8" main.o model.o fields.o materials.o legacy.o block.o
    "$FC" "${heads[@]}" ./*.o -o program
    ./program
    # Derivatives change no module.
    for module in materials fields; do cmp $module.mod alone/$module.mod; done
    make -s clean
done

# The preprocessor for files whose names do not ask for it.
cp materials.F90 lower.f90
"$FC" -O2 -cpp -DQUADRATIC -c lower.f90 -o materials.o
"$FC" -O2 -c fields.f90
cp legacy.F lower.f
"$FC" -O2 -cpp -ffixed-form -c lower.f -o legacy.o
"$FC" -O2 -c block.f
"$FC" -O2 -c main.f90
"$FC" -O2 "${heads[@]}" -c model.f90
"$FC" ./*.o -o program
./program
make -s clean

# CMake. Heads are options of a file: in CMAKE_Fortran_FLAGS, CMake's own test programs would have to answer them.
if ! command -v cmake >log; then
    echo 'skipped in part: cmake is not installed'
    echo right
    exit
fi
# ADCC_OPTIONS reach them, too, and are no error there.
for type in Release Debug; do
    if [ $type = Debug ]; then export ADCC_OPTIONS="${heads[*]}"; sed -i /set_source_files/d CMakeLists.txt; fi
    cmake -S . -B build -DCMAKE_BUILD_TYPE=$type -DCMAKE_Fortran_COMPILER="$FC" >log 2>&1 || { cat log; exit 1; }
    grep -q 'Fortran compiler identification is LLVMFlang' log || { cat log; exit 1; }
    cmake --build build -j2 >log 2>&1 || { cat log; exit 1; }
    build/program
    rm -rf build
done
echo right
