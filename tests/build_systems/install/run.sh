# An installation by make, moved elsewhere, and used in each way by another user with hardly an environment.
stage=$PWD/stage
make -s -C "$ROOT" install OUT="$BUILD" PREFIX=/usr/local DESTDIR="$stage"
test -x "$stage/usr/local/bin/adcc"
mv "$stage/usr/local" "$PWD/moved"
mkdir -m 777 work
ln -s "$PWD/moved/bin/adfc" linked-adfc
cd work
cp ../*.c ../*.cpp ../*.f90 .
gcc -O2 -c cubes.c -o cubes.o
ADCC=../moved/bin/adcc
lib=../moved/lib/adcc

user=
if [ "$(id -u)" = 0 ]; then user="setpriv --reuid=65534 --regid=65534 --clear-groups"; else echo 'skipped in part: not root, so not as another user'; fi
cat >do.sh <<'END'
set -e
try() { ./p || { echo "wrong: $1"; exit 1; }; rm p; }
adcc=$1 adpp=${1%adcc}ad++ adfc=../linked-adfc lib=$2

# As compilers.
$adcc -O2 main.c model.c flux.c -lm -o p && try adcc
$adcc -O2 one.c cubes.o -o p && try adcc
$adpp -O2 flux.cpp -c -o flux.o && $adfc -O2 -c smooth.f90 && $adcc -O2 -DWITH_SMOOTH main.c model.c flux.o smooth.o -lstdc++ -lm -o p && try ad++
$adfc -O2 --ad-adjoint='f(y)/(x)' head.f90 -o p && try adfc

# By what they print, with plain clang and flang.
clang-22 -O2 $($adcc --print-cflags) -c one.c && clang-22 one.o cubes.o $($adcc --print-libs) -o p && try print
clang-22 -O2 $($adcc --print-cflags) one.c cubes.o $($adcc --print-libs) -o p && try print
flang-22 -O2 $($adfc --print-cflags --ad-adjoint='f($2)/($1)') head.f90 $($adfc --print-libs) -o p && try print
clang-22 -O2 -S -emit-llvm -I ${lib%lib/adcc}include/adcc -Xclang -disable-llvm-passes one.c -o one.ll
opt-22 -load-pass-plugin=$($adcc --print-plugin) -ad-prebuilt=shadow -passes='default<O2>' one.ll -o one.bc
clang-22 one.bc cubes.o $($adcc --print-libs) -o p && try opt
clang-22 -O2 -fPIC -shared $($adcc --print-cflags) -DLIBRARY one.c cubes.o $($adcc --print-libs -shared) -o libone.so
test "$(nm -D --defined-only libone.so | grep -vc ' cubes$')" = 1
gcc user.c -L. -lone -Wl,-rpath,. -o p
LD_PRELOAD=$($adcc --print-shadow) try preload

# By configuration files.
clang-22 --config=$lib/adcc.cfg -O2 -Wall -Werror one.c cubes.o -o p && try config
flang-22 --config=$lib/adfc.cfg -O2 -mllvm -ad-adjoint='f($2)/($1)' head.f90 -o p && try config
clang-22 --config=$lib/adcc-shared.cfg -O2 -fPIC -shared -DLIBRARY one.c cubes.o -o libone.so
gcc user.c -L. -lone -Wl,-rpath,. -o p
LD_PRELOAD=$($adcc --print-shadow) try config

# By pkg-config.
export PKG_CONFIG_PATH=$lib/../pkgconfig
clang-22 -O2 $(pkg-config --cflags adcc) one.c cubes.o $(pkg-config --libs adcc) -o p && try pkg-config
test "$(pkg-config --variable=plugin adcc)" -ef "$($adcc --print-plugin)"
$(pkg-config --variable=adcc adcc) --version | grep -q '^adcc '
clang-22 -O2 -fPIC -shared $(pkg-config --cflags adcc-shared) -DLIBRARY one.c cubes.o $(pkg-config --libs adcc-shared) -o libone.so
test "$(nm -D --defined-only libone.so | grep -vc ' cubes$')" = 1

# 32-bit programs, where they are installed.
if [ -f $lib/i386/libadshadow.a ]; then
    gcc -m32 -O2 -c cubes.c -o cubes32.o
    $adcc -m32 -O2 one.c cubes32.o -o p && try -m32
fi
END
$user env -i PATH=/usr/bin:/bin HOME=/nonexistent sh do.sh $ADCC $lib

cd ..
mkdir -p "$stage/usr/local" && cp -a moved/. "$stage/usr/local"
make -s -C "$ROOT" uninstall PREFIX=/usr/local DESTDIR="$stage"
test -z "$(find "$stage" -type f -o -type l)"
echo done
