# Requests and interfaces of Fortran, as a user writes them.
heads=(--ad-adjoint='RODS::S(Y)/(A,b,c,d,e,t,z,g,r4,q)' --ad-adjoint='f(r)/(x)' --ad-tangent='f/(x)' --ad-adjoint='rod%energy/(self, x)')
for level in -O0 -O2; do
    "$FC" $level "${heads[@]}" --ad-interface=rods_derivatives.f90 -c rods.f90
    "$FC" $level rods_derivatives.f90 rods.o main.f90 -o rods
    ./rods
    "$FC" $level --ad-adjoint='second::step(Y)/(x)' --ad-adjoint='plain::alone/(t)' --ad-interface=scopes_derivatives.f90 -c scopes.f90
    "$FC" $level scopes_derivatives.f90 scopes.o use_scopes.f90 -o scopes
    ./scopes
    for head in 'arr(y)/(x)' 'arr/(x)' 'results::arr(arr)/(x)'; do
        "$FC" $level --ad-adjoint="$head" --ad-adjoint='bound_c(y)/(x, v)' --ad-interface=results_derivatives.f90 -c results.f90
        "$FC" $level results_derivatives.f90 results.o use_results.f90 -o results
        ./results
    done
    "$FC" $level --ad-directions=3 --ad-{tangent,adjoint}='bend(y)/(a,x,r,rods,s,size,o,w,stiffness,grid)' \
        --ad-{tangent,adjoint}='beam%energy(e)/(self,x,forces)*2' --ad-tangent='counted(y)/(x)*2' \
        --ad-interface=beams_derivatives.f90 -c beams.f90
    "$FC" $level beams_derivatives.f90 beams.o use_beams.f90 -o beams
    ./beams
    if ./beams short >said 2>&1 || ! grep -F 'bend_dv: the last dimension of ad must have extent 3' said; then
        cat said
        exit 1
    fi
    rm -f ./*.o ./*.mod
done

# What cannot be asked for is an error when it is compiled, with the names that there are.
refused() {
    if "$FC" -O1 --ad-adjoint="$1" -c scopes.f90 -o refused.o 2>said; then
        echo "accepted: $1"
        exit 1
    fi
    grep -F -- "$2" said || { cat said; exit 1; }
}
refused 'step(y)/(x)' "'step' may be first::step or second::step"
refused 'first::step(y)/(z)' 'it has x, y)'
refused 'needy/(t)' "the host of 'second::outer::needy' passes variables to it"
echo right
