//! The page that `--help` prints.

/// The whole page.
pub const PAGE: &str = "\
adcc, ad++, adfc - clang, clang++ and flang with automatic differentiation

usage: adcc [--ad-OPTION…] [compiler options] file…
       make CC=adcc CXX=ad++ FC=adfc

Requests (HEAD: 'f', 'f(y)/(x)', 'f($2)/($1, n)': dependents / independents)
  --ad-tangent=HEAD       generate f_d, the tangent of f
  --ad-adjoint=HEAD       generate f_b, the adjoint of f
  --ad-pattern=HEAD       generate f_p, for patterns of sparse matrices (ad_sparse.h)
  --ad-directions=N       also generate f_dv and f_bv, for N directions; of one head: 'f(y)/(x)*N'
  --ad-header=FILE        write C prototypes of what was generated
  --ad-interface=FILE     write a Fortran interface module of what was generated
  --ad-inactive=LIST      functions and variables without influence on derivatives (f,mod::var)
  --ad-report=FILE        write what is active and recorded, and why; FOLDER/ for several sources
  --ad-disable=LIST       switch analyses off, comma-separated (activity,tbr,...)
  --ad-check              compare derivatives with differences when the program runs
  --ad-prebuilt=POLICY    treatment of functions without source: shadow (differentiate their
                          machine code, the default), error or inactive; NAME=POLICY for one
  --ad-NAME[=VALUE]       any other --ad- option is passed to the plugin

The driver
  --ad-driver=LANGUAGE    compile c, c++ or fortran, whatever the name of the command
  --ad-host               the program has the shadow runtime, for shared libraries that it loads
  --ad-link               make derivatives that objects and archives leave open, as the object -o
  --ad-no-ir              make objects without the code that requests of other files need
  --ad-print-commands     show each command on standard error before running it
  --ad-verbose            show the compiler, plugin and runtime in use
  --help, --version       show this page; show versions of the compiler and of adcc
  --print-cflags, --print-libs, --print-libs -shared, --print-plugin, --print-shadow
                          what to give to another compiler, for $(…); the plugin; the shadow
                          runtime as a shared library, for LD_PRELOAD
  --print-id              what objects depend on beside sources and options, for ccache

Every other option is passed to clang, clang++ or flang, unchanged and in order.

Environment
  ADCC_OPTIONS            more --ad-... options, split into words as a shell does
  ADCC_CLANG, ADCC_CLANGXX, ADCC_FLANG
                          the compilers (default: clang-22, clang++-22, flang-22)
  ADCC_PREFIX             where adcc is installed: the folder of lib/adcc and include/adcc
  ADCC_PLUGIN, ADCC_RUNTIME, ADCC_SHADOW, ADCC_INCLUDE, ADCC_MODULES
                          each of these files (three) and folders (two) by itself
  ADPASS_OPTIONS          options that the plugin itself reads: -ad-NAME=VALUE ...

Exit code: the compiler's; 1 for an error of adcc (ADCC02 to ADCC15),
2 for wrong use of an --ad- option (ADCC01), 128+n after signal n.
";
