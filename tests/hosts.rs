//! The plugin in its hosts: opt, and what compilers leave in an object file.

use std::process::Command;

use adtoolchain::Language;
use adtoolchain::testing::{end, must, tools};

const SOURCE: &str = r#"
extern double __ad_adjoint(void *, ...);
extern double __ad_tangent(void *, ...);
extern int ad_out, ad_dup;
extern int printf(const char *, ...);
static double f(double x) { double y = x * x + 1.0; return x > 0.0 ? y * y : y; }
int main(void) {
    double b = __ad_adjoint((void *)f, ad_out, 2.0), d = __ad_tangent((void *)f, ad_dup, 2.0, 1.0);
    printf("%g %g\n", b, d);
    return 0;
}
"#;

/// d/dx (x^2 + 1)^2 at 2.
const EXPECTED: &str = "40 40\n";

/// The compiler without the plugin.
fn clang() -> Command {
    Command::new(Language::C.compiler())
}

#[test]
fn opt_differentiates_what_clang_emitted() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("f.c"), SOURCE).expect("written");
    for level in ["-O0", "-O2"] {
        let words = [level, "-S", "-emit-llvm", "-o"];
        must(clang().args(words).args([at("f.ll"), at("f.c")]));
        must(tools().opt().args(["-passes=ad", "-S", "-o"]).args([at("g.ll"), at("f.ll")]));
        must(clang().arg("-o").args([at("g"), at("g.ll")]).arg("-lm"));
        assert_eq!(must(&mut Command::new(at("g"))).stdout, EXPECTED, "{level}");
    }
}

#[test]
fn no_reference_to_requests_or_runtime_remains_where_none_is_needed() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("f.c"), SOURCE).expect("written");
    for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
        must(tools().compiler(Language::C).args([level, "-c", "-o"]).args([at("f.o"), at("f.c")]));
        let symbols = must(Command::new("nm").arg(at("f.o"))).stdout;
        // Nothing is recorded in a loop: the program links without the runtime.
        let foreign =
            ["ad_out", "ad_dup", "__ad_", "adrt_"].into_iter().find(|name| symbols.contains(name));
        assert_eq!(foreign, None, "{level}: {symbols}");
        must(clang().arg("-o").args([at("f"), at("f.o")]).arg("-lm"));
        assert_eq!(must(&mut Command::new(at("f"))).stdout, EXPECTED, "{level}");
    }
}

