//! Calls of functions of one number under the translator, with a shadow for it: in registers on
//! x86-64, on the stack on i386.

use adshadow::{
    machine::state,
    translate::{Mode, engine},
};

#[cfg(target_arch = "x86_64")]
mod machine {
    use super::*;

    /// Value and shadow.
    pub fn of_double(function: u64, mode: Mode, x: f64, shadow: u64) -> (f64, u64) {
        let entry = engine::entry(function, mode).expect("an entry");
        // SAFETY: the entry has the function's signature; the state is this thread's.
        unsafe {
            let f: extern "C" fn(f64) -> f64 = std::mem::transmute(entry as *const ());
            let state = state::of_thread();
            (*state).vectors = [state::Vector::default(); 32];
            (*state).vectors[0].0[0] = shadow;
            (f(x), (*state).vectors[0].0[0])
        }
    }

    /// The same of a float.
    pub fn of_float(function: u64, mode: Mode, x: f32, shadow: u32) -> (f32, u32) {
        let entry = engine::entry(function, mode).expect("an entry");
        // SAFETY: the entry has the signature of the function; the state is this thread's.
        unsafe {
            let f: extern "C" fn(f32) -> f32 = std::mem::transmute(entry as *const ());
            let state = state::of_thread();
            (*state).vectors = [state::Vector::default(); 32];
            (*state).vectors[0].0[0] = shadow.into();
            (f(x), (*state).vectors[0].0[0] as u32)
        }
    }
}

#[cfg(target_arch = "x86")]
mod machine {
    use super::*;
    use adshadow::{
        memory::{indices, space},
        rules::extended::Extended,
    };

    // They put what they are led to on the stack, with its shadow: run under the translator
    // themselves.
    extern "C" fn call_double(f: extern "C" fn(f64) -> f64, x: *const f64) -> f64 {
        // SAFETY: the callers' promise.
        f(unsafe { *x })
    }
    extern "C" fn call_float(f: extern "C" fn(f32) -> f32, x: *const f32) -> f32 {
        // SAFETY: the callers' promise.
        f(unsafe { *x })
    }

    /// The shadow of what is returned in the x87 unit's first register.
    fn shadow() -> [u8; 16] {
        // SAFETY: this thread's.
        unsafe { (*state::of_thread()).x87[7] }
    }

    /// Value and shadow.
    pub fn of_double(function: u64, mode: Mode, x: f64, shadow_of_x: u64) -> (f64, u64) {
        let entry = engine::entry(call_double as *const () as u64, mode).expect("an entry");
        let x = Box::new(x);
        let place = space::of((&raw const *x) as u64) as *mut u64;
        // SAFETY: the entry has the function's signature; the heap has shadows.
        let y = unsafe {
            let f: extern "C" fn(u32, *const f64) -> f64 = std::mem::transmute(entry as *const ());
            place.write(shadow_of_x);
            let y = f(function as u32, &*x);
            place.write(0);
            y
        };
        let bytes = shadow();
        (
            y,
            if mode == Mode::Tangent {
                Extended::load(&bytes).to_f64().to_bits()
            } else {
                u64::from_le_bytes(bytes[..8].try_into().expect("eight"))
            },
        )
    }

    /// The same of a float.
    pub fn of_float(function: u64, mode: Mode, x: f32, shadow_of_x: u32) -> (f32, u32) {
        let entry = engine::entry(call_float as *const () as u64, mode).expect("an entry");
        let x = Box::new(x);
        let place = space::of((&raw const *x) as u64) as *mut u32;
        // SAFETY: the entry has the signature of the function; `place` is shadow memory of `x`,
        // which is on the heap.
        let y = unsafe {
            let f: extern "C" fn(u32, *const f32) -> f32 = std::mem::transmute(entry as *const ());
            place.write(shadow_of_x);
            let y = f(function as u32, &*x);
            place.write(0);
            y
        };
        let bytes = shadow();
        if mode == Mode::Recording {
            // The unit has indices as doubles have them.
            let index =
                indices::index_of_double(u64::from_le_bytes(bytes[..8].try_into().expect("eight")))
                    .expect("an index");
            return (y, index);
        }
        (y, (Extended::load(&bytes).to_f64() as f32).to_bits())
    }
}

pub use machine::{of_double, of_float};
