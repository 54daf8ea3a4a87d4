//! Kernels compiled where they run, by NVRTC from the sources that FSZ carries: for a driver that does
//! not take its PTX, being older than the compiler that made it.

use std::{
    ffi::{CStr, CString, c_char},
    ptr::null_mut,
};

use cudarc::nvrtc::sys;

use super::part::Part;
use crate::error::{Error, Result};

/// A module's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source<'a> {
    Codec(Part),
    /// Of another crate, with what it includes beside the codec's headers.
    Other {
        text: &'a CStr,
        headers: &'a [(&'a CStr, &'a CStr)],
    },
}

impl<'a> Source<'a> {
    fn text(self) -> &'a CStr {
        match self {
            Source::Codec(part) => part.source(),
            Source::Other { text, .. } => text,
        }
    }

    fn headers(self) -> impl Iterator<Item = (&'a CStr, &'a CStr)> {
        let own: &[_] = if let Source::Other { headers, .. } = self { headers } else { &[] };
        HEADERS.iter().chain(own).copied()
    }
}

/// The text of a file of `cuda/`: a constant of its own, for the compiler limits how long it evaluates one.
macro_rules! source {
    ($file:expr) => {{
        const TEXT: &CStr = match CStr::from_bytes_with_nul(
            concat!(include_str!(concat!("../../cuda/", $file)), "\0").as_bytes(),
        ) {
            Ok(text) => text,
            Err(_) => panic!("a source holds a zero"),
        };
        TEXT
    }};
}
pub(super) use source;

macro_rules! header {
    ($file:literal) => {{
        const NAME: &CStr = match CStr::from_bytes_with_nul(concat!($file, "\0").as_bytes()) {
            Ok(name) => name,
            Err(_) => panic!("a name holds a zero"),
        };
        (NAME, source!($file))
    }};
}

