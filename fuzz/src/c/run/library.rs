//! Functions of the C library: memory, text, sorting, mathematics.

use super::super::types::INT;
use super::*;
use crate::libm;

impl Run<'_> {
    /// Calls one.
    pub(super) fn library(&mut self, name: &str, args: Vec<Typed>) -> Is<Typed> {
        let get = |k: usize| args.get(k).ok_or("arguments");
        let void = Type::Void.pointer();
        let int = |v: i128| (Value::Scalar(Scalar::Int(v)), Type::Int(INT));
        Ok(match name {
            "malloc" | "calloc" => {
                let mut bytes = self.int(get(0)?)? as usize;
                if name == "calloc" {
                    bytes *= self.int(get(1)?)? as usize;
                }
                if bytes == 0 {
                    return reject("an empty block");
                }
                let object = self.memory.allocate(bytes, Origin::Heap);
                if name == "calloc" {
                    self.memory.zero(object, 0, bytes * 8)?;
                }
                (pointer(object, 0), void)
            }
            "realloc" => {
                let bytes = self.int(get(1)?)? as usize;
                let object = self.memory.allocate(bytes.max(1), Origin::Heap);
                if let Some((old, at)) = self.pointed(get(0)?)? {
                    let kept = self.memory.size(old).min(bytes) * 8;
                    let image = self.memory.read(old, at, kept)?;
                    self.memory.write(object, 0, &image)?;
                    self.free(get(0)?)?;
                }
                (pointer(object, 0), void)
            }
            "free" => {
                self.free(get(0)?)?;
                (Value::Void, Type::Void)
            }
            "memcpy" | "memmove" => {
                let bits = self.int(get(2)?)? as usize * 8;
                let (to, from) = (self.pointed(get(0)?)?, self.pointed(get(1)?)?);
                let (to, from) = (to.ok_or("null pointer")?, from.ok_or("null pointer")?);
                let distance = (to.1 - from.1).unsigned_abs() as usize * 8;
                if name == "memcpy" && to.0 == from.0 && distance < bits {
                    return reject("overlap");
                }
                let image = self.memory.read(from.0, from.1 * 8, bits)?;
                self.memory.write(to.0, to.1 * 8, &image)?;
                args[0].clone()
            }
            "memset" => {
                if self.int(get(1)?)? != 0 {
                    return reject("memset of another value");
                }
                let (object, at) = self.pointed(get(0)?)?.ok_or("null pointer")?;
                self.memory.zero(object, at * 8, self.int(get(2)?)? as usize * 8)?;
                args[0].clone()
            }
            "strlen" => int(self.text(get(0)?, usize::MAX)?.len() as i128 - 1),
            "strcmp" | "strncmp" => {
                let most = if name == "strcmp" { usize::MAX } else { self.int(get(2)?)? as usize };
                let (a, b) = (self.text(get(0)?, most)?, self.text(get(1)?, most)?);
                int(a.cmp(&b) as i128)
            }
            "strcpy" | "strncpy" => {
                let most = if name == "strcpy" { usize::MAX } else { self.int(get(2)?)? as usize };
                let text = self.text(get(1)?, most)?;
                let (object, at) = self.pointed(get(0)?)?.ok_or("null pointer")?;
                let padded = if name == "strcpy" { text.len() } else { most };
                for k in 0..padded {
                    let c = i128::from(text.get(k).copied().unwrap_or(0));
                    self.memory.store(object, (at + k as i64) * 8, 8, Scalar::Int(c))?;
                }
                args[0].clone()
            }
            "qsort" => {
                self.sort(&args)?;
                (Value::Void, Type::Void)
            }
            "abs" => int(self.int(get(0)?)?.abs()),
            _ => self.mathematics(name, &args)?,
        })
    }

    fn free(&mut self, p: &Typed) -> Is<()> {
        match self.pointed(p)? {
            None => Ok(()),
            Some((object, 0)) => self.memory.end(object, Origin::Heap),
            Some(_) => reject("free of a part"),
        }
    }

    /// The characters up to the zero and with it, or so many.
    fn text(&mut self, p: &Typed, most: usize) -> Is<Vec<u8>> {
        let (object, at) = self.pointed(p)?.ok_or("null pointer")?;
        let mut all = vec![];
        while all.len() < most && all.last() != Some(&0) {
            match self.memory.load(object, (at + all.len() as i64) * 8, 8)? {
                Some(Scalar::Int(c)) => all.push(c as u8),
                None => all.push(0),
                _ => return reject("no character"),
            }
        }
        Ok(all)
    }

    /// Sorts by insertion. Elements that are equal may come in any order: they reject.
    fn sort(&mut self, args: &[Typed]) -> Is<()> {
        let [base, count, size, (Value::Scalar(Scalar::Func(less)), _)] = args else {
            return reject("arguments");
        };
        let (object, start) = self.pointed(base)?.ok_or("null pointer")?;
        let (count, size) = (self.int(count)? as i64, self.int(size)? as i64);
        let at = |k: i64| start + k * size;
        for i in 1..count {
            for k in (1..=i).rev() {
                let side = |k| (pointer(object, at(k)), Type::Void.pointer());
                let order = self.call(less, vec![side(k - 1), side(k)])?;
                match self.int(&order)? {
                    0 => return reject("equal elements"),
                    v if v < 0 => break,
                    _ => {}
                }
                let bits = size as usize * 8;
                let first = self.memory.read(object, at(k - 1) * 8, bits)?;
                let second = self.memory.read(object, at(k) * 8, bits)?;
                self.memory.write(object, at(k - 1) * 8, &second)?;
                self.memory.write(object, at(k) * 8, &first)?;
            }
        }
        Ok(())
    }

    fn mathematics(&mut self, name: &str, args: &[Typed]) -> Is<Typed> {
        let mut duals = vec![];
        for a in args {
            duals.push(self.real(a)?);
        }
        let values: Vec<f64> = duals.iter().map(|d| d.value).collect();
        let (value, partials) = libm::evaluate(name, Real::F64, &values)
            .ok_or_else(|| format!("{name} is unknown, or has a kink here"))?;
        let terms: Vec<_> = partials.iter().copied().zip(&duals).collect();
        // A partial such as 1 - tanh² loses digits of its own.
        let coarse = if partials.iter().all(|p| p.fract() == 0.0) { 0.0 } else { 1e-3 };
        let d = Dual::apply(value, &terms, coarse);
        Ok((self.convert((Value::Scalar(Scalar::Real(d)), DOUBLE), &DOUBLE)?, DOUBLE))
    }
}
