//! What the compiler says of a function that is checked: its arguments, where they lie in the frame,
//! and what the memory holds that they lead to (pass/src/codegen/validate/text.rs writes it).
//!
//! Lines of fields between tabs; the first field is the line's kind:
//!   F name, definition, place                         the function, and where it is asked for
//!   N                                                 it is declared inactive
//!   K single or half                                  of which precision some of its code is
//!   V name, value, shadow, layout                     a real by value: offsets in the frame
//!   P name, value, shadow, spans, object              a pointer with a shadow
//!   I name, value, shadow, spans, object              the same, where only what is read counts
//!   C name, value                                     a pointer without shadow
//!   R value, shadow, layout                           the result
//!   G name, address, shadow, bytes, layout            a global variable with a shadow
//!   O object, layout                                  what an object holds
//!   B object, place, object                           to what a pointer in an object leads
//! A layout lists kinds of reals with their places: `d0/8,f16/0` are doubles at each multiple of 8,
//! and a float at 16.

use std::collections::BTreeMap;

/// A kind of reals that can be checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `float`
    Single,
    /// `double`
    Double,
    /// `long double` of x86
    Extended,
}

impl Kind {
    /// Bytes that are read and written.
    pub fn bytes(self) -> usize {
        match self {
            Kind::Single => 4,
            Kind::Double => 8,
            Kind::Extended => 10,
        }
    }
}

/// Places in an object: at `constant`, and if `stride` is not 0, at all distances of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Of one of them.
    pub constant: i64,
    /// Zero if there is no other.
    pub stride: u64,
}

impl Place {
    fn read(text: &str) -> Option<Place> {
        let (constant, stride) = text.split_once('/')?;
        Some(Place { constant: constant.parse().ok()?, stride: stride.parse().ok()? })
    }
    /// The places of `bytes` bytes each between two distances. Without an end, only the one that
    /// is known for sure.
    pub fn within(self, low: i64, high: Option<i64>, bytes: i64) -> impl Iterator<Item = i64> {
        let (first, step, high) = match (self.stride as i64, high) {
            (0, high) => (self.constant, i64::MAX, high.unwrap_or(i64::MAX)),
            (_, None) => (0, 1, i64::MIN),
            (stride, Some(high)) => (low + (self.constant - low).rem_euclid(stride), stride, high),
        };
        std::iter::successors(Some(first), move |at| at.checked_add(step))
            .take_while(move |at| at.checked_add(bytes).is_some_and(|end| end <= high))
            .filter(move |at| *at >= low)
    }
}

/// Reals of one kind.
pub type Layout = Vec<(Kind, Place)>;

/// Reads a layout.
pub fn layout(text: &str) -> Layout {
    let entry = |word: &str| {
        let kind = match word.as_bytes().first()? {
            b'f' => Kind::Single,
            b'd' => Kind::Double,
            b'x' => Kind::Extended,
            _ => return None,
        };
        Some((kind, Place::read(&word[1..])?))
    };
    text.split(',').filter_map(entry).collect()
}

/// What is behind a name.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// The reals in it.
    pub layout: Layout,
    /// Pointers in it, and to what they lead.
    pub pointers: Vec<(Place, usize)>,
}

/// An argument or a variable.
#[derive(Clone, Debug)]
pub enum Item {
    /// In the frame, as its shadow.
    Value { name: String, value: usize, shadow: usize, layout: Layout },
    /// The frame holds the pointer, its shadow, and where accesses lie: to what it leads to, and to what
    /// pointers there lead to, each a start and an end that are equal where nothing is known.
    Pointer {
        name: String,
        value: usize,
        shadow: usize,
        spans: usize,
        object: usize,
        only_reads: bool,
    },
    /// The frame holds the pointer.
    Constant { name: String, value: usize },
    /// In the frame, as its shadow.
    Result { value: usize, shadow: usize, layout: Layout },
    /// The frame holds both addresses.
    Global { name: String, value: usize, shadow: usize, bytes: usize, layout: Layout },
}

