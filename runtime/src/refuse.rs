//! What cannot be differentiated and is only found at run time: the process ends, with a message
//! that says what, where and why. A derivative that is not known is never taken as zero.

use libc::{Dl_info, c_char, c_void, dladdr};
use std::{ffi::CStr, ptr};

/// A call through a pointer in differentiated code leads to a function that the compiler did not
/// know to be possible.
///
/// # Safety
/// `place` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_unknown_target(target: *const c_void, place: *const c_char) -> ! {
    let name = symbol(target).map(|s| format!(" ({s})")).unwrap_or_default();
    eprintln!(
        "adrt: error AD202: a call through a function pointer, {}, reached {target:p}{name}, whose \
        derivative is not known there; remedy: define the function in the file of the call, and \
        take its address there",
        text(place)
    );
    std::process::abort()
}

/// Differentiated code reached a function that is possible there, by its type or after a throw, and
/// has no derivative.
///
/// # Safety
/// `name` and `reason` are C strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_no_derivative(name: *const c_char, reason: *const c_char) -> ! {
    eprintln!(
        "adrt: error AD203: differentiated code reached '{}', which has no derivative: {}",
        text(name),
        text(reason)
    );
    std::process::abort()
}

/// Differentiated code loads a pointer to active memory from a global variable, or from other memory
/// that lay there before the request (`name` is null), and its shadow is unknown: of the memory that
/// it points to, nobody has noted where it was allocated.
///
/// # Safety
/// `name` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_no_shadow(name: *const c_char) -> ! {
    eprintln!(
        "adrt: error AD210: {} points to memory that has no shadow; remedy: allocate the memory \
        in the file of the request or inside the differentiated function, pass it as an active \
        argument, or, if it never holds active data, declare the variable inactive \
        (docs/reference/annotations.md){}",
        pointer_in(name),
        in_fortran(name)
    );
    std::process::abort()
}

/// The same memory is reached by an argument of a request and by a pointer in a global variable, or
/// in other memory that lay there before the request (`name` is null).
///
/// # Safety
/// `name` is null or a C string.
pub unsafe fn argument_leads_to_block(name: *const c_char) -> ! {
    eprintln!(
        "adrt: error AD222: {} points to memory that an argument also points to: the two uses would \
        have different shadows; remedy: inside the function, use only the argument; or pass a copy",
        pointer_in(name)
    );
    std::process::abort()
}

/// What programs in Fortran write for a variable of a module; nothing for other names.
fn in_fortran(name: *const c_char) -> String {
    if name.is_null() {
        return String::new();
    }
    let name = text(name);
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let is_one = name.split_once("::").is_some_and(|(module, variable)| {
        [module, variable].iter().all(|part| !part.is_empty() && part.chars().all(is_letter))
    });
    match is_one {
        true => format!(
            "; in Fortran: name the variable in the head, as in f(y)/(x,{name}), give the head to \
            the link, or compile with --ad-inactive={name}"
        ),
        false => String::new(),
    }
}

fn pointer_in(name: *const c_char) -> String {
    match name.is_null() {
        true => "a pointer that was set before the request".into(),
        false => format!("a pointer in global variable '{}'", text(name)),
    }
}

/// There is no memory for the shadow of a block.
pub fn no_memory(bytes: usize) -> ! {
    eprintln!("adrt: error AD201: no memory for a shadow of {bytes} bytes");
    std::process::abort()
}

/// An argument of a request leads to a global variable that has a shadow of its own.
///
/// # Safety
/// `name` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_argument_has_shadow(name: *const c_char) -> ! {
    eprintln!(
        "adrt: error AD211: an argument points to global variable '{}', which the differentiated \
        code also uses by name: the two uses would have different shadows; remedy: inside the \
        function, use only the argument; or pass a copy of the variable",
        text(name)
    );
    std::process::abort()
}

/// A pointer that lay in memory before the request leads to a global variable that has a shadow of
/// its own, or none.
///
/// # Safety
/// `name` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_pointer_has_shadow(name: *const c_char) -> ! {
    eprintln!(
        "adrt: error AD211: a pointer that was set before the request points to global variable \
        '{}', which the differentiated code also uses by name: the two uses would have different \
        shadows; remedy: inside the function, use only the pointer; or let it point to a copy of \
        the variable",
        text(name)
    );
    std::process::abort()
}

/// A pointer in a global variable leads to another global variable, which has a shadow: the pointer
/// has none.
///
/// # Safety
/// `name` is a C string.
pub unsafe fn adrt_pointer_to_shadowed(name: *const c_char) -> ! {
    eprintln!(
        "adrt: error AD212: a pointer in global variable '{}' points to a global variable that \
        holds active data, but the pointer has no shadow; remedy: define the pointer in the file \
        of the request with that initial value, or set it inside the differentiated function",
        text(name)
    );
    std::process::abort()
}

/// A real was converted to an integer that holds all its digits, and that may become a real again.
///
/// # Safety
/// `place` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_taken_apart(place: *const c_char) -> ! {
    eprintln!(
        "adrt: error AD219: an active real is converted to an integer that holds all its digits \
        and may become a real again, {}: its derivative would be lost; remedy: compute with the \
        real itself (frexp, ldexp, floor, fmod), or register a derivative of the function",
        text(place)
    );
    std::process::abort()
}

fn text<'a>(string: *const c_char) -> std::borrow::Cow<'a, str> {
    // SAFETY: generated code gives C strings that live as long as the program.
    unsafe { CStr::from_ptr(string) }.to_string_lossy()
}

/// Name of the function at an address, or else of the file that holds it.
fn symbol(target: *const c_void) -> Option<String> {
    let mut found = Dl_info {
        dli_fname: ptr::null(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null(),
        dli_saddr: ptr::null_mut(),
    };
    // SAFETY: `found` outlives the call.
    let known = unsafe { dladdr(target, &mut found) } != 0;
    match (known, found.dli_sname.is_null(), found.dli_fname.is_null()) {
        (true, false, _) => Some(text(found.dli_sname).into_owned()),
        (true, true, false) => Some(format!("in {}", text(found.dli_fname))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_of_a_shared_library_has_a_name() {
        let name = symbol(libc::strlen as *const c_void).expect("libc is known");
        assert!(!name.is_empty());
        assert_eq!(symbol(ptr::null()), None);
    }
}