/// What LLVM's language has beside what compilers for C make: functions `f`, and the code of the
/// diagnostic where there is no derivative.
const RARE: &[(&str, Option<&str>)] = &[
    ("define double @f(double %x) convergent optnone noinline gc \"statepoint-example\" { %y = fmul double %x, %x\n ret double %y }", None),
    (
        "define internal double @g(double %x, double %s) noinline { %y = fmul double %x, %s\n ret double %y }
         define double @f(double %x, double %s) { %y = musttail call double @g(double %x, double %x)\n ret double %y }",
        None,
    ),
    (
        "%s = type { double, i32 }
         define internal double @g(ptr inalloca(%s) %p) noinline { %v = load double, ptr %p\n %y = fmul double %v, %v\n ret double %y }
         define double @f(double %x) { %a = alloca inalloca %s\n store double %x, ptr %a\n %y = call double @g(ptr inalloca(%s) %a)\n ret double %y }",
        None,
    ),
    ("define double @f(double %x, target(\"spirv.Image\") %t) { %y = fmul double %x, %x\n ret double %y }", None),
    ("define double @f(ptr addrspace(1) %p) { %v = load double, ptr addrspace(1) %p\n %y = fmul double %v, %v\n ret double %y }", None),
    (
        "define double @f(ptr addrspace(270) %p) { %q = addrspacecast ptr addrspace(270) %p to ptr
         %v = load double, ptr %q\n %y = fmul double %v, %v\n ret double %y }",
        Some("AD030"),
    ),
    ("define double @f(<vscale x 2 x double> %x) { %e = extractelement <vscale x 2 x double> %x, i32 0\n ret double %e }", Some("AD030")),
    (
        "define { double, <vscale x 4 x i32> } @f(double %x) { %a = insertvalue { double, <vscale x 4 x i32> } poison, double %x, 0
         ret { double, <vscale x 4 x i32> } %a }",
        Some("AD030"),
    ),
    (
        "define internal double @g(double %x) naked noinline { call void asm sideeffect \"mulsd %xmm0, %xmm0; ret\", \"\"()\n unreachable }
         define double @f(double %x) { %y = call double @g(double %x)\n ret double %y }",
        Some("AD023"),
    ),
    (
        "define internal i32 @g(i32 %n) naked noinline { call void asm sideeffect \"mov %edi, %eax; ret\", \"\"()\n unreachable }
         define double @f(double %x, i32 %n) { %k = call i32 @g(i32 %n)\n %r = sitofp i32 %k to double\n %y = fmul double %r, %x\n ret double %y }",
        None,
    ),
    (
        "define internal swiftcc double @g(double %x, ptr swifterror %e) noinline { %y = fmul double %x, %x\n store ptr null, ptr %e\n ret double %y }
         define double @f(double %x) { %e = alloca swifterror ptr\n store ptr null, ptr %e
         %y = call swiftcc double @g(double %x, ptr swifterror %e)\n ret double %y }",
        Some("AD037"),
    ),
    (
        "define double @f(double %x) { callbr void asm sideeffect \"jmp ${0:l}\", \"!i\"() to label %a [label %b]
         a:\n ret double %x\n b:\n %y = fmul double %x, %x\n ret double %y }",
        Some("AD040"),
    ),
    (
        "declare i32 @__CxxFrameHandler3(...)\n declare void @t()
         define double @f(double %x) personality ptr @__CxxFrameHandler3 { invoke void @t() to label %ok unwind label %cs
         ok:\n %y = fmul double %x, %x\n ret double %y
         cs:\n %c = catchswitch within none [label %h] unwind to caller
         h:\n %p = catchpad within %c [ptr null, i32 64, ptr null]\n catchret from %p to label %o
         o:\n ret double %x }",
        Some("AD040"),
    ),
    ("define double @f(double %x, ptr %a) { %v = va_arg ptr %a, double\n %y = fmul double %x, %v\n ret double %y }", Some("AD037")),
];

#[test]
fn rare_code_has_a_derivative_or_a_diagnostic() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for (text, code) in RARE {
        std::fs::write(at("f.ll"), format!("target triple = \"x86_64-pc-linux-gnu\"\n{text}\n"))
            .expect("written");
        for head in ["-ad-tangent=f", "-ad-adjoint=f"] {
            let mut opt = tools().opt();
            opt.args(["-passes=ad", "-S", "-o"]).args([at("g.ll"), at("f.ll")]);
            let done = end(opt.env("ADPASS_OPTIONS", head));
            let stderr = &done.stderr;
            match code {
                None => assert!(done.is_success(), "{head} {text}: {stderr}"),
                Some(code) => assert!(
                    done.code == Some(1) && stderr.contains(&format!("error: {code}: ")),
                    "{head} {text}: {stderr}"
                ),
            }
        }
    }
}

/// What attributes, metadata and markers of LLVM IR say is heard, or refused by its name: what
/// follows `f` in the module, and the derivative of `f` at 2, or what the message says.
const SAID: &[(&str, Result<&str, &str>)] = &[
    ("define double @g(double %x) \"enzyme_inactive\" { ret double %x }", Ok("2")),
    ("define double @g(double %x) !enzyme_inactive !0 { ret double %x }\n!0 = !{}", Ok("2")),
    ("define double @g(double %x) \"enzyme_math\"=\"exp\" { ret double %x }", Ok("6")),
    (
        "define double @g(double \"enzyme_type\"=\"{[-1]:Float@double}\" %x) \"enzyme_nofree\" { ret double %x }",
        Ok("4"),
    ),
    (
        "define double @g(double \"enzyme_inactive\" %x) { ret double %x }",
        Err("attribute 'enzyme_inactive' of 'g' is not supported"),
    ),
    (
        "declare ptr @h(i64) \"enzyme_allocator\"=\"0\"\ndefine double @g(double %x) { ret double %x }",
        Err("attribute 'enzyme_allocator' of 'h' is not supported"),
    ),
    (
        "@v = global double 0.0, !enzyme_shadow !0\n@vb = global double 0.0\n!0 = !{ptr @vb}\ndefine double @g(double %x) { ret double %x }",
        Err("variables get their shadows by themselves"),
    ),
    (
        "declare !enzyme_augment !0 !enzyme_gradient !1 double @g(double)\ndeclare void @a()\n!0 = !{ptr @a}\n!1 = !{ptr @a}",
        Err("attribute 'enzyme_augment' of 'g' is not supported"),
    ),
    (
        "define double @g(double %x) { ret double %x }\ndefine double @k(double %x) { %y = call double (...) @__enzyme_autodiff(ptr @g, metadata !\"enzyme_cnst\", double %x)\n ret double %y }",
        Err("marker 'enzyme_cnst' is not supported; did you mean 'enzyme_const'?"),
    ),
    (
        "define double @g(double %x) { ret double %x }\ndefine double @k(double %x) { %y = call double (...) @__enzyme_autodiff(ptr @g, metadata !{}, double %x)\n ret double %y }",
        Err("marker 'metadata without text' is not supported"),
    ),
];

