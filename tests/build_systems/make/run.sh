# A parallel build of three languages, whose request is answered at the link.
make -j8
./program
