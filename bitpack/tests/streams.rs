//! Streams that are built by hand or by chance come back, and broken bytes are errors.

use adbitpack::{
    Error, Primer,
    bitstream::{Abbreviation, Item, Operand, Record, Tail, Writer, read},
    pack, unpack,
};
use proptest::prelude::*;

fn written(items: &[Item]) -> Vec<u8> {
    let mut writer = Writer::new(1 << 20, true);
    for item in items {
        writer.write(item).expect("it can stand here");
    }
    writer.finish()
}

fn record(abbreviation: u32, code: u64, ops: &[u64]) -> Item {
    Item::Record(Record { abbreviation, code, ops: ops.to_vec(), blob: vec![] })
}

fn abbreviation(scalars: &[Operand], tail: Tail) -> Item {
    Item::Define(Abbreviation { scalars: scalars.to_vec(), tail })
}

/// A block with all there is: an abbreviation of another block, arrays, bytes, large numbers.
fn all() -> Vec<Item> {
    let mut items = vec![
        Item::Enter(8, 3),
        Item::Enter(0, 2),
        record(3, 1, &[11]),
        abbreviation(&[Operand::Literal(9), Operand::Vbr(6)], Tail::Array(Operand::Char6)),
        Item::Leave,
        abbreviation(&[Operand::Fixed(5), Operand::Fixed(64), Operand::Char6], Tail::None),
        abbreviation(&[Operand::Literal(3), Operand::Vbr(32)], Tail::Blob),
        abbreviation(&[Operand::Literal(4)], Tail::Array(Operand::Fixed(7))),
        record(3, 1, &[2]),
        record(3, u64::MAX, &[0, 1, u64::MAX, 1 << 40]),
        record(4, 31, &[u64::MAX, b'Z'.into()]),
        record(6, 4, b"a text, and again a text".map(u64::from).as_slice()),
        record(6, 4, &[]),
        Item::Record(Record { abbreviation: 5, code: 3, ops: vec![7], blob: b"some bytes".into() }),
        Item::Record(Record { abbreviation: 5, code: 3, ops: vec![0], blob: vec![] }),
        Item::Enter(11, 4),
        record(4, 9, &[1 << 20, b'_'.into(), b'.'.into(), b'0'.into()]),
        Item::Leave,
    ];
    for i in 0..40 {
        items.push(record(3, 8, &[i, i * 2, 7, i % 3]));
    }
    items.push(Item::Leave);
    items
}

#[test]
fn everything_comes_back() {
    let mut items = all();
    let bytes = written(&items);
    items.push(Item::Leave);
    assert_eq!(read(&bytes), Some(items));
    let nothing = Primer::new(&[]);
    let packed = pack(&bytes, &nothing).expect("it is regular");
    assert_eq!(unpack(&packed, &nothing).as_ref(), Ok(&bytes));
    // What is known beforehand takes no room.
    let itself = Primer::new(&bytes);
    let again = pack(&bytes, &itself).expect("it is known");
    assert!(again.len() * 2 < packed.len(), "{} of {}", again.len(), packed.len());
    assert_eq!(unpack(&again, &itself), Ok(bytes));
    assert_eq!(unpack(&again, &nothing), Err(Error::Primer));
}

#[test]
fn what_llvm_would_write_otherwise_is_not_packed() {
    let nothing = Primer::new(&[]);
    assert_eq!(pack(b"", &nothing), None);
    assert_eq!(pack(b"no bitcode at all, but a text", &nothing), None);
    let bytes = written(&all());
    for cut in [bytes.len() - 4, bytes.len() - 1, 9] {
        assert_eq!(pack(&bytes[..cut], &nothing), None);
    }
    // The size of the outermost block.
    let mut wrong = bytes;
    wrong[8] ^= 1;
    assert_eq!(pack(&wrong, &nothing), None);
}

#[test]
fn items_that_cannot_stand_somewhere_are_not_written() {
    let mut writer = Writer::new(1 << 10, true);
    assert!(writer.write(&Item::Leave).is_none());
    for (block, item) in [
        (8, record(4, 1, &[])),
        (8, abbreviation(&[], Tail::None)),
        (8, abbreviation(&[Operand::Vbr(1)], Tail::None)),
        (8, Item::Enter(9, 1)),
        (0, abbreviation(&[Operand::Char6], Tail::None)),
    ] {
        let mut writer = Writer::new(1 << 10, true);
        writer.write(&Item::Enter(block, 3)).expect("a block");
        assert!(writer.write(&item).is_none(), "{item:?}");
    }
}

/// Records of blocks that the model knows, with numbers as they come.
fn records() -> impl Strategy<Value = Vec<Item>> {
    let op = prop_oneof![0..4u64, 0..200u64, any::<u64>(), Just((1 << 32) - 1)];
    let record =
        (0..70u64, prop::collection::vec(op, 0..12)).prop_map(|(code, ops)| record(3, code, &ops));
    let block = prop_oneof![Just(11), Just(12), Just(14), Just(15), Just(16), Just(17), Just(23)];
    let inner = (block, prop::collection::vec(record.clone(), 0..40));
    (prop::collection::vec(record, 0..8), prop::collection::vec(inner, 0..6)).prop_map(
        |(outer, blocks)| {
            let mut items = vec![Item::Enter(8, 3)];
            items.extend(outer);
            for (block, records) in blocks {
                items.push(Item::Enter(block, 4));
                items.extend(records);
                items.push(Item::Leave);
            }
            items.push(Item::Leave);
            items
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_packed_comes_back(items in records()) {
        let bytes = written(&items);
        prop_assert_eq!(read(&bytes).map(|read| read.len()), Some(items.len() + 1));
        let primer = Primer::new(&written(&all()));
        if let Some(packed) = pack(&bytes, &primer) {
            prop_assert_eq!(unpack(&packed, &primer), Ok(bytes));
        }
    }

    #[test]
    fn broken_bytes_are_errors(
        cut in 0..400usize,
        changes in prop::collection::vec((0..400usize, 1..=255u8), 0..4),
        rest in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let bytes = written(&all());
        let primer = Primer::new(&[]);
        let mut packed = pack(&bytes, &primer).expect("it is regular");
        let original = packed.clone();
        packed.truncate(cut.max(4));
        for (at, change) in changes {
            if let Some(byte) = packed.get_mut(at.max(4)) {
                *byte ^= change;
            }
        }
        packed.extend(rest);
        match unpack(&packed, &primer) {
            Ok(unpacked) => prop_assert_eq!(unpacked, bytes),
            Err(error) => prop_assert!(packed != original && error == Error::Broken),
        }
    }

    #[test]
    fn bytes_by_chance_are_errors(size in any::<u16>(), coded in prop::collection::vec(any::<u8>(), 0..2000)) {
        let primer = Primer::new(&[]);
        let mut bytes = pack(&written(&all()), &primer).expect("it is regular");
        bytes.truncate(8);
        bytes.extend(u32::from(size).to_le_bytes());
        bytes.extend(coded);
        prop_assert_eq!(unpack(&bytes, &primer), Err(Error::Broken));
    }
}
