//! Which registers may share memory: PTX has one for every value, thousands in a kernel, of which few are needed at a
//! time. A warp's registers then stay in the processor's caches.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use crate::run::code::{Instruction, Operation, Source};

/// Gives the registers `own` of a function, with their bits, new rows behind those of `rows`; others get those of
/// `known`. The code's jumps count from `base` before its begin.
pub(super) fn share(
    code: &mut [Instruction],
    base: usize,
    own: &BTreeMap<usize, u8>,
    known: &BTreeMap<usize, usize>,
    rows: &mut Vec<u8>,
) {
    let blocks = Blocks::new(code, base);
    let mut order: Vec<(usize, Range<usize>)> = spans(code, &blocks, own).into_iter().collect();
    order.sort_by_key(|(_, span)| span.start);
    // Rows that are free again, by their bits, and those in use by where they are needed last.
    let mut free: BTreeMap<u8, Vec<usize>> = BTreeMap::new();
    let mut used: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut places = known.clone();
    for (register, span) in order {
        while let Some(&(end, row)) = used.first()
            && end < span.start
        {
            used.remove(&(end, row));
            free.entry(rows[row]).or_default().push(row);
        }
        let bits = own[&register];
        let row = free.get_mut(&bits).and_then(Vec::pop).unwrap_or_else(|| {
            rows.push(bits);
            rows.len() - 1
        });
        used.insert((span.end, row));
        places.insert(register, row);
    }
    let place = |register: &mut usize| *register = places[register];
    for instruction in code {
        instruction.guard.iter_mut().for_each(|(register, _)| place(register));
        instruction.to.iter_mut().for_each(place);
        for source in &mut instruction.from {
            if let Source::Register(register) = source {
                place(register);
            }
        }
    }
}

/// The registers that an instruction reads or writes, but for those of calls.
pub(super) fn registers(instruction: &Instruction) -> impl Iterator<Item = usize> {
    reads(instruction).chain(instruction.to.iter().copied())
}

/// Stretches of code that are entered at their begin alone and left at their end alone.
struct Blocks {
    ranges: Vec<Range<usize>>,
    /// The stretches that may follow each.
    next: Vec<Vec<usize>>,
}

impl Blocks {
    /// Of code whose jumps count from `base` before its begin.
    fn new(code: &[Instruction], base: usize) -> Self {
        let mut begins = BTreeSet::from([0]);
        for (at, instruction) in code.iter().enumerate() {
            if let Operation::Branch(target) = instruction.operation {
                begins.insert(target - base);
                begins.insert(at + 1);
            }
        }
        let begins: Vec<usize> = begins.into_iter().filter(|&at| at < code.len()).collect();
        let ends = begins.iter().skip(1).copied().chain([code.len()]);
        let ranges: Vec<Range<usize>> =
            begins.iter().copied().zip(ends).map(|(a, b)| a..b).collect();
        let of = |at: usize| begins.binary_search(&at).ok();
        let next = ranges
            .iter()
            .map(|range| {
                let last = &code[range.end - 1];
                let target = match last.operation {
                    Operation::Branch(target) => of(target - base),
                    _ => None,
                };
                let leaves = matches!(
                    last.operation,
                    Operation::Branch(_) | Operation::Exit | Operation::Return(_)
                );
                let on = if leaves && last.guard.is_none() { None } else { of(range.end) };
                target.into_iter().chain(on).collect()
            })
            .collect();
        Blocks { ranges, next }
    }
}

/// A set of registers.
type Set = Vec<u64>;

fn insert(set: &mut Set, at: usize) {
    set[at / 64] |= 1 << (at % 64);
}

/// From where to where each register's value is needed.
fn spans(
    code: &[Instruction],
    blocks: &Blocks,
    registers: &BTreeMap<usize, u8>,
) -> BTreeMap<usize, Range<usize>> {
    let all: Vec<usize> = registers.keys().copied().collect();
    let index = |register: usize| all.binary_search(&register).ok();
    let words = all.len().div_ceil(64);
    let count = blocks.ranges.len();
    // What a stretch reads before it writes it, and what it writes in any case.
    let (mut read, mut written) = (vec![vec![0; words]; count], vec![vec![0; words]; count]);
    let mut spans: BTreeMap<usize, Range<usize>> = BTreeMap::new();
    let mut meet = |register: usize, at: usize| {
        let span = spans.entry(register).or_insert(at..at);
        *span = span.start.min(at)..span.end.max(at);
    };
    for (block, range) in blocks.ranges.iter().enumerate() {
        for at in range.clone() {
            let instruction = &code[at];
            for register in reads(instruction) {
                meet(register, at);
                if let Some(bit) = index(register)
                    && written[block][bit / 64] >> (bit % 64) & 1 == 0
                {
                    insert(&mut read[block], bit);
                }
            }
            for &register in &instruction.to {
                meet(register, at);
                if let Some(bit) = index(register)
                    && instruction.guard.is_none()
                {
                    insert(&mut written[block], bit);
                }
            }
        }
    }
    let (mut needed, mut left) = (read.clone(), vec![vec![0; words]; count]);
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..count).rev() {
            for word in 0..words {
                let out = blocks.next[block].iter().fold(0, |out, &next| out | needed[next][word]);
                let own = read[block][word] | (out & !written[block][word]);
                changed |= own != needed[block][word];
                left[block][word] = out;
                needed[block][word] = own;
            }
        }
    }
    for (block, range) in blocks.ranges.iter().enumerate() {
        let mut all_of = |set: &Set, at: usize| {
            for (word, &bits) in set.iter().enumerate() {
                let mut bits = bits;
                while bits != 0 {
                    meet(all[64 * word + bits.trailing_zeros() as usize], at);
                    bits &= bits - 1;
                }
            }
        };
        all_of(&needed[block], range.start);
        all_of(&left[block], range.end);
    }
    spans.retain(|register, _| registers.contains_key(register));
    spans
}

fn reads(instruction: &Instruction) -> impl Iterator<Item = usize> {
    let sources = instruction.from.iter().filter_map(|source| match source {
        Source::Register(register) => Some(*register),
        Source::Constant(_) => None,
    });
    sources.chain(instruction.guard.map(|(register, _)| register))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::{link::link, parse::parse};

    #[test]
    fn values_share_rows_unless_they_are_needed_together() {
        let text = ".entry k(.param .u64 k_param_0)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<6>;\n\
            ld.param.u32 %r1, [k_param_0];\nmov.u32 %r2, 0;\nLOOP:\nadd.u32 %r3, %r2, 1;\n\
            mov.u32 %r2, %r3;\nsetp.lt.u32 %p1, %r2, %r1;\n@%p1 bra LOOP;\nadd.u32 %r4, %r2, 7;\n\
            add.u32 %r5, %r4, %r4;\nst.param.u32 [k_param_0], %r5;\nret;\n}";
        let module = parse(text).unwrap();
        let program = link(&module, &BTreeMap::new(), "k").unwrap();
        let to = |at: usize| program.instructions[at].to[0];
        let (limit, sum, step) = (to(0), to(1), to(2));
        // All three are needed in the loop; behind it their rows are free.
        assert!(limit != sum && sum != step && limit != step);
        assert_eq!(to(3), sum);
        assert!([limit, sum, step].contains(&to(7)));
        let narrow = program.registers.iter().filter(|&&bits| bits == 32).count();
        assert!(narrow <= 4, "{:?}", program.registers);
    }
}
