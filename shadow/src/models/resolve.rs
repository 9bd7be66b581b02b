//! Where the library models are in this process: the exported symbols of the C library's parts, in
//! all their versions, as the loader sees them.
//!
//! A name alone says nothing (a program may have a function `gamma` of its own), so only libraries
//! that are the C library's are searched; for the functions that allocate or map memory also those
//! that the process really uses, which an allocator may bring.

use std::{
    collections::HashMap,
    ffi::{CStr, CString},
};

use super::{Model, lookup, memory};
use crate::process::exports::exported;

/// How the file names of the libraries begin.
const LIBRARIES: [&str; 6] =
    ["libm.so", "libm-2.", "libmvec.so", "libc.so", "libc-2.", "libgcc_s.so"];
/// And of those whose operators `new` and `delete` call `malloc` and `free`.
const STANDARD: [&str; 2] = ["libstdc++.so", "libc++"];

/// What is known of the functions of this process, by address.
pub fn addresses() -> HashMap<u64, Model> {
    let mut all = HashMap::new();
    each_symbol(&mut |name, address| {
        // Other names of the same function are other spellings of the same derivative.
        if let Some(known) = lookup(name).filter(|_| !is_operator(name)) {
            all.entry(address).or_insert(known);
        }
    });
    for name in
        memory::ALLOCATION.iter().chain(memory::MAPPING).chain(memory::NEW).chain(memory::DELETE)
    {
        let text = CString::new(*name).expect("no zero in a name");
        // SAFETY: a string.
        let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, text.as_ptr()) };
        let is_standard = is_operator(name) && begins_with(&file_of(address as u64), &STANDARD);
        if !address.is_null()
            && !is_standard
            && let Some(known) = lookup(name)
        {
            all.entry(address as u64).or_insert(known);
        }
    }
    all
}

fn is_operator(name: &str) -> bool {
    memory::NEW.contains(&name) || memory::DELETE.contains(&name)
}

fn begins_with(path: &str, names: &[&str]) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    names.iter().any(|n| file.starts_with(n))
}

/// The path of the library that an address is in; empty if it is in none.
fn file_of(address: u64) -> String {
    // SAFETY: plain data, which `dladdr` fills.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked for.
    if unsafe { libc::dladdr(address as *const _, &mut info) } == 0 || info.dli_fname.is_null() {
        return String::new();
    }
    // SAFETY: a string of the loader's.
    unsafe { CStr::from_ptr(info.dli_fname) }.to_string_lossy().into_owned()
}

/// The name and the address of each function that the C library's parts export. Of a function with
/// several implementations it is that of the one in use.
pub fn each_symbol(visit: &mut dyn FnMut(&str, u64)) {
    exported(&|path| begins_with(path, &LIBRARIES), &|_| true, visit);
}