/// All of it.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// The function, as the source has it.
    pub name: String,
    /// Where it is defined; empty if nothing says it.
    pub definition: String,
    /// Where it is asked for.
    pub place: String,
    /// Whether it is declared inactive.
    pub is_inactive: bool,
    /// Whether it, or what it calls, computes with `float`; with reals of 16 bits.
    pub is_single: bool,
    /// Likewise.
    pub is_half: bool,
    /// Arguments and variables.
    pub items: Vec<Item>,
    /// By number.
    pub objects: BTreeMap<usize, Object>,
}

impl Description {
    /// Reads a description. What does not have its form is left out.
    pub fn read(text: &str) -> Description {
        let mut all = Description::default();
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            if all.take(&fields).is_none() {
                debug_assert!(false, "not a description: {line}");
            }
        }
        all
    }

    fn take(&mut self, fields: &[&str]) -> Option<()> {
        let number = |text: &str| text.parse::<usize>().ok();
        match *fields {
            ["F", name, definition, place] => {
                (self.name, self.definition, self.place) =
                    (name.into(), definition.into(), place.into());
            }
            ["N"] => self.is_inactive = true,
            ["K", "half"] => self.is_half = true,
            ["K", "single"] => self.is_single = true,
            ["V", name, value, shadow, all] => self.items.push(Item::Value {
                name: name.into(),
                value: number(value)?,
                shadow: number(shadow)?,
                layout: layout(all),
            }),
            [kind @ ("P" | "I"), name, value, shadow, spans, object] => {
                self.items.push(Item::Pointer {
                    only_reads: kind == "I",
                    name: name.into(),
                    value: number(value)?,
                    shadow: number(shadow)?,
                    spans: number(spans)?,
                    object: number(object)?,
                })
            }
            ["C", name, value] => {
                self.items.push(Item::Constant { name: name.into(), value: number(value)? })
            }
            ["R", value, shadow, all] => self.items.push(Item::Result {
                value: number(value)?,
                shadow: number(shadow)?,
                layout: layout(all),
            }),
            ["G", name, value, shadow, bytes, all] => self.items.push(Item::Global {
                name: name.into(),
                value: number(value)?,
                shadow: number(shadow)?,
                bytes: number(bytes)?,
                layout: layout(all),
            }),
            ["O", object, all] => {
                self.objects.entry(number(object)?).or_default().layout = layout(all);
            }
            ["B", object, place, target] => {
                let pointer = (Place::read(place)?, number(target)?);
                self.objects.entry(number(object)?).or_default().pointers.push(pointer);
            }
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lie_between_the_ends() {
        let all = |constant, stride, low, high| {
            Place { constant, stride }.within(low, high, 8).collect::<Vec<_>>()
        };
        assert_eq!(all(0, 8, 0, Some(24)), [0, 8, 16]);
        assert_eq!(all(8, 24, 0, Some(60)), [8, 32]);
        assert_eq!(all(0, 16, 8, Some(41)), [16, 32]);
        assert_eq!(all(16, 0, 0, Some(24)), [16]);
        assert_eq!(all(16, 0, 0, Some(20)), [0i64; 0]);
        assert_eq!(all(16, 0, 0, None), [16], "an access to it is known");
        assert_eq!(all(0, 8, 0, None), [0i64; 0], "it is not known how many there are");
    }

    #[test]
    fn descriptions_are_read() {
        let text = "F\tf\ta.c:3\t[requested at a.c:9:1]\nV\tx\t0\t16\td0/0\nP\ty\t32\t48\t64\t0\n\
            R\t96\t112\tf0/0\nO\t0\td0/8\nB\t0\t16/0\t1\nO\t1\tx0/16";
        let all = Description::read(text);
        assert_eq!((all.name.as_str(), all.definition.as_str()), ("f", "a.c:3"));
        assert_eq!(all.items.len(), 3);
        assert_eq!(all.objects[&0].layout, [(Kind::Double, Place { constant: 0, stride: 8 })]);
        assert_eq!(all.objects[&0].pointers, [(Place { constant: 16, stride: 0 }, 1)]);
        assert_eq!(all.objects[&1].layout[0].0, Kind::Extended);
    }
}
