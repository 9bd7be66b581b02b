//! Strings of metadata: a record with a blob of bits in which their sizes stand, six at a time, and
//! their bytes behind it.

use super::{reader::Bits, writer::Writer};

/// The sizes of `count` strings that bits tell. None where LLVM would write them in another way.
pub fn sizes(bits: &[u8], count: u64) -> Option<Vec<u64>> {
    let mut reader = Bits::new(bits);
    let mut sizes = vec![];
    for _ in 0..count {
        sizes.push(reader.vbr(6)?);
    }
    (bits_of(&sizes) == bits).then_some(sizes)
}

/// The bits that tell these sizes.
pub fn bits_of(sizes: &[u64]) -> Vec<u8> {
    let mut writer = Writer::bare();
    sizes.iter().for_each(|&size| writer.vbr(size, 6));
    writer.align();
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_come_back() {
        for list in [vec![], vec![0], vec![31, 32, 1 << 40, 7]] {
            let bits = bits_of(&list);
            assert_eq!(sizes(&bits, list.len() as u64), Some(list));
        }
        assert_eq!(sizes(&[0; 8], 1), None);
        assert_eq!(sizes(&[0; 4], 9), None);
    }
}
