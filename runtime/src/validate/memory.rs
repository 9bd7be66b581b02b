//! The reals that are perturbed and compared: where each lies, and where its shadow lies.
//!
//! How far an object goes is known of blocks of the heap that the program's code has allocated, of
//! variables, and of what a function is seen to access. What is not known is left out.

use super::description::{Description, Item, Kind, Layout, Object};
use crate::blocks;
use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Most reals of one check.
const MOST: usize = 1 << 20;
/// Pointers that are followed, one behind the other.
const DEEPEST: usize = 8;

/// Variables, start and end, in the order in which they became known.
static OBJECTS: Mutex<Vec<(usize, usize)>> = Mutex::new(vec![]);
/// The same, on the stack: until the request is over.
static LOCALS: Mutex<Vec<(usize, usize)>> = Mutex::new(vec![]);

fn locked(list: &Mutex<Vec<(usize, usize)>>) -> MutexGuard<'_, Vec<(usize, usize)>> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes a variable of the program.
pub fn add(start: usize, end: usize) {
    locked(&OBJECTS).push((start, end));
}

/// Notes a variable on the stack.
pub fn add_local(start: usize, end: usize) {
    locked(&LOCALS).push((start, end));
}

/// Forgets those on the stack.
pub fn forget_locals() {
    locked(&LOCALS).clear();
}

/// The end of the object in which an address lies.
fn end_of(address: usize) -> Option<usize> {
    if let Some((start, bytes)) = blocks::containing(address) {
        return Some(start + bytes);
    }
    let end = |list: &Mutex<Vec<(usize, usize)>>| {
        let list = locked(list);
        // What is seen to be accessed of a variable may be a part of it.
        let mine = list.iter().filter(|(start, end)| (*start..*end).contains(&address));
        mine.map(|(_, end)| *end).max()
    };
    end(&LOCALS).max(end(&OBJECTS))
}

/// How a real takes part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A parameter by value.
    Input,
    /// The result.
    Output,
    /// Memory: what it holds before is an input, what it holds afterwards an output.
    Both,
}

/// A real.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Real {
    pub primal: usize,
    pub shadow: usize,
    pub kind: Kind,
    pub role: Role,
    /// Which of the names it belongs to, and its number there.
    pub name: usize,
    pub number: usize,
}

impl Real {
    pub fn is_input(&self) -> bool {
        self.role != Role::Output
    }
    pub fn is_output(&self) -> bool {
        self.role != Role::Input
    }
    /// # Safety
    /// It is there.
    pub unsafe fn value(&self) -> f64 {
        // SAFETY: the caller's promise.
        unsafe { load(self.primal, self.kind) }
    }
    /// # Safety
    /// Its shadow is there.
    pub unsafe fn dot(&self) -> f64 {
        // SAFETY: the caller's promise.
        unsafe { load(self.shadow, self.kind) }
    }
    /// # Safety
    /// It is there.
    pub unsafe fn set_value(&self, x: f64) {
        // SAFETY: the caller's promise.
        unsafe { store(self.primal, self.kind, x) }
    }
    /// # Safety
    /// Its shadow is there.
    pub unsafe fn set_dot(&self, x: f64) {
        // SAFETY: the caller's promise.
        unsafe { store(self.shadow, self.kind, x) }
    }
}

/// # Safety
/// A real of that kind lies there.
unsafe fn load(at: usize, kind: Kind) -> f64 {
    // SAFETY: the caller's promise.
    unsafe {
        match kind {
            Kind::Single => f64::from((at as *const f32).read_unaligned()),
            Kind::Double => (at as *const f64).read_unaligned(),
            Kind::Extended => extended::read((at as *const [u8; 10]).read_unaligned()),
        }
    }
}

/// # Safety
/// A real of that kind lies there.
unsafe fn store(at: usize, kind: Kind, x: f64) {
    // SAFETY: the caller's promise.
    unsafe {
        match kind {
            Kind::Single => (at as *mut f32).write_unaligned(x as f32),
            Kind::Double => (at as *mut f64).write_unaligned(x),
            Kind::Extended => (at as *mut [u8; 10]).write_unaligned(extended::write(x)),
        }
    }
}

/// The 80 bits of x87 registers.
mod extended {
    const BIAS: i32 = 16383;