/// What the sources include.
const HEADERS: &[(&CStr, &CStr)] = &[
    header!("decode/chunk.cuh"),
    header!("decode/index.cuh"),
    header!("decode/kernels.cuh"),
    header!("decode/output.cuh"),
    header!("decode/stream_view.cuh"),
    header!("decode/values.cuh"),
    header!("decode/verify.cuh"),
    header!("device/bits.cuh"),
    header!("device/copies.cuh"),
    header!("device/hopper.cuh"),
    header!("device/lookback.cuh"),
    header!("device/ring.cuh"),
    header!("device/types.cuh"),
    header!("device/warp.cuh"),
    header!("encode/arguments.cuh"),
    header!("encode/block_io.cuh"),
    header!("encode/bound.cuh"),
    header!("encode/control.cuh"),
    header!("encode/exchange.cuh"),
    header!("encode/finish.cuh"),
    header!("encode/index.cuh"),
    header!("encode/kernels.cuh"),
    header!("encode/persistent.cuh"),
    header!("encode/quantizer.cuh"),
    header!("encode/relative_bound.cuh"),
    header!("encode/relative_kernels.cuh"),
    header!("encode/relative_quantizer.cuh"),
    header!("encode/simple.cuh"),
    header!("encode/survey.cuh"),
    header!("encode/value_range.cuh"),
    header!("format/checksum.cuh"),
    header!("format/curve.cuh"),
    header!("format/format.cuh"),
    header!("format/format_constants.cuh"),
    header!("profile/dense/any_program.cuh"),
    header!("profile/dense/blend.cuh"),
    header!("profile/dense/blend_columns.cuh"),
    header!("profile/dense/box_coder.cuh"),
    header!("profile/dense/box_decoder.cuh"),
    header!("profile/dense/box_elements.cuh"),
    header!("profile/dense/box_memory.cuh"),
    header!("profile/dense/box_predictor.cuh"),
    header!("profile/dense/box_span.cuh"),
    header!("profile/dense/box_stage.cuh"),
    header!("profile/dense/chunk.cuh"),
    header!("profile/dense/count_boxes.cuh"),
    header!("profile/dense/decode_columns.cuh"),
    header!("profile/dense/decode_kernels.cuh"),
    header!("profile/dense/decode_line.cuh"),
    header!("profile/dense/decode_lorenzo.cuh"),
    header!("profile/dense/decode_mask.cuh"),
    header!("profile/dense/decode_points.cuh"),
    header!("profile/dense/decode_program.cuh"),
    header!("profile/dense/decode_taps.cuh"),
    header!("profile/dense/decode_values.cuh"),
    header!("profile/dense/decoder.cuh"),
    header!("profile/dense/encode_kernels.cuh"),
    header!("profile/dense/encode_memory.cuh"),
    header!("profile/dense/encoder.cuh"),
    header!("profile/dense/escaped_lorenzo.cuh"),
    header!("profile/dense/events.cuh"),
    header!("profile/dense/fine_grid.cuh"),
    header!("profile/dense/finer.cuh"),
    header!("profile/dense/grid.cuh"),
    header!("profile/dense/half_words.cuh"),
    header!("profile/dense/index.cuh"),
    header!("profile/dense/interpolate.cuh"),
    header!("profile/dense/lorenzo_coder.cuh"),
    header!("profile/dense/output.cuh"),
    header!("profile/dense/pass_starts.cuh"),
    header!("profile/dense/plain_box.cuh"),
    header!("profile/dense/plain_coder.cuh"),
    header!("profile/dense/plain_far.cuh"),
    header!("profile/dense/plain_lorenzo.cuh"),
    header!("profile/dense/plain_mask.cuh"),
    header!("profile/dense/plain_program.cuh"),
    header!("profile/dense/plain_walk.cuh"),
    header!("profile/dense/points.cuh"),
    header!("profile/dense/prepare_decode.cuh"),
    header!("profile/dense/program.cuh"),
    header!("profile/dense/rans_decoder.cuh"),
    header!("profile/dense/rans_encoder.cuh"),
    header!("profile/dense/read_tables.cuh"),
    header!("profile/dense/record.cuh"),
    header!("profile/dense/relative_encode_kernels.cuh"),
    header!("profile/dense/relative_points.cuh"),
    header!("profile/dense/slots.cuh"),
    header!("profile/dense/symbols.cuh"),
    header!("profile/dense/tables.cuh"),
    header!("profile/dense/team.cuh"),
    header!("profile/dense/walk.cuh"),
    header!("profile/dense/write_box.cuh"),
    header!("profile/paper/classify.cuh"),
    header!("profile/paper/codes.cuh"),
    header!("profile/paper/decode_block.cuh"),
    header!("profile/paper/decode_escaped.cuh"),
    header!("profile/paper/decode_escapes.cuh"),
    header!("profile/paper/decode_kernels.cuh"),
    header!("profile/paper/decode_plain.cuh"),
    header!("profile/paper/decode_quad.cuh"),
    header!("profile/paper/decoder.cuh"),
    header!("profile/paper/encode_any.cuh"),
    header!("profile/paper/encode_kernels.cuh"),
    header!("profile/paper/encode_listed.cuh"),
    header!("profile/paper/encode_masked.cuh"),
    header!("profile/paper/encode_payload.cuh"),
    header!("profile/paper/encode_plain.cuh"),
    header!("profile/paper/encoder.cuh"),
    header!("profile/paper/hash_rates.cuh"),
    header!("profile/paper/integrate.cuh"),
    header!("profile/paper/look_near.cuh"),
    header!("profile/paper/output_tile.cuh"),
    header!("profile/paper/pack.cuh"),
    header!("profile/paper/quantize_mixed.cuh"),
    header!("profile/paper/quantize_one_sign.cuh"),
    header!("profile/paper/quantize_relative.cuh"),
    header!("profile/paper/relative_so_far.cuh"),
    header!("profile/paper/relative_way.cuh"),
    header!("profile/paper/tile_head.cuh"),
    header!("profile/paper/tile_index.cuh"),
    header!("profile/paper/unpack.cuh"),
    header!("region/fill.cuh"),
    header!("region/kernels.cuh"),
    header!("region/move.cuh"),
    header!("region/section.cuh"),
];

/// The oldest NVRTC that compiles the sources: that of CUDA 12.3. Those before lack what the codec uses.
const OLDEST: (i32, i32) = (12, 3);

/// Whether an NVRTC is installed that compiles the sources; loads it.
pub(crate) fn is_possible() -> bool {
    let mut version = (0, 0);
    // SAFETY: loading the library runs its initialisers, which it is made for; it writes two numbers.
    let found = unsafe {
        sys::is_culib_present()
            && sys::nvrtcVersion(&mut version.0, &mut version.1) == sys::nvrtcResult::NVRTC_SUCCESS
    };
    found && version >= OLDEST
}

/// Compiles a module for devices of this compute capability (ten times the major, and the minor).
///
/// # Errors
/// [`Error::Device`] when there is no NVRTC, or it does not know the device, or refuses the source.
pub(crate) fn compile(source: Source<'_>, capability: i32) -> Result<Vec<u8>> {
    let program = compiled(source, capability, &[])?;
    let mut len = 0;
    // SAFETY: writes one number.
    check("nvrtcGetCUBINSize", unsafe { sys::nvrtcGetCUBINSize(program.0, &mut len) })?;
    let mut image = vec![0u8; len];
    // SAFETY: the image has the room that was just asked for.
    check("nvrtcGetCUBIN", unsafe {
        sys::nvrtcGetCUBIN(program.0, image.as_mut_ptr().cast::<c_char>())
    })?;
    Ok(image)
}

