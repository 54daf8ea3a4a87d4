//! What an instruction's name and operands mean.

use super::{
    link::{Linker, Name, special},
    parse::{Operand, Result, Space},
};
use crate::run::{
    alu::alu,
    code::{Access, Operation, Phase, Shuffle, Source, Vote},
    memory::{PRIVATE, SHARED},
};

type Operands = (Vec<usize>, Vec<Source>);

impl<'a> Linker<'a> {
    /// An instruction that is neither a jump nor a call.
    pub fn operation(
        &mut self,
        parts: &[&str],
        operands: &[Operand<'a>],
    ) -> Result<(Operation, Operands)> {
        let unknown = || "the emulator does not know this instruction".to_owned();
        Ok(match parts[0] {
            "mov" => self.moved(parts, operands)?,
            "cvta" => self.converted_address(parts, operands)?,
            "ld" => self.load(parts, operands)?,
            "st" => self.store(parts, operands)?,
            "atom" | "red" => self.atomic(parts, operands)?,
            "cp" => self.copy(parts, operands)?,
            "mbarrier" => self.phase(parts, operands)?,
            "membar" | "fence" | "prefetch" => (Operation::Nothing, Operands::default()),
            // The dependent launch begins early whether it is told that it may or not.
            "griddepcontrol" => match parts.get(1) {
                Some(&"wait") => (Operation::AwaitBefore, Operands::default()),
                Some(&"launch_dependents") => (Operation::Nothing, Operands::default()),
                _ => return Err(unknown()),
            },
            "nanosleep" => (Operation::Yield, Operands::default()),
            "bar" | "barrier" => {
                let from = self.sources(operands)?;
                let operation = match parts.get(1) {
                    Some(&"warp") => Operation::WarpBarrier,
                    Some(&"sync") => Operation::BlockBarrier,
                    _ => return Err(unknown()),
                };
                (operation, (vec![], from))
            }
            "shfl" => {
                let way = match parts.get(2) {
                    Some(&"up") => Shuffle::Up,
                    Some(&"down") => Shuffle::Down,
                    Some(&"bfly") => Shuffle::Butterfly,
                    Some(&"idx") => Shuffle::Index,
                    _ => return Err(unknown()),
                };
                (Operation::Shuffle(way), self.result_and_sources(operands)?)
            }
            "vote" => {
                let way = match parts.get(2) {
                    Some(&"all") => Vote::All,
                    Some(&"any") => Vote::Any,
                    Some(&"uni") => Vote::Uniform,
                    Some(&"ballot") => Vote::Ballot,
                    _ => return Err(unknown()),
                };
                (Operation::Vote(way), self.result_and_sources(operands)?)
            }
            "match" if parts.get(1) == Some(&"any") => {
                (Operation::Match, self.result_and_sources(operands)?)
            }
            "movmatrix" => {
                let (to, mut from) = self.result_and_sources(operands)?;
                from.push(self.constant(u64::from(u32::MAX)));
                (Operation::Transpose, (to, from))
            }
            "redux" => {
                let reduce: fn(u32, u32) -> u32 = match parts.get(2..) {
                    Some(["add", _]) => u32::wrapping_add,
                    Some(["min", "u32"]) => u32::min,
                    Some(["max", "u32"]) => u32::max,
                    Some(["min", "s32"]) => |a, b| (a as i32).min(b as i32) as u32,
                    Some(["max", "s32"]) => |a, b| (a as i32).max(b as i32) as u32,
                    Some(["and", _]) => |a, b| a & b,
                    Some(["or", _]) => |a, b| a | b,
                    Some(["xor", _]) => |a, b| a ^ b,
                    _ => return Err(unknown()),
                };
                (Operation::Reduce(reduce), self.result_and_sources(operands)?)
            }
            _ => {
                let compute = alu(parts).ok_or_else(unknown)?;
                (Operation::Compute(compute), self.result_and_sources(operands)?)
            }
        })
    }

    /// The first operand is written, the others are read.
    fn result_and_sources(&mut self, operands: &[Operand<'a>]) -> Result<Operands> {
        let (to, from) = operands.split_first().ok_or("operands expected")?;
        Ok((self.destinations(to)?, self.sources(from)?))
    }

    fn destinations(&mut self, operand: &Operand<'a>) -> Result<Vec<usize>> {
        match operand {
            // What is written there is not wanted.
            Operand::Name("_") => Ok(vec![self.register(64)]),
            Operand::Name(name) => Ok(vec![self.register_named(name)?]),
            Operand::Both(first, second) => {
                Ok(vec![self.register_named(first)?, self.register_named(second)?])
            }
            Operand::List(list) => {
                let all: Result<Vec<Vec<usize>>> =
                    list.iter().map(|o| self.destinations(o)).collect();
                all.map(|all| all.concat())
            }
            other => Err(format!("{other:?} cannot be written")),
        }
    }

    fn sources(&mut self, operands: &[Operand<'a>]) -> Result<Vec<Source>> {
        let mut sources = Vec::new();
        for operand in operands {
            match operand {
                Operand::List(list) => sources.extend(self.sources(list)?),
                one => sources.push(self.source(one)?),
            }
        }
        Ok(sources)
    }

    fn source(&mut self, operand: &Operand<'a>) -> Result<Source> {
        match operand {
            Operand::Number(number) => Ok(self.constant(*number)),
            Operand::Name(name) => match special(name) {
                Some(special) => Ok(self.special(special)),
                None => match self.named(name)? {
                    Name::Register(register) => Ok(Source::Register(register)),
                    Name::Number(number) => Ok(self.constant(number)),
                    Name::Private(at, _) => Ok(self.constant(at as u64)),
                },
            },
            other => Err(format!("{other:?} cannot be read")),
        }
    }

    fn moved(&mut self, parts: &[&str], operands: &[Operand<'a>]) -> Result<(Operation, Operands)> {
        let (to, from) = self.result_and_sources(operands)?;
        let whole = match parts {
            [_, "b64"] => 64,
            [_, "b32"] => 32,
            _ => 0,
        };
        let operation = match (to.len(), from.len()) {
            (1, 1) => Operation::Move,
            (1, pieces) => Operation::Pack(whole / pieces as u32),
            (pieces, 1) => Operation::Unpack(whole / pieces as u32),
            _ => return Err("one operand expected on a side".into()),
        };
        Ok((operation, (to, from)))
    }

    /// Addresses of a state space begin at zero, generic ones do not.
    fn converted_address(
        &mut self,
        parts: &[&str],
        operands: &[Operand<'a>],
    ) -> Result<(Operation, Operands)> {
        let (to, mut from) = self.result_and_sources(operands)?;
        let (is_to_space, space) = match parts {
            ["cvta", "to", space, _] => (true, *space),
            ["cvta", space, _] => (false, *space),
            _ => return Err("a state space expected".into()),
        };
        let window = match space {
            "global" | "const" => return Ok((Operation::Move, (to, from))),
            "shared" => SHARED,
            "local" | "param" => PRIVATE,
            _ => return Err(format!("`{space}` is not a state space")),
        };
        from.push(self.constant(window));
        let name = if is_to_space { "sub" } else { "add" };
        let compute = alu(&[name, "u64"]).ok_or("no addition")?;
        Ok((Operation::Compute(compute), (to, from)))
    }

    /// A memory operand: what holds its address, and what is added.
    fn address(&mut self, operand: &Operand<'a>) -> Result<(Source, i64)> {
        match operand {
            Operand::Memory(name, offset) => Ok((self.source(&Operand::Name(name))?, *offset)),
            other => Err(format!("{other:?} is no address")),
        }
    }

    fn load(&mut self, parts: &[&str], operands: &[Operand<'a>]) -> Result<(Operation, Operands)> {
        let [to, at] = operands else { return Err("two operands expected".into()) };
        let (address, offset) = self.address(at)?;
        let access = access(parts, offset)?;
        Ok((Operation::Load(access), (self.destinations(to)?, vec![address])))
    }

    fn store(&mut self, parts: &[&str], operands: &[Operand<'a>]) -> Result<(Operation, Operands)> {
        let (at, values) = operands.split_first().ok_or("operands expected")?;
        let (address, offset) = self.address(at)?;
        let access = access(parts, offset)?;
        let from = [vec![address], self.sources(values)?].concat();
        Ok((Operation::Store(access), (vec![], from)))
    }

    fn atomic(
        &mut self,
        parts: &[&str],
        operands: &[Operand<'a>],
    ) -> Result<(Operation, Operands)> {
        let kind = parts.last().copied().unwrap_or_default();
        let name = parts.iter().rev().nth(1).copied().unwrap_or_default();
        let update: fn([u64; 3]) -> u64 = match (name, kind) {
            ("add", "u32" | "s32") => |[old, a, _]| u64::from((old as u32).wrapping_add(a as u32)),
            ("add", "u64" | "s64") => |[old, a, _]| old.wrapping_add(a),
            ("min", "u32" | "u64") => |[old, a, _]| old.min(a),
            ("max", "u32" | "u64") => |[old, a, _]| old.max(a),
            ("and", _) => |[old, a, _]| old & a,
            ("or", _) => |[old, a, _]| old | a,
            ("xor", _) => |[old, a, _]| old ^ a,
            ("exch", _) => |[_, a, _]| a,
            ("cas", _) => |[old, a, b]| if old == a { b } else { old },
            _ => return Err("the emulator does not know this instruction".into()),
        };
        // Without a result the memory alone is changed.
        let (to, rest) = match parts[0] {
            "red" => (self.register(64), operands),
            _ => (self.destinations(&operands[0])?[0], &operands[1..]),
        };
        let (at, values) = rest.split_first().ok_or("operands expected")?;
        let (address, offset) = self.address(at)?;
        let access = access(parts, offset)?;
        let from = [vec![address], self.sources(values)?].concat();
        Ok((Operation::Atomic(access, update), (vec![to], from)))
    }

    fn copy(&mut self, parts: &[&str], operands: &[Operand<'a>]) -> Result<(Operation, Operands)> {
        match parts {
            ["cp", "async", "commit_group"] => Ok((Operation::EndGroup, Operands::default())),
            ["cp", "async", "wait_all"] => Ok((Operation::FinishCopies(None), Operands::default())),
            ["cp", "async", "wait_group"] => match operands {
                [Operand::Number(left)] => {
                    Ok((Operation::FinishCopies(Some(*left as u32)), Operands::default()))
                }
                _ => Err("a number expected".into()),
            },
            ["cp", "async", "ca" | "cg", "shared", "global"] => {
                let [to, from, Operand::Number(len), rest @ ..] = operands else {
                    return Err("two addresses and a number expected".into());
                };
                let ((to, 0), (from, 0)) = (self.address(to)?, self.address(from)?) else {
                    return Err("addresses without offsets expected".into());
                };
                let read = match rest {
                    [] => self.constant(*len),
                    [read] => self.source(read)?,
                    _ => return Err("too many operands".into()),
                };
                Ok((Operation::CopyLater(*len as usize), (vec![], vec![to, from, read])))
            }
            ["cp", "async", "bulk", "tensor", "2d", ..] => {
                let [to, Operand::List(from), barrier] = operands else {
                    return Err("a place, a part of a tensor and a barrier expected".into());
                };
                let [map, Operand::List(coordinates)] = &from[..] else {
                    return Err("coordinates expected".into());
                };
                let ((to, 0), (map, 0), (barrier, 0)) =
                    (self.address(to)?, self.address(map)?, self.address(barrier)?)
                else {
                    return Err("addresses without offsets expected".into());
                };
                let coordinates = self.sources(coordinates)?;
                Ok((
                    Operation::CopyBox,
                    (vec![], [vec![to, map], coordinates, vec![barrier]].concat()),
                ))
            }
            _ => Err("the emulator does not know this instruction".into()),
        }
    }

    fn phase(&mut self, parts: &[&str], operands: &[Operand<'a>]) -> Result<(Operation, Operands)> {
        let (operation, to, at, rest) = match (parts.get(1), operands) {
            (Some(&"init"), [at, count]) => (Phase::Begin, None, at, vec![count.clone()]),
            (Some(&"arrive"), [to, at]) => (Phase::Arrive, Some(to), at, vec![]),
            (Some(&"arrive"), [to, at, bytes]) if parts.contains(&"expect_tx") => {
                (Phase::ArriveExpecting, Some(to), at, vec![bytes.clone()])
            }
            (Some(&("test_wait" | "try_wait")), [to, at, parity]) if parts.contains(&"parity") => {
                (Phase::IsOver, Some(to), at, vec![parity.clone()])
            }
            _ => return Err("the emulator does not know this instruction".into()),
        };
        let to = to.map_or(Ok(vec![]), |to| self.destinations(to))?;
        let (address, 0) = self.address(at)? else {
            return Err("an address without offset expected".into());
        };
        let from = [vec![address], self.sources(&rest)?].concat();
        Ok((Operation::Phase(operation), (to, from)))
    }
}

/// What the parts of an access's name say.
fn access(parts: &[&str], offset: i64) -> Result<Access> {
    let kind = parts.last().copied().unwrap_or_default();
    let bits = kind.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let size = bits.parse::<usize>().map_err(|_| format!("`{kind}` is no type"))? / 8;
    let space = parts[1..].iter().find_map(|&part| match part {
        "global" => Some(Space::Global),
        "shared" | "shared::cta" => Some(Space::Shared),
        "local" => Some(Space::Local),
        "param" => Some(Space::Param),
        _ => None,
    });
    let space = space.unwrap_or(Space::Generic);
    Ok(Access { space, offset, size, signed: kind.starts_with('s') })
}