const MAIN: &str = r#"
extern int printf(const char *, ...);
extern double d(void);
int main(void) { printf("%g", d()); }
"#;

#[test]
fn attributes_metadata_and_markers_of_llvm_are_heard_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for (text, expected) in SAID {
        let module = format!(
            "target triple = \"x86_64-pc-linux-gnu\"
             declare double @__enzyme_autodiff(...)
             define double @f(double %x) {{ %y = call double @g(double %x)\n %z = fmul double %x, %y\n ret double %z }}
             define double @d() {{ %y = call double (...) @__enzyme_autodiff(ptr @f, metadata !\"enzyme_out\", double 2.0)\n ret double %y }}
             {text}\n"
        );
        std::fs::write(at("f.ll"), module).expect("written");
        let mut opt = tools().opt();
        let done =
            end(opt.args(["-passes=ad,default<O2>", "-S", "-o"]).args([at("g.ll"), at("f.ll")]));
        match expected {
            Ok(number) => {
                assert!(done.is_success(), "{text}: {}", done.stderr);
                std::fs::write(at("main.c"), MAIN).expect("written");
                must(clang().arg("-o").args([at("g"), at("main.c"), at("g.ll")]));
                assert_eq!(must(&mut Command::new(at("g"))).stdout, *number, "{text}");
            }
            Err(message) => {
                assert!(
                    done.code == Some(1) && done.stderr.contains(message),
                    "{text}: {}",
                    done.stderr
                )
            }
        }
    }
}

/// A branch that is taken again in the reverse sweep has what LLVM left of a loop, with places of
/// its function, and the gradient is inlined into a function with places of its own.
#[test]
fn places_of_loops_stay_in_their_function() {
    let text = r#"
declare double @__ad_adjoint(ptr, ...)
define internal double @f(double %x, i32 %n) !dbg !4 {
  %c = icmp sgt i32 %n, 3, !dbg !6
  br i1 %c, label %a, label %b, !dbg !6, !llvm.loop !8
a:
  %p = fmul double %x, %x, !dbg !6
  br label %e, !dbg !6
b:
  %q = call double @sin(double %x), !dbg !6
  br label %e, !dbg !6
e:
  %r = phi double [ %p, %a ], [ %q, %b ]
  %y = fmul double %r, %x, !dbg !6
  ret double %y, !dbg !6
}
define double @g(double %x, i32 %n) !dbg !5 {
  %d = call double (ptr, ...) @__ad_adjoint(ptr @f, double %x, i32 %n), !dbg !7
  ret double %d, !dbg !7
}
declare double @sin(double)
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{null})
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = distinct !DISubprogram(name: "g", scope: !1, file: !1, line: 9, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 2, column: 3, scope: !4)
!7 = !DILocation(line: 10, column: 3, scope: !5)
!8 = distinct !{!8, !6, !6}
"#;
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("f.ll"), text).expect("written");
    for level in ["-O1", "-O2", "-O3"] {
        let mut clang = tools().compiler(Language::C);
        clang.args([level, "-Wno-override-module", "-c", "-o"]).args([at("f.o"), at("f.ll")]);
        must(&mut clang);
        assert!(
            !must(Command::new("nm").arg(at("f.o"))).stdout.contains("f.adjoint"),
            "{level}: the gradient is inlined"
        );
    }
}
