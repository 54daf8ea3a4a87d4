//! A lane's accesses to memory.

use super::{
    block::Shared,
    code::Access,
    memory::{PRIVATE, SHARED},
    tensor::TensorMap,
    warp::{LaterCopy, Launch, Warp},
};
use crate::ptx::parse::{Result, Space};

impl Warp {
    /// The bytes of an access in a thread's own memory.
    fn own(&self, lane: usize, at: u64, size: usize) -> Result<usize> {
        match at.checked_add(size as u64) {
            Some(end) if end <= self.private_len as u64 => {
                Ok(lane * self.private_len + at as usize)
            }
            _ => Err(format!("{size} bytes at {at:#x} of a thread's own memory are outside of it")),
        }
    }

    pub(super) fn load(
        &mut self,
        launch: &Launch<'_>,
        shared: &Shared,
        lane: usize,
        access: &Access,
        address: u64,
    ) -> Result<u64> {
        let size = access.size;
        aligned(address, size)?;
        Ok(match place(access.space, address) {
            Place::Shared(at) => number(shared.bytes(at, size)?),
            Place::Private(at) => {
                let at = self.own(lane, at, size)?;
                number(&self.private[at..at + size])
            }
            Place::Global(at) => {
                let pointer = launch.reach.pointer(at, size, &mut self.last);
                let pointer = pointer.ok_or_else(|| outside("read", at, size, lane))?;
                // SAFETY: the bytes are within an allocation, which lives as long as the launch; kernels run one at
                // a time.
                number(unsafe { std::slice::from_raw_parts(pointer, size) })
            }
        })
    }

    pub(super) fn store(
        &mut self,
        launch: &Launch<'_>,
        shared: &mut Shared,
        lane: usize,
        access: &Access,
        address: u64,
        value: u64,
    ) -> Result<()> {
        let size = access.size;
        aligned(address, size)?;
        match place(access.space, address) {
            Place::Shared(at) => put(shared.bytes_mut(at, size)?, value),
            Place::Private(at) => {
                let at = self.own(lane, at, size)?;
                put(&mut self.private[at..at + size], value);
            }
            Place::Global(at) => {
                let pointer = launch.reach.pointer(at, size, &mut self.last);
                let pointer = pointer.ok_or_else(|| outside("written", at, size, lane))?;
                // SAFETY: as in `load`.
                put(unsafe { std::slice::from_raw_parts_mut(pointer, size) }, value);
            }
        }
        Ok(())
    }

    /// The map of a tensor at a generic address.
    pub(super) fn tensor_map(
        &mut self,
        launch: &Launch<'_>,
        lane: usize,
        address: u64,
    ) -> Result<TensorMap> {
        let bytes = match place(Space::Generic, address) {
            Place::Private(at) => {
                let at = self.own(lane, at, TensorMap::LEN)?;
                &self.private[at..at + TensorMap::LEN]
            }
            Place::Global(at) => {
                let pointer = launch.reach.pointer(at, TensorMap::LEN, &mut self.last);
                let pointer = pointer.ok_or_else(|| outside("read", at, TensorMap::LEN, lane))?;
                // SAFETY: as in `load`.
                unsafe { std::slice::from_raw_parts(pointer, TensorMap::LEN) }
            }
            Place::Shared(_) => return Err("a tensor's map in shared memory".into()),
        };
        TensorMap::of(bytes).ok_or_else(|| "that is no map of a tensor".into())
    }

    /// Does the copies of a lane in groups before `end`.
    pub(super) fn finish_copies(
        &mut self,
        launch: &Launch<'_>,
        shared: &mut Shared,
        lane: usize,
        end: u32,
    ) -> Result<()> {
        let is_due = |copy: &mut LaterCopy| copy.lane == lane && copy.group < end;
        for copy in self.copies.extract_if(.., is_due) {
            let to = shared.bytes_mut(copy.to, copy.len)?;
            to[copy.read..].fill(0);
            if copy.read > 0 {
                let pointer = launch.reach.pointer(copy.from, copy.read, &mut self.last);
                let pointer = pointer.ok_or_else(|| outside("read", copy.from, copy.read, lane))?;
                // SAFETY: as in `load`; shared memory is no allocation that kernels reach so.
                unsafe { pointer.copy_to_nonoverlapping(to.as_mut_ptr(), copy.read) };
            }
        }
        Ok(())
    }
}

enum Place {
    Shared(u64),
    Private(u64),
    Global(u64),
}

fn place(space: Space, address: u64) -> Place {
    match space {
        Space::Shared => Place::Shared(address),
        Space::Local | Space::Param => Place::Private(address),
        Space::Global => Place::Global(address),
        Space::Generic => match address {
            SHARED..PRIVATE => Place::Shared(address - SHARED),
            at if at >= PRIVATE && at - PRIVATE < PRIVATE - SHARED => Place::Private(at - PRIVATE),
            at => Place::Global(at),
        },
    }
}

/// One, two, four or eight bytes as a number: a copy of a length that the compiler knows.
#[inline(always)]
fn number(bytes: &[u8]) -> u64 {
    match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => 0,
    }
}

/// The reverse: the low bytes of a number.
#[inline(always)]
fn put(to: &mut [u8], value: u64) {
    let [a, b, c, d, ..] = value.to_le_bytes();
    match to {
        [to] => *to = a,
        [_, _] => to.copy_from_slice(&[a, b]),
        [_, _, _, _] => to.copy_from_slice(&[a, b, c, d]),
        _ => to.copy_from_slice(&value.to_le_bytes()[..to.len()]),
    }
}

pub(super) fn element(address: u64, access: &Access, at: usize) -> u64 {
    address.wrapping_add_signed(access.offset).wrapping_add((at * access.size) as u64)
}

fn aligned(address: u64, size: usize) -> Result<()> {
    match address & (size as u64 - 1) {
        0 => Ok(()),
        _ => Err(format!("{size} bytes at {address:#x}, which is not aligned to them")),
    }
}

fn outside(what: &str, at: u64, size: usize, lane: usize) -> String {
    format!("{size} bytes at {at:#x}, {what} by lane {lane}, are in no allocation")
}