/// A module that is compiled, with options beside those that the sources need.
fn compiled(source: Source<'_>, capability: i32, more: &[&CStr]) -> Result<Program> {
    if !is_possible() {
        let (major, minor) = OLDEST;
        return Err(Error::Device(format!(
            "no NVRTC to compile the kernels with (libnvrtc of CUDA {major}.{minor} or newer was not found); it \
             comes with a CUDA toolkit"
        )));
    }
    let program = Program::new(source)?;
    let architecture = CString::new(format!("--gpu-architecture=sm_{capability}"))
        .map_err(|e| Error::Device(e.to_string()))?;
    // Without the last, some generic lambdas of device functions are taken for functions of the host.
    let needed = [&architecture, c"--std=c++17", c"--device-as-default-execution-space"];
    let options: Vec<_> = needed.iter().chain(more).map(|option| option.as_ptr()).collect();
    // SAFETY: the program lives, and the options are strings.
    let done =
        unsafe { sys::nvrtcCompileProgram(program.0, options.len() as i32, options.as_ptr()) };
    if done != sys::nvrtcResult::NVRTC_SUCCESS {
        let log = program.log();
        let first = log.lines().find(|line| line.contains("error")).unwrap_or(&log);
        return Err(Error::Device(format!("NVRTC: {}: {first}", name(done))));
    }
    Ok(program)
}

/// An NVRTC program, destroyed when dropped.
struct Program(sys::nvrtcProgram);

impl Program {
    fn new(source: Source<'_>) -> Result<Self> {
        let (names, texts): (Vec<_>, Vec<_>) =
            source.headers().map(|(name, text)| (name.as_ptr(), text.as_ptr())).unzip();
        let mut program = null_mut();
        // SAFETY: the texts are strings, the lists as long as said; NVRTC copies what it keeps.
        check("nvrtcCreateProgram", unsafe {
            sys::nvrtcCreateProgram(
                &mut program,
                source.text().as_ptr(),
                c"fsz.cu".as_ptr(),
                names.len() as i32,
                texts.as_ptr(),
                names.as_ptr(),
            )
        })?;
        Ok(Program(program))
    }

    /// What the compiler had to say; empty where it does not tell.
    fn log(&self) -> String {
        let mut len = 0;
        // SAFETY: writes one number.
        if unsafe { sys::nvrtcGetProgramLogSize(self.0, &mut len) }
            != sys::nvrtcResult::NVRTC_SUCCESS
        {
            return String::new();
        }
        let mut log = vec![0u8; len];
        // SAFETY: the log has the room that was just asked for.
        if unsafe { sys::nvrtcGetProgramLog(self.0, log.as_mut_ptr().cast::<c_char>()) }
            != sys::nvrtcResult::NVRTC_SUCCESS
        {
            return String::new();
        }
        String::from_utf8_lossy(&log).trim_end_matches('\0').to_owned()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: made in `new`, and gone after this; a failure leaves it to the end of the process.
        let _ = unsafe { sys::nvrtcDestroyProgram(&mut self.0) };
    }
}

fn check(call: &str, result: sys::nvrtcResult) -> Result<()> {
    match result {
        sys::nvrtcResult::NVRTC_SUCCESS => Ok(()),
        other => Err(Error::Device(format!("{call} failed: {}", name(other)))),
    }
}

fn name(result: sys::nvrtcResult) -> String {
    format!("{result:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;

    #[test]
    fn every_source_compiles_for_every_architecture() {
        if !is_possible() {
            eprintln!(
                "SKIPPED: kernels compiled on the spot: no libnvrtc of CUDA 12.3 or newer was found"
            );
            return;
        }
        // What is behind the syntax takes minutes for all of them: one does for that. NVRTC of CUDA 12.3 has no such
        // option.
        let syntax = c"-fdevice-syntax-only";
        for part in Part::all() {
            for capability in [80, 90] {
                let source = Source::Codec(part);
                match compiled(source, capability, &[syntax]) {
                    Err(Error::Device(reason)) if reason.contains("syntax-only") => {
                        compiled(source, capability, &[])
                    }
                    done => done,
                }
                .unwrap_or_else(|reason| panic!("{part} for {capability}: {reason}"));
            }
        }
        let image = compile(Source::Codec(Part::Regions(DType::F32)), 90).expect("compiles");
        assert!(image.starts_with(b"\x7fELF"));
    }

    #[test]
    fn every_header_is_carried() {
        let names: Vec<&str> =
            HEADERS.iter().map(|(name, _)| name.to_str().expect("text")).collect();
        let sources = Part::all().map(Part::source);
        for text in HEADERS.iter().map(|(_, text)| *text).chain(sources) {
            for line in text.to_str().expect("text").lines() {
                if let Some(name) = line.strip_prefix("#include ") {
                    assert!(names.contains(&name.trim_matches('"')), "{name} is missing");
                }
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let source = Source::Codec(Part::all().next().expect("there are parts"));
        if !is_possible() {
            let reason = compile(source, 90).expect_err("there is no NVRTC").to_string();
            assert!(reason.contains("libnvrtc"), "{reason}");
            return;
        }
        assert!(compile(source, 12).is_err(), "there is no such architecture");
    }
}
