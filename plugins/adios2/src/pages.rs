//! Memory that ADIOS2 has just allocated for a payload.

use std::ffi::c_void;

/// Bytes of a huge page.
const HUGE: usize = 2 << 20;
/// For fewer bytes nothing is asked: the kernel keeps a record of each advice.
const LEAST: usize = 32 << 20;

/// Asks the kernel to give huge pages to the bytes from `out` on that nobody has written yet: most of the time of a
/// copy into new memory is that of its pages, and a huge one takes the place of 512. Whether it does so, which is
/// returned, is the kernel's affair. Only whole huge pages inside the memory are asked for, so nothing outside it changes.
///
/// # Safety
/// `room` bytes from `out` on are allocated and stay so during the call.
pub(crate) unsafe fn ask_for_huge(out: *mut u8, room: usize) -> bool {
    let skipped = out.align_offset(HUGE);
    let length = room.saturating_sub(skipped) / HUGE * HUGE;
    if length < LEAST {
        return false;
    }
    // SAFETY: whole pages inside of the caller's memory. The advice changes neither contents nor addresses.
    unsafe { libc::madvise(out.add(skipped).cast::<c_void>(), length, libc::MADV_HUGEPAGE) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Whether the mapping with this address was advised so: "hg" of its flags.
    fn is_advised(address: usize) -> bool {
        let maps = fs::read_to_string("/proc/self/smaps").expect("Linux");
        let mut inside = false;
        for line in maps.lines() {
            let ends = line.split(' ').next().and_then(|ends| ends.split_once('-'));
            let number = |text| usize::from_str_radix(text, 16).ok();
            if let Some((first, end)) = ends.and_then(|(a, b)| Some((number(a)?, number(b)?))) {
                inside = (first..end).contains(&address);
            } else if inside && line.starts_with("VmFlags:") {
                return line.split(' ').any(|flag| flag == "hg");
            }
        }
        false
    }

    #[test]
    fn whole_huge_pages_inside_the_memory_and_no_others() {
        let mut memory: Vec<u8> = Vec::with_capacity(3 * LEAST);
        let first = memory.as_ptr().align_offset(HUGE);
        let out = memory.as_mut_ptr().wrapping_add(first + HUGE - 100);
        // SAFETY: inside of the vector's memory.
        if !unsafe { ask_for_huge(out, LEAST + 200) } {
            eprintln!("SKIPPED: huge pages: this kernel has none");
            return;
        }
        let pages = LEAST / HUGE;
        for page in 0..pages + 2 {
            let asked = is_advised(memory.as_ptr().addr() + first + page * HUGE);
            assert_eq!(asked, (1..=pages).contains(&page), "page {page} of {pages}");
        }
        // SAFETY: as above.
        assert!(!unsafe { ask_for_huge(out, LEAST) }, "the last page is not whole");
    }
}
