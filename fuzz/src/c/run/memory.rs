//! Objects and their cells. Places and widths are in bits, so that bit fields are cells like others.

use std::collections::BTreeMap;

use super::super::{Is, reject};
use crate::dual::Dual;

/// What a cell holds. Duals are copied all the time: a box would cost more than the space.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Scalar {
    Real(Dual),
    Int(i128),
    /// Null, or an object and a byte of it.
    Ptr(Option<(usize, i64)>),
    Func(String),
}

/// A written place.
#[derive(Clone, Debug)]
struct Cell {
    width: usize,
    value: Scalar,
}

/// What a part of an object holds.
#[derive(Clone, Debug, Default)]
pub struct Image {
    cells: BTreeMap<usize, Cell>,
    /// Per bit whether it was set to zero, and nothing was written since.
    zero: Vec<bool>,
}

/// Where an object comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    Variable,
    Heap,
}

struct Object {
    image: Image,
    is_live: bool,
    origin: Origin,
}

/// All objects.
#[derive(Default)]
pub struct Memory {
    objects: Vec<Object>,
}

impl Image {
    /// Of so many bits, undefined.
    fn new(bits: usize) -> Image {
        Image { cells: BTreeMap::new(), zero: vec![false; bits] }
    }

    /// Forgets what lies there; cells of which a part remains are lost as a whole.
    fn clear(&mut self, at: usize, width: usize, is_zero: bool) {
        let before = self.cells.range(..at).next_back().filter(|(b, c)| *b + c.width > at);
        let mut gone: Vec<usize> = before.map(|(b, _)| *b).into_iter().collect();
        gone.extend(self.cells.range(at..at + width).map(|(b, _)| *b));
        gone.iter().for_each(|b| drop(self.cells.remove(b)));
        self.zero[at..at + width].fill(is_zero);
    }

    fn part(&self, at: usize, width: usize) -> Image {
        let whole = self.cells.range(at..at + width).filter(|(b, c)| *b + c.width <= at + width);
        Image {
            cells: whole.map(|(b, c)| (b - at, c.clone())).collect(),
            zero: self.zero[at..at + width].to_vec(),
        }
    }

    fn put(&mut self, at: usize, from: &Image) {
        self.clear(at, from.zero.len(), false);
        self.zero[at..at + from.zero.len()].copy_from_slice(&from.zero);
        self.cells.extend(from.cells.iter().map(|(b, c)| (b + at, c.clone())));
    }

    /// The scalar of all of it, or `None` where it is zero.
    fn scalar(&self) -> Is<Option<Scalar>> {
        match self.cells.get(&0) {
            Some(c) if c.width == self.zero.len() => Ok(Some(c.value.clone())),
            None if self.zero.iter().all(|z| *z) => Ok(None),
            _ => reject("read of what was not written, or not so"),
        }
    }
}

impl Memory {
    /// A new object of so many bytes.
    pub fn allocate(&mut self, bytes: usize, origin: Origin) -> usize {
        self.objects.push(Object { image: Image::new(bytes * 8), is_live: true, origin });
        self.objects.len() - 1
    }

    /// Ends an object.
    pub fn end(&mut self, object: usize, origin: Origin) -> Is<()> {
        let o = &mut self.objects[object];
        if !o.is_live || o.origin != origin {
            return reject("free of what is not allocated");
        }
        o.is_live = false;
        o.image = Image::default();
        Ok(())
    }

    /// Bytes of an object.
    pub fn size(&self, object: usize) -> usize {
        self.objects[object].image.zero.len() / 8
    }

    /// How many blocks of the heap were not freed.
    pub fn leaks(&self) -> usize {
        self.objects.iter().filter(|o| o.is_live && o.origin == Origin::Heap).count()
    }

    fn within(&mut self, object: usize, at: i64, width: usize) -> Is<(&mut Image, usize)> {
        let o = &mut self.objects[object];
        if !o.is_live {
            return reject("dangling pointer");
        }
        if at < 0 || at as usize + width > o.image.zero.len() {
            return reject("out of bounds");
        }
        Ok((&mut o.image, at as usize))
    }

    /// What lies there.
    pub fn read(&mut self, object: usize, at: i64, width: usize) -> Is<Image> {
        let (image, at) = self.within(object, at, width)?;
        Ok(image.part(at, width))
    }

    /// Writes an image.
    pub fn write(&mut self, object: usize, at: i64, image: &Image) -> Is<()> {
        let (to, at) = self.within(object, at, image.zero.len())?;
        to.put(at, image);
        Ok(())
    }

    /// Sets bits to zero.
    pub fn zero(&mut self, object: usize, at: i64, width: usize) -> Is<()> {
        let (to, at) = self.within(object, at, width)?;
        to.clear(at, width, true);
        Ok(())
    }

    /// The scalar there, or `None` where it is zero.
    pub fn load(&mut self, object: usize, at: i64, width: usize) -> Is<Option<Scalar>> {
        self.read(object, at, width)?.scalar()
    }

    /// Writes a scalar.
    pub fn store(&mut self, object: usize, at: i64, width: usize, value: Scalar) -> Is<()> {
        let (to, at) = self.within(object, at, width)?;
        to.clear(at, width, false);
        to.cells.insert(at, Cell { width, value });
        Ok(())
    }
}
