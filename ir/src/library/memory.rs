//! Functions that allocate and free memory, as a table.
//!
//! The shadow of an allocation comes from the same function with the same arguments, so that what
//! frees the primal may free the shadow; the one exception is `calloc` for `malloc`, which `free`
//! takes as well. Functions that do more than allocate (`realloc`, `posix_memalign`) are no rows:
//! canon/models.rs writes them in terms of these.

use super::is_named;
use crate::target;
use std::sync::Mutex;

/// How many bytes an allocation has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// That argument.
    Argument(u32),
    /// The product of two arguments.
    Product(u32, u32),
    /// As many as the text that the first argument leads to: no derivative is ever among them.
    Text,
}

/// A function that returns new memory, or null.
#[derive(Debug, PartialEq, Eq)]
pub struct Allocator {
    /// Its symbol.
    pub symbol: &'static str,
    /// How much it allocates.
    pub size: Size,
    /// Whether the memory is zero.
    pub is_zeroed: bool,
}

const fn row(symbol: &'static str, size: Size) -> Allocator {
    Allocator { symbol, size, is_zeroed: false }
}

/// All that are known. `operator new` has its mangled names for a 64-bit `size_t` (see
/// [`is_named`]): plain, nothrow, aligned, both.
static ALLOCATORS: &[Allocator] = &[
    row("malloc", Size::Argument(0)),
    Allocator { symbol: "calloc", size: Size::Product(0, 1), is_zeroed: true },
    row("aligned_alloc", Size::Argument(1)),
    row("memalign", Size::Argument(1)),
    row("valloc", Size::Argument(0)),
    // Flang's runtime: a mark stands behind what a pointer leads to.
    row("AllocateValidatedPointerPayload", Size::Argument(0)),
    // Resources of C++, as the runtime asks them.
    row("adrt_resource_allocate", Size::Argument(1)),
    row("strdup", Size::Text),
    row("strndup", Size::Text),
    row("_Znwm", Size::Argument(0)),
    row("_Znam", Size::Argument(0)),
    row("_ZnwmRKSt9nothrow_t", Size::Argument(0)),
    row("_ZnamRKSt9nothrow_t", Size::Argument(0)),
    row("_ZnwmSt11align_val_t", Size::Argument(0)),
    row("_ZnamSt11align_val_t", Size::Argument(0)),
    row("_ZnwmSt11align_val_tRKSt9nothrow_t", Size::Argument(0)),
    row("_ZnamSt11align_val_tRKSt9nothrow_t", Size::Argument(0)),
];

/// Functions that free what their first argument leads to; further arguments repeat its size and
/// alignment.
const DEALLOCATORS: &[&str] = &[
    "free",
    "cfree",
    "adrt_resource_deallocate",
    "_ZdlPv",
    "_ZdaPv",
    "_ZdlPvm",
    "_ZdaPvm",
    "_ZdlPvRKSt9nothrow_t",
    "_ZdaPvRKSt9nothrow_t",
    "_ZdlPvSt11align_val_t",
    "_ZdaPvSt11align_val_t",
    "_ZdlPvmSt11align_val_t",
    "_ZdaPvmSt11align_val_t",
    "_ZdlPvSt11align_val_tRKSt9nothrow_t",
    "_ZdaPvSt11align_val_tRKSt9nothrow_t",
];

/// The allocator of that symbol.
pub fn allocator(symbol: &str) -> Option<&'static Allocator> {
    ALLOCATORS.iter().find(|a| is_named(symbol, a.symbol))
}

/// Symbols of the functions that allocate blocks of the heap, on the target.
pub fn allocators() -> impl Iterator<Item = String> {
    let of_heap = |a: &&Allocator| a.size != Size::Text && !is_of_resource(a.symbol);
    ALLOCATORS.iter().filter(of_heap).map(|a| on_target(a.symbol))
}

/// Symbols of the functions that free them.
pub fn deallocators() -> impl Iterator<Item = String> {
    DEALLOCATORS.iter().filter(|d| !is_of_resource(d)).map(|d| on_target(d))
}

/// Whether a function gives or takes memory of a resource, which need be no block of the heap.
pub fn is_of_resource(symbol: &str) -> bool {
    symbol.starts_with("adrt_resource_")
}

/// The symbol on the target of a function that has this one for a 64-bit `size_t`.
fn on_target(symbol: &str) -> String {
    let Some(rest) = symbol.strip_prefix("_Z").filter(|_| target::pointer() == 4) else {
        return symbol.into();
    };
    // Two letters name the operator, and `m` is only the size behind it.
    let (operator, parameters) = rest.split_at(2);
    match parameters.strip_prefix("Pvm") {
        Some(end) => format!("_Z{operator}Pvj{end}"),
        None => match parameters.strip_prefix('m') {
            Some(end) => format!("_Z{operator}j{end}"),
            None => symbol.into(),
        },
    }
}

/// The allocator that the user declares a function to be; made once for each.
pub fn allocator_of_user(symbol: &str, size: u32) -> &'static Allocator {
    static KNOWN: Mutex<Vec<&'static Allocator>> = Mutex::new(vec![]);
    let mut known = KNOWN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(&a) = known.iter().find(|a| a.symbol == symbol && a.size == Size::Argument(size)) {
        return a;
    }
    let new: &Allocator = Box::leak(Box::new(row(
        Box::leak(symbol.to_owned().into_boxed_str()),
        Size::Argument(size),
    )));
    known.push(new);
    new
}

/// Whether the function of that symbol frees memory.
pub fn is_deallocator(symbol: &str) -> bool {
    DEALLOCATORS.iter().any(|d| is_named(symbol, d))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_symbol_has_one_row() {
        for (i, a) in ALLOCATORS.iter().enumerate() {
            assert!(ALLOCATORS[i + 1..].iter().all(|b| b.symbol != a.symbol), "{}", a.symbol);
            assert!(!is_deallocator(a.symbol), "{}", a.symbol);
        }
    }

    #[test]
    fn names_with_sizes_are_those_of_the_target() {
        assert!(
            allocator("_Znwm").is_some()
                && allocator("_Znwj").is_none()
                && is_deallocator("_ZdaPvmSt11align_val_t")
        );
        assert!(allocators().chain(deallocators()).all(|s| !s.contains("j")));
        crate::target::as_if_narrow(|| {
            assert!(allocators().all(|s| allocator(&s).is_some()));
            assert!(deallocators().all(|s| is_deallocator(&s)));
            assert!(allocators().any(|s| s == "_ZnajSt11align_val_t"));
            assert!(
                allocator("_Znwj").is_some_and(|a| a.symbol == "_Znwm")
                    && allocator("malloc").is_some()
            );
            assert!(
                is_deallocator("_ZdlPvj")
                    && is_deallocator("_ZdlPv")
                    && is_deallocator("_ZdaPvjSt11align_val_t")
            );
        });
    }

    #[test]
    fn each_operator_new_has_its_delete() {
        for a in ALLOCATORS.iter().filter(|a| a.symbol.starts_with("_Zn")) {
            let delete = a.symbol.replace("_Znwm", "_ZdlPv").replace("_Znam", "_ZdaPv");
            assert!(is_deallocator(&delete), "{} needs {delete}", a.symbol);
        }
    }
}
