//! Pages of new memory.

/// Asks the system to give huge pages to those bytes of new memory that nobody has written yet: most of the time of a copy or a
/// decompression to new memory is that of its pages, and a huge one takes the place of many. Whether it does so, which is
/// returned, is the system's affair: Linux may, for 32 MiB and more. Only whole huge pages inside the memory are asked for, so
/// nothing outside it changes.
pub fn ask_for_huge_pages<T>(memory: &mut [T]) -> bool {
    ask(memory)
}

#[cfg(not(target_os = "linux"))]
fn ask<T>(_: &mut [T]) -> bool {
    false
}

#[cfg(target_os = "linux")]
fn ask<T>(memory: &mut [T]) -> bool {
    /// For fewer bytes nothing is asked: the kernel keeps a record of each advice.
    const LEAST: usize = 32 << 20;
    let (from, room) = (memory.as_mut_ptr().cast::<u8>(), size_of_val(memory));
    let skipped = from.align_offset(HUGE);
    let length = room.saturating_sub(skipped) / HUGE * HUGE;
    if length < LEAST {
        return false;
    }
    let first = from.wrapping_add(skipped);
    // SAFETY: whole pages inside of the borrowed memory. The advice changes neither contents nor addresses.
    unsafe { libc::madvise(first.cast(), length, libc::MADV_HUGEPAGE) == 0 }
}

/// Bytes of a huge page where others have 4 KiB. On ARM a kernel whose pages have 64 KiB takes huge ones of 512 MiB, where a whole
/// one lies inside what was asked for, and of this size if it is set up for several.
#[cfg(target_os = "linux")]
const HUGE: usize = 2 << 20;

#[cfg(all(test, target_os = "linux"))]
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
        const PAGES: usize = 16;
        let mut memory: Vec<u8> = Vec::with_capacity((PAGES + 4) * HUGE);
        let memory = memory.spare_capacity_mut();
        let first = memory.as_ptr().align_offset(HUGE);
        let from = first + HUGE - 100;
        if !ask_for_huge_pages(&mut memory[from..from + PAGES * HUGE + 200]) {
            eprintln!("SKIPPED: huge pages: this kernel has none");
            return;
        }
        for page in 0..PAGES + 2 {
            let asked = is_advised(memory.as_ptr().addr() + first + page * HUGE);
            assert_eq!(asked, (1..=PAGES).contains(&page), "page {page} of {PAGES}");
        }
        let last = "the last page is not whole";
        assert!(!ask_for_huge_pages(&mut memory[from..from + PAGES * HUGE]), "{last}");
        assert!(!ask_for_huge_pages::<u64>(&mut []));
    }
}