    /// The nearest double, but that digits beyond it are cut off.
    pub fn read(bytes: [u8; 10]) -> f64 {
        let digits = u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes"));
        let head = u16::from_le_bytes([bytes[8], bytes[9]]);
        let (sign, exponent) = (head >> 15 != 0, i32::from(head & 0x7fff));
        let size = match exponent {
            0x7fff if digits << 1 == 0 => f64::INFINITY,
            0x7fff => f64::NAN,
            _ if digits == 0 => 0.0,
            // Twice, for the power alone may be out of range.
            _ => {
                let power = exponent - BIAS - 63;
                digits as f64 * 2f64.powi(power / 2) * 2f64.powi(power - power / 2)
            }
        };
        if sign { -size } else { size }
    }

    pub fn write(x: f64) -> [u8; 10] {
        let bits = x.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
        let sign = ((bits >> 63) as u16) << 15;
        let (head, digits) = match (exponent, fraction) {
            (0, 0) => (0, 0),
            (0, _) => {
                let shift = fraction.leading_zeros();
                ((BIAS - 1022 + 11 - shift as i32) as u16, fraction << shift)
            }
            (0x7ff, _) => (0x7fff, 1 << 63 | fraction << 11),
            _ => ((exponent - 1023 + BIAS) as u16, 1 << 63 | fraction << 11),
        };
        let mut bytes = [0; 10];
        bytes[..8].copy_from_slice(&digits.to_le_bytes());
        bytes[8..].copy_from_slice(&(sign | head).to_le_bytes());
        bytes
    }
}

/// What is checked.
#[derive(Clone, Default)]
pub struct Reals {
    /// Sorted by address, each once.
    pub all: Vec<Real>,
    pub names: Vec<String>,
    /// Arguments of which nothing is known.
    pub left_out: Vec<String>,
    /// Arguments that share memory with constant ones.
    pub shared: Vec<(String, String)>,
}

impl Reals {
    /// Finds the reals that arguments and variables lead to.
    ///
    /// # Safety
    /// The frame is as the description says, and pointers in it lead to what it says.
    pub unsafe fn find(of: &Description, frame: *mut u8) -> Reals {
        let mut finder = Finder { of, found: Reals::default(), seen: BTreeSet::new() };
        for item in &of.items {
            // SAFETY: the caller's promise.
            unsafe { finder.item(item, frame as usize) }
        }
        finder.found.settle();
        for item in &of.items {
            if let Item::Constant { name, value } = item {
                // SAFETY: the caller's promise.
                let pointer = unsafe { frame.add(*value).cast::<usize>().read() };
                finder.found.leave_constant(name, pointer);
            }
        }
        finder.found
    }

    /// Leaves out arguments in whose memory a constant argument leads: differences would move both.
    fn leave_constant(&mut self, constant: &str, pointer: usize) {
        for name in 0..self.names.len() {
            let mine = self.all.iter().filter(|r| r.name == name && r.role == Role::Both);
            let (low, high) = mine.fold((usize::MAX, 0), |(low, high), r| {
                (low.min(r.primal), high.max(r.primal + r.kind.bytes()))
            });
            if (low..high).contains(&pointer) {
                self.all.retain(|r| r.name != name);
                self.shared.push((self.names[name].clone(), constant.into()));
            }
        }
    }

    /// Leaves out what has two shadows, and shadows that are primals or shared.
    fn settle(&mut self) {
        self.all.sort_by_key(|r| (r.primal, r.shadow));
        self.all.dedup_by_key(|r| (r.primal, r.shadow, r.kind.bytes()));
        let overlap =
            |a: (usize, Kind), b: (usize, Kind)| a.0 < b.0 + b.1.bytes() && b.0 < a.0 + a.1.bytes();
        let mut bad = BTreeSet::new();
        for pair in self.all.windows(2) {
            if overlap((pair[0].primal, pair[0].kind), (pair[1].primal, pair[1].kind)) {
                bad.extend([pair[0].primal, pair[1].primal]);
            }
        }
        // By address: primals, and shadows after them.
        let mut places: Vec<(usize, Kind, bool, usize)> = vec![];
        for r in &self.all {
            places.push((r.primal, r.kind, false, r.primal));
            places.push((r.shadow, r.kind, true, r.primal));
        }
        places.sort_by_key(|p| (p.0, p.2));
        for pair in places.windows(2) {
            if (pair[0].2 || pair[1].2) && overlap((pair[0].0, pair[0].1), (pair[1].0, pair[1].1)) {
                bad.extend([pair[0].3, pair[1].3]);
            }
        }
        self.all.retain(|r| !bad.contains(&r.primal));
    }

    /// Those in memory alone.
    pub fn memory(&self) -> Reals {
        let all = self.all.iter().filter(|r| r.role == Role::Both).copied().collect();
        Reals { all, names: self.names.clone(), ..Reals::default() }
    }

