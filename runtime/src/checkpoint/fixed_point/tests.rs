//! A fixed point whose derivative is known goes through the driver.

use super::{super::regions::adrt_checkpoint_region, adjoint::Adjoint, *};
use crate::tape::{
    adrt_rewind,
    tests::{mark, take},
};

/// `z[0] = cos(z[1]) z[2] / 2`, `z[1] = u z[0]`, from one array to another where they are exchanged;
/// `z[2]` is a parameter. The first step that begins with `stop` steps behind it leaves the loop and
/// does nothing.
#[derive(Clone)]
struct Model {
    z: [[f64; 3]; 2],
    zb: [[f64; 3]; 2],
    /// Which array holds the state.
    now: u64,
    exchanges: bool,
    u: f64,
    ub: f64,
    step: u64,
    stop: u64,
    reversed: u64,
}

impl Model {
    fn new(stop: u64, exchanges: bool) -> Model {
        let z = [[0.1, 0.2, 0.9]; 2];
        let zb = [[0.0; 3]; 2];
        Model { z, zb, now: 0, exchanges, u: 0.7, ub: 0.0, step: 0, stop, reversed: 0 }
    }
    fn run(&mut self) -> u64 {
        if self.step == self.stop {
            return 2;
        }
        let from = self.z[self.now as usize];
        self.now ^= u64::from(self.exchanges);
        let to = &mut self.z[self.now as usize];
        to[0] = from[1].cos() * from[2] / 2.0;
        to[1] = self.u * from[0];
        self.step += 1;
        0
    }
    fn undo(&mut self, from: &[f64; 3], now: u64) {
        let to = now ^ u64::from(self.exchanges);
        let [b0, b1, _] = self.zb[to as usize];
        self.zb[to as usize][..2].fill(0.0);
        let fb = &mut self.zb[now as usize];
        fb[1] -= from[1].sin() * from[2] / 2.0 * b0;
        fb[2] += from[1].cos() / 2.0 * b0;
        fb[0] += self.u * b1;
        self.ub += from[0] * b1;
        self.reversed += 1;
    }
}

struct Records {
    from: [f64; 3],
    now: u64,
    left: u64,
}

unsafe extern "C-unwind" fn advance(env: *mut c_void) -> u64 {
    // SAFETY: the model of the test.
    unsafe { (*env.cast::<Model>()).run() }
}
unsafe extern "C-unwind" fn forward(env: *mut c_void, left: *mut u64) -> *mut c_void {
    // SAFETY: the model of the test; the block has room.
    unsafe {
        let m = &mut *env.cast::<Model>();
        let records = take(size_of::<Records>() as u64).cast::<Records>();
        let (from, now) = (m.z[m.now as usize], m.now);
        *left = m.run();
        records.write(Records { from, now, left: *left });
        records.cast()
    }
}
unsafe extern "C-unwind" fn reverse(env: *mut c_void, records: *mut c_void) {
    // SAFETY: the model of the test, and what `forward` returned.
    unsafe {
        let r = &*records.cast::<Records>();
        if r.left == 0 {
            (*env.cast::<Model>()).undo(&r.from, r.now);
        }
    }
}
const STEPS: Steps = Steps { advance, forward, reverse };

/// The gradient of `z[0] + 2 z[1]`, with a seed of 3 for `z[2]`.
fn gradient(m: &mut Model) {
    let start = mark();
    let z: *mut c_void = m.z.as_mut_ptr().cast();
    adrt_checkpoint_region(z, size_of_val(&m.z) as u64, 1);
    adrt_checkpoint_region((&raw mut m.now).cast(), 8, 1);
    adrt_checkpoint_region((&raw mut m.step).cast(), 8, 1);
    adrt_fixed_point_reals(z, m.zb.as_mut_ptr().cast(), 0, size_of_val(&m.z) as u64, 8, 0);
    // As if it were a pointer.
    adrt_fixed_point_layout((&raw mut m.now).cast(), 8, 1);
    adrt_fixed_point_layout((&raw mut m.step).cast(), 8, 0);
    let mut left = 0;
    let env: *mut c_void = std::ptr::from_mut(m).cast();
    // SAFETY: the model lives on.
    unsafe {
        let run = adrt_fixed_point_forward(1e-15f64.to_bits(), &STEPS, env, &mut left);
        let m = &mut *env.cast::<Model>();
        assert_eq!((left, m.step), (2, m.stop));
        let end = m.z;
        let result = m.now as usize;
        m.zb[result] = [1.0, 2.0, 3.0];
        adrt_fixed_point_reverse(run);
        assert_eq!(m.z, end, "memory as before");
        adrt_rewind(&start);
    }
}

