# ccache: what adcc --print-id says is part of the key: options in the environment, the plugin, the compiler.
export CCACHE_DIR="$PWD/cache" CCACHE_COMPILERTYPE=clang CCACHE_COMPILERCHECK='%compiler% --print-id' CCACHE_NOHASHDIR=1
hits() { ccache --print-stats | awk '$1 ~ /^(direct|preprocessed)_cache_hit$/ { n += $2 } END { print n }'; }
compile() { ccache "$CC" -O2 -c flux.c -o flux.o; }
compile
compile
test "$(hits)" = 1
# Another option: not the object of before.
ADCC_OPTIONS="--ad-adjoint='flux(flux)/(a, b)'" compile
test "$(hits)" = 1
nm flux.o | grep -q flux_b
ADPASS_OPTIONS='-ad-tangent=flux' compile
test "$(hits)" = 1
nm flux.o | grep -q flux_d
# Another plugin.
cp -L "$("$CC" --print-plugin)" ./libadpass.so
ADCC_PLUGIN="$PWD/libadpass.so" compile
test "$(hits)" = 1
compile
test "$(hits)" = 2
if nm flux.o | grep -q flux_b; then exit 1; fi
# The whole program through the cache.
ccache "$CC" -O2 -c main.c -o main.o
ccache "$CC" -O2 -c model.c -o model.o
"$CC" main.o model.o flux.o -lm -o program
./program
