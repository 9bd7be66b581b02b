//! Translated code does what the program does: functions of the C library, called both ways.

use std::ffi::{c_char, c_int, c_void};

fn translated(function: *const ()) -> *const () {
    adshadow::translate::engine::entry(function as u64, adshadow::translate::Mode::Plain)
        .expect("an entry") as *const ()
}

#[test]
fn mathematical_functions_give_the_same_bits() {
    unsafe extern "C" {
        safe fn sin(x: f64) -> f64;
        safe fn exp(x: f64) -> f64;
        safe fn pow(x: f64, y: f64) -> f64;
        safe fn lgamma(x: f64) -> f64;
    }
    for (name, f) in [("sin", sin as extern "C" fn(f64) -> f64), ("exp", exp), ("lgamma", lgamma)] {
        // SAFETY: the entry has the function's signature.
        let other: extern "C" fn(f64) -> f64 =
            unsafe { std::mem::transmute(translated(f as *const ())) };
        for i in 0..1000 {
            let x = f64::from(i) * 0.37 - 90.0;
            assert_eq!(f(x).to_bits(), other(x).to_bits(), "{name}({x})");
        }
    }
    // SAFETY: the translation has the signature of the function.
    let other: extern "C" fn(f64, f64) -> f64 =
        unsafe { std::mem::transmute(translated(pow as *const ())) };
    for i in 0..1000 {
        let (x, y) = (f64::from(i) * 0.01, f64::from(i % 17) - 8.0);
        assert_eq!(pow(x, y).to_bits(), other(x, y).to_bits(), "pow({x}, {y})");
    }
}

#[test]
fn callbacks_and_variable_arguments_work() {
    unsafe extern "C" {
        fn qsort(
            base: *mut c_void,
            n: usize,
            size: usize,
            compare: extern "C" fn(*const c_void, *const c_void) -> c_int,
        );
        fn snprintf(to: *mut c_char, n: usize, format: *const c_char, ...) -> c_int;
    }
    extern "C" fn compare(a: *const c_void, b: *const c_void) -> c_int {
        // SAFETY: elements of the array below.
        let (a, b) = unsafe { (*a.cast::<i32>(), *b.cast::<i32>()) };
        a.cmp(&b) as c_int
    }
    type Sort = unsafe extern "C" fn(
        *mut c_void,
        usize,
        usize,
        extern "C" fn(*const c_void, *const c_void) -> c_int,
    );
    // SAFETY: the entry has the function's signature.
    let sort: Sort = unsafe { std::mem::transmute(translated(qsort as *const ())) };
    let mut numbers: Vec<i32> = (0..2000).map(|i| (i * 7919) % 2003).collect();
    let mut expected = numbers.clone();
    expected.sort_unstable();
    // SAFETY: an array of so many elements.
    unsafe { sort(numbers.as_mut_ptr().cast(), numbers.len(), 4, compare) };
    assert_eq!(numbers, expected);

    type Print = unsafe extern "C" fn(*mut c_char, usize, *const c_char, ...) -> c_int;
    // SAFETY: the entry has the function's signature.
    let print: Print = unsafe { std::mem::transmute(translated(snprintf as *const ())) };
    let mut text = [0u8; 100];
    // SAFETY: room for what is written.
    unsafe {
        print(
            text.as_mut_ptr().cast(),
            text.len(),
            c"%.17g %s %d".as_ptr(),
            0.1f64,
            c"and".as_ptr(),
            42,
        )
    };
    assert!(text.starts_with(b"0.10000000000000001 and 42\0"));
}
