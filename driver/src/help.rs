//! The page that `--help` prints.

/// The whole page.
pub const PAGE: &str = "\
adcc, ad++, adfc - clang, clang++ and flang with automatic differentiation

usage: adcc [--ad-OPTION…] [compiler options] file…
       make CC=adcc CXX=ad++ FC=adfc

Requests (HEAD: 'f', 'f(y)/(x)', 'f($2)/($1, n)': dependents / independents)
  --ad-tangent=HEAD       generate f_d, the tangent of f
  --ad-adjoint=HEAD       generate f_b, the adjoint of f
  --ad-header=FILE        write C prototypes of what was generated
  --ad-interface=FILE     write a Fortran interface module of what was generated
  --ad-report=FILE        write what is active, recorded and why; FOLDER/ for several sources
  --ad-disable=LIST       switch analyses off, comma-separated (activity,tbr,...)
  --ad-prebuilt=POLICY    calls of functions without source: shadow (the default: through their
                          machine code), error, inactive; NAME=POLICY for one
  --ad-NAME[=VALUE]       any other goes to the plugin, which knows its options

The driver
  --ad-driver=LANGUAGE    c, c++ or fortran, whatever the name it was called by
  --ad-print-commands     show each command on standard error before running it
  --ad-verbose            show which compiler, plugin and runtime are used
  --help, --version       this page; versions of adcc and of the compiler

Every other option goes to clang, clang++ or flang, unchanged and in order.

Environment
  ADCC_OPTIONS            more --ad-... options, split as a shell does
  ADCC_CLANG, ADCC_CLANGXX, ADCC_FLANG
                          the compilers (else clang-22, clang++-22, flang-22)
  ADCC_PREFIX             where lib/libadpass.so, lib/libadrt.a, lib/libadshadow.a,
                          include/ad.h are
  ADCC_PLUGIN, ADCC_RUNTIME, ADCC_SHADOW, ADCC_INCLUDE, ADCC_MODULES
                          these one by one: three files, two folders
  ADPASS_OPTIONS          read by the plugin itself: -ad-NAME=VALUE ...

Exit code: the compiler's; 1 for an error of adcc (ADCC02 to ADCC09),
2 for wrong use of an --ad- option (ADCC01), 128+n after signal n.
";
