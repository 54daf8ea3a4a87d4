//! A payload's values to device memory: compressed bytes cross, and are decoded where they are wanted.

use fsz::{
    Stream,
    cuda::{DeviceCodec, StreamKind},
};

use super::{
    driver,
    place::{Kind, Memory},
    workspace,
};

/// Restores an FSZ stream's values at `out`, device or managed memory.
///
/// # Errors
/// What is wrong with the stream or the device.
///
/// # Safety
/// `out` has room for the values.
pub(crate) unsafe fn to_device(body: &[u8], raw: bool, out: *mut u8) -> Result<(), String> {
    let memory = Memory::of(out)?
        .filter(|memory| memory.kind != Kind::Pinned)
        .ok_or("the target is not device memory of this process")?;
    memory.check_context()?;
    memory.wait()?;
    if raw {
        return driver::copy_in(memory.device, memory.address, body);
    }
    let text = |error: fsz::Error| error.to_string();
    let stream = Stream::open(body).map_err(text)?;
    let kind = StreamKind::of(&stream).map_err(text)?;
    let length = body.len() as u64;
    workspace::with(memory.device, |workspace| {
        let scratch = DeviceCodec::DECOMPRESS_SCRATCH as u64;
        let (at, scratch) = workspace.room(length, scratch)?;
        workspace.upload(at, body)?;
        let queue = workspace.queue();
        // SAFETY: the target is the caller's promise; the stream was copied to room of this call's
        // alone, and the queue is one of the primary context, waited for right away.
        unsafe {
            workspace
                .codec
                .decompress(&kind, (at, length), memory.address, scratch, queue)
                .map_err(text)?;
            workspace.codec.outcome(scratch, queue).map_err(text)
        }
    })
}