    /// Adds an object.
    pub fn add(&mut self, name: &str, layout: &Layout, places: (usize, usize), bytes: usize) {
        let of = &Description::default();
        let mut finder = Finder { of, found: std::mem::take(self), seen: BTreeSet::new() };
        finder.found.names.push(name.into());
        let number = finder.found.names.len() - 1;
        finder.reals(layout, places, (0, Some(bytes as i64)), Role::Both, number);
        *self = finder.found;
    }

    /// Takes out what lies in a block.
    pub fn remove(&mut self, start: usize, bytes: usize) {
        self.all.retain(|r| !(start..start + bytes).contains(&r.primal));
    }

    /// These and others.
    pub fn with(mut self, others: &Reals) -> Reals {
        let first = self.names.len();
        self.names.extend(others.names.iter().cloned());
        let rest = MOST.saturating_sub(self.all.len());
        self.all.extend(others.all.iter().take(rest).map(|r| Real { name: first + r.name, ..*r }));
        self.settle();
        self
    }

    /// How many reals there are of each name.
    pub fn summary(&self) -> String {
        let of = |(i, name): (usize, &String)| {
            let count = self.all.iter().filter(|r| r.name == i).count();
            (count > 0).then(|| format!("{name} ({count})"))
        };
        self.names.iter().enumerate().filter_map(of).collect::<Vec<_>>().join(", ")
    }

    /// What a real is called.
    pub fn name(&self, r: &Real) -> String {
        let name = &self.names[r.name];
        let is_one = self.all.iter().filter(|o| o.name == r.name).take(2).count() == 1;
        if is_one || r.role != Role::Both { name.clone() } else { format!("{name}[{}]", r.number) }
    }
}

struct Finder<'a> {
    of: &'a Description,
    found: Reals,
    seen: BTreeSet<(usize, usize, usize)>,
}