/// Derivatives by `u` and `z[2]` from the equations of the implicit function.
fn implicit(m: &Model) -> (f64, f64) {
    let [z0, z1, p] = m.z[m.now as usize];
    // dz0 = a dz1 + cos(z1)/2 dp, dz1 = u dz0 + z0 du.
    let a = -z1.sin() * p / 2.0;
    let det = 1.0 - a * m.u;
    (a * z0 / det + 2.0 * z0 / det, (1.0 + 2.0 * m.u) * z1.cos() / 2.0 / det)
}

fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-13 * a.abs().max(b.abs())
}

#[test]
fn the_adjoint_is_that_of_the_implicit_function() {
    for stop in [90, 91] {
        let mut m = Model::new(stop, false);
        gradient(&mut m);
        let (by_u, by_p) = implicit(&m);
        assert!(is_close(m.ub, by_u) && is_close(m.zb[0][2], 3.0 + by_p), "{:?} {}", m.zb, m.ub);
        assert_eq!(m.zb[0][..2], [0.0, 0.0], "the first guess has no influence");
        assert!(m.reversed < 70, "{} reversals", m.reversed);
    }
}

#[test]
fn arrays_that_are_exchanged_take_the_adjoint_with_them() {
    for stop in [90, 91] {
        let mut m = Model::new(stop, true);
        gradient(&mut m);
        let (by_u, by_p) = implicit(&m);
        let parameters = m.zb[0][2] + m.zb[1][2];
        assert!(is_close(m.ub, by_u) && is_close(parameters, 3.0 + by_p), "{:?} {}", m.zb, m.ub);
        assert!(m.zb.iter().all(|z| z[..2] == [0.0, 0.0]), "{:?}", m.zb);
    }
}

#[test]
fn words_lie_at_their_phase_and_within_the_range() {
    let object: [f64; 4] = [1.0, 2.0, 3.0, 4.0];
    let at = object.as_ptr() as usize;
    // From byte 4 on, at multiples of 8: words 1 and 2; at 4 modulo 8 none is whole behind byte 20.
    for (range, phase, count) in [(4..24, 0, 2), (4..20, 4, 2), (4..11, 0, 0), (24..24, 0, 0)] {
        // SAFETY: the words lie in the object, and are only read.
        let adjoint = unsafe { Adjoint::new(vec![Piece::new(at, at, range.clone(), 8, phase)]) };
        assert_eq!(adjoint.save().len(), count, "{range:?} {phase}");
    }
}

#[test]
fn integers_that_count_say_nothing_of_where_the_state_lies() {
    let at = Box::into_raw(Box::new([0u32; 2]));
    let start = at as usize;
    let range = regions::Range { start, end: start + 8 };
    let of = |states: &[[u32; 2]]| {
        let begin = mark();
        let copies: Vec<Copy> = states
            .iter()
            .map(|state| {
                let mut copy = Copy::room_for(&[range]);
                // SAFETY: the range is that of the box, which only this test changes.
                unsafe {
                    at.write(*state);
                    copy.save();
                }
                copy
            })
            .collect();
        let mut layout = Layout::default();
        layout.add((start, 4, false));
        layout.add((start + 4, 4, false));
        let kept: Vec<&Copy> = copies.iter().collect();
        let found = (1..4).find(|&n| layout.has_period(n, &kept));
        drop(copies);
        // SAFETY: the mark is of this thread, and nobody uses what was taken since.
        unsafe { adrt_rewind(&begin) };
        found
    };
    assert_eq!(of(&[[9, 1], [8, 1], [7, 1], [6, 1]]), Some(1));
    assert_eq!(of(&[[9, 1], [8, 0], [7, 1], [6, 0]]), Some(2));
    assert_eq!(of(&[[9, 2], [8, 1], [7, 0], [6, 2]]), Some(3));
    // SAFETY: it came from a box, and nobody uses it any more.
    drop(unsafe { Box::from_raw(at) });
}
