//! What LLVM's front ends write comes back byte for byte, and takes less than half of the room.

use adbitpack::{Primer, pack, unpack, without_names};
use adtoolchain::{llvm, testing::must};
use std::{fs, path::Path};

const C: &str = "
struct node { double x[3]; struct node *next; int kind; };
extern double weight(int), sin(double);
static const double table[] = {0.5, 1.25, -3, 1e300};
double visit(struct node *n, double *out) {
    double sum = 0;
    for (; n; n = n->next)
        switch (n->kind) {
        case 1: sum += sin(n->x[0]) * weight(1); break;
        case 5: out[n->kind] = sum; break;
        default: sum -= n->x[n->kind & 1] * table[n->kind & 3];
        }
    return sum;
}
";
const CPP: &str = "
struct Shape { virtual ~Shape() {} virtual double area() const = 0; };
template <class T> struct Box : Shape {
    T side;
    Box(T side) : side(side) {}
    double area() const override { return side * side; }
};
double total(Shape **all, int count) {
    double sum = 0;
    try {
        for (int i = 0; i < count; i++) sum += all[i]->area();
    } catch (int e) { sum = e; }
    return sum;
}
Shape *make(int kind) { if (kind) return new Box<double>(kind); return new Box<float>(2); }
";
const FORTRAN: &str = "
subroutine f(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  integer :: i
  y = 0
  do i = 1, n
    y = y + sin(x(i)) * x(n - i + 1)
  end do
end subroutine
";

/// The bitcode of a source, with options.
fn compiled(tool: &str, name: &str, source: &str, options: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, to) = (folder.path().join(name), folder.path().join("out.bc"));
    fs::write(&from, source).expect("a file");
    must(llvm(tool).args(options).args(["-c", "-emit-llvm"]).arg(&from).arg("-o").arg(&to));
    read(&to)
}

fn read(file: &Path) -> Vec<u8> {
    fs::read(file).expect("the compiler wrote it")
}

fn check(bitcode: &[u8], what: &str) {
    let primer =
        Primer::new(&compiled("clang", "primer.c", "void f(int *x) { *x = 1; }", &["-O2"]));
    let packed = pack(bitcode, &primer).unwrap_or_else(|| panic!("{what} cannot be packed"));
    assert_eq!(unpack(&packed, &primer).as_deref(), Ok(bitcode), "{what}");
    assert!(packed.len() * 2 < bitcode.len(), "{what}: {} of {}", packed.len(), bitcode.len());
}

#[test]
fn modules_come_back() {
    for (tool, name, source) in
        [("clang", "a.c", C), ("clang++", "a.cpp", CPP), ("flang", "a.f90", FORTRAN)]
    {
        for options in [&["-O0"][..], &["-O2"], &["-O2", "-g"]] {
            check(&compiled(tool, name, source, options), &format!("{name} {options:?}"));
        }
    }
}

#[test]
fn names_without_readers_are_left_out() {
    let named =
        compiled("clang", "a.c", C, &["-O1", "-fno-discard-value-names", "-fno-unroll-loops"]);
    let bitcode = without_names(&named).expect("it is bitcode");
    check(&bitcode, "without names");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.bc");
    fs::write(&file, &bitcode).expect("a file");
    let done = must(llvm("llvm-dis").arg(&file).args(["-o", "-"]));
    let text = done.stdout;
    for kept in ["ptr noundef", "%n", "%out", "%sum"] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    for left in ["%call", "for.body", "arrayidx"] {
        assert!(!text.contains(left), "{left}: {text}");
    }
    // Nothing is left to leave out.
    assert_eq!(without_names(&bitcode), Some(bitcode));
}