impl Finder<'_> {
    /// # Safety
    /// As of [`Reals::find`].
    unsafe fn item(&mut self, item: &Item, frame: usize) {
        // SAFETY: the caller's promise.
        let word = |at: usize| unsafe { ((frame + at) as *const usize).read() };
        // SAFETY: the caller's promise.
        let wide = |at: usize| unsafe { ((frame + at) as *const u64).read() as usize };
        let name = self.found.names.len();
        match item {
            Item::Constant { .. } => {}
            Item::Value { name: text, value, shadow, layout } => {
                self.found.names.push(text.clone());
                self.reals(layout, (frame + value, frame + shadow), (0, None), Role::Input, name);
            }
            Item::Result { value, shadow, layout } => {
                self.found.names.push("the result".into());
                self.reals(layout, (frame + value, frame + shadow), (0, None), Role::Output, name);
            }
            Item::Global { name: text, value, shadow, bytes, layout } => {
                self.found.names.push(text.clone());
                let places = (word(*value), word(*shadow));
                self.reals(layout, places, (0, Some(*bytes as i64)), Role::Both, name);
            }
            Item::Pointer { name: text, value, shadow, spans, object, only_reads } => {
                self.found.names.push(text.clone());
                let [own, behind] = [0, 16].map(|at| (wide(spans + at), wide(spans + at + 8)));
                let places = (word(*value), word(*shadow));
                if own.0 < own.1 {
                    add_local(own.0.max(places.0), own.1);
                }
                let before = self.found.all.len();
                // SAFETY: the caller's promise.
                unsafe { self.follow(*object, places, [own, behind], name, 0) }
                if *only_reads {
                    self.found.all[before..].iter_mut().for_each(|r| r.role = Role::Input);
                }
                if self.found.all.len() == before && places.0 != 0 && places.1 != 0 {
                    self.found.left_out.push(text.clone());
                }
            }
        }
    }

    fn reals(
        &mut self,
        layout: &Layout,
        (primal, shadow): (usize, usize),
        (low, high): (i64, Option<i64>),
        role: Role,
        name: usize,
    ) {
        let first = self.found.all.len();
        for &(kind, place) in layout {
            let rest = MOST.saturating_sub(self.found.all.len());
            self.found.all.extend(place.within(low, high, kind.bytes() as i64).take(rest).map(
                |at| Real {
                    primal: primal.wrapping_add_signed(at as isize),
                    shadow: shadow.wrapping_add_signed(at as isize),
                    kind,
                    role,
                    name,
                    number: 0,
                },
            ));
        }
        self.found.all[first..].sort_by_key(|r| r.primal);
        self.found.all[first..].iter_mut().enumerate().for_each(|(i, r)| r.number = i);
    }

    /// # Safety
    /// The pointer leads to the object, the other to its shadow.
    unsafe fn follow(
        &mut self,
        object: usize,
        (primal, shadow): (usize, usize),
        spans: [(usize, usize); 2],
        name: usize,
        depth: usize,
    ) {
        let known: Option<&Object> = self.of.objects.get(&object);
        let Some(known) = known.filter(|_| {
            primal != 0
                && shadow != 0
                && primal != shadow
                && depth < DEEPEST
                && self.found.all.len() < MOST
                && self.seen.insert((object, primal, shadow))
        }) else {
            return;
        };
        let room = |end: Option<usize>, from: usize| end.map(|end| (end - from) as i64);
        let objects = [room(end_of(primal), primal), room(end_of(shadow), shadow)];
        let accessed = (spans[0].0 < spans[0].1).then(|| {
            let at = |address: usize| (address as i64).wrapping_sub(primal as i64);
            (at(spans[0].0).max(0), at(spans[0].1))
        });
        let end = objects.into_iter().flatten().chain(accessed.map(|a| a.1)).min();
        let low = accessed.map_or(0, |a| a.0);
        self.reals(&known.layout, (primal, shadow), (low, end), Role::Both, name);
        let pointer = size_of::<usize>() as i64;
        for &(place, target) in &known.pointers {
            // Only where it is sure that there is memory.
            for at in place.within(0, end, pointer).take(MOST) {
                let read = |from: usize| {
                    // SAFETY: the caller's promise.
                    unsafe {
                        (from.wrapping_add_signed(at as isize) as *const usize).read_unaligned()
                    }
                };
                let next = (read(primal), read(shadow));
                let inner = spans[1];
                let is_within = inner.0 < inner.1 && (inner.0..inner.1).contains(&next.0);
                let own = if is_within { (next.0, inner.1) } else { (0, 0) };
                // SAFETY: the caller's promise.
                unsafe { self.follow(target, next, [own, spans[1]], name, depth + 1) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extended_reals_are_doubles_again() {
        for x in [0.0, 1.0, -2.5, 1e-310, 1e300, f64::MIN_POSITIVE, f64::INFINITY, -1.0 / 3.0] {
            assert_eq!(extended::read(extended::write(x)), x);
        }
        assert!(extended::read(extended::write(f64::NAN)).is_nan());
        // 1 as the processor stores it.
        assert_eq!(extended::write(1.0), [0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f]);
    }

    fn real(primal: usize, shadow: usize) -> Real {
        Real { primal, shadow, kind: Kind::Double, role: Role::Both, name: 0, number: 0 }
    }
    fn kept(all: &[Real]) -> Vec<usize> {
        let mut reals = Reals { all: all.to_vec(), ..Reals::default() };
        reals.settle();
        reals.all.iter().map(|r| r.primal).collect()
    }

    #[test]
    fn each_real_has_one_shadow_apart() {
        assert_eq!(kept(&[real(8, 100), real(0, 92), real(8, 100)]), [0, 8]);
        assert_eq!(kept(&[real(0, 100), real(0, 200), real(8, 108)]), [8]);
        assert_eq!(kept(&[real(0, 100), real(8, 100), real(16, 200)]), [16]);
        assert_eq!(kept(&[real(0, 8), real(8, 100)]), [0usize; 0]);
        assert_eq!(kept(&[real(0, 0)]), [0usize; 0]);
    }

    #[test]
    fn arrays_behind_pointers_are_found() {
        let (values, dots) = ([1.0f64, 2.0, 3.0], [0.0f64; 3]);
        let (mine, beside) = ([values.as_ptr() as usize], [dots.as_ptr() as usize]);
        add(mine.as_ptr() as usize, mine.as_ptr() as usize + size_of::<usize>());
        add(values.as_ptr() as usize, values.as_ptr() as usize + 24);
        let text = "F\tf\t\t\nP\tx\t0\t16\t32\t0\nO\t0\t\nB\t0\t0/0\t1\nO\t1\td0/8";
        let mut frame = [0u64; 8];
        frame[0] = mine.as_ptr() as u64;
        frame[2] = beside.as_ptr() as u64;
        // SAFETY: the frame is as the text says.
        let found = unsafe { Reals::find(&Description::read(text), frame.as_mut_ptr().cast()) };
        let places: Vec<_> = found.all.iter().map(|r| (r.primal, r.shadow)).collect();
        let place = |i: usize| (values.as_ptr() as usize + 8 * i, dots.as_ptr() as usize + 8 * i);
        assert_eq!(places, [place(0), place(1), place(2)]);
        assert_eq!(found.name(&found.all[2]), "x[2]");
    }
}
