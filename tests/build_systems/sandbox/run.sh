# As Bazel runs compilers: relative paths, sources that cannot be written, no HOME, nothing left beside the sources, and objects that do not
# depend on the folder.
build() {
    mkdir -p "$1/source" "$1/out"
    cp *.c "$1/source"
    chmod -R a-w "$1/source"
    (
        cd "$1"
        for unit in main model flux; do
            env -i PATH=/usr/bin:/bin TMPDIR="$2" ${ADCC_INCLUDE:+ADCC_INCLUDE="$ADCC_INCLUDE"} "$CC" -g -O2 -ffile-prefix-map="$PWD=." -Wno-builtin-macro-redefined -D__DATE__='""' \
                -MD -MF out/$unit.d -c source/$unit.c -o out/$unit.o
        done
        env -i PATH=/usr/bin:/bin TMPDIR="$2" ${ADCC_INCLUDE:+ADCC_INCLUDE="$ADCC_INCLUDE"} "$CC" out/main.o out/model.o out/flux.o -lm -o out/program
        test "$(ls source | wc -l)" = 3
        test "$(ls out | wc -l)" = 7
        test "$(ls)" = "$(printf 'out\nsource')"
    )
}
mkdir -p one two tmp
build one "$PWD/tmp"
build two/deeper /tmp
for file in main.o model.o flux.o program; do cmp one/out/$file two/deeper/out/$file; done
test -z "$(ls tmp)"
chmod -R u+w one two
one/out/program
