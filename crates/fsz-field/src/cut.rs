//! Mapped files that another program shortens while they are read.
//!
//! Reading what is gone is answered by SIGBUS, which ends a program unless it is handled. The handler here puts zeros in the
//! place of what is gone, and marks the map: who reads asks for the mark behind what was read.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};

use memmap2::Mmap;

/// Maps that are watched at once at most; others are as without a handler.
const MOST: usize = 1024;

/// Where a map lies. The handler reads it, so it takes no lock.
struct Place {
    /// 0 where the place is free, [`TAKEN`] while it is filled.
    start: AtomicUsize,
    end: AtomicUsize,
    is_cut: AtomicBool,
}

/// No map begins here.
const TAKEN: usize = 1;

static PLACES: [Place; MOST] = [const {
    Place { start: AtomicUsize::new(0), end: AtomicUsize::new(0), is_cut: AtomicBool::new(false) }
}; MOST];

/// A map that the handler knows. It is dropped before the map is.
#[derive(Debug)]
pub(crate) struct Watch(usize);

impl Watch {
    /// Watches a map of a file; none where too many are watched.
    pub(crate) fn new(map: &Mmap) -> Option<Watch> {
        let Range { start, end } = map.as_ptr_range();
        let free = |place: &Place| {
            place.start.compare_exchange(0, TAKEN, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        let number = PLACES.iter().position(free)?;
        let place = &PLACES[number];
        place.end.store(end.addr(), Ordering::Relaxed);
        place.is_cut.store(false, Ordering::Relaxed);
        place.start.store(start.addr(), Ordering::Release);
        Some(Watch(number))
    }

    /// Whether something that was read of the map was gone.
    pub(crate) fn is_cut(&self) -> bool {
        // The mark is read behind what was read: ARM may take loads in another order.
        fence(Ordering::Acquire);
        PLACES[self.0].is_cut.load(Ordering::Acquire)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        PLACES[self.0].start.store(0, Ordering::Release);
    }
}

/// What answered the signal before.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();
static PAGE: AtomicUsize = AtomicUsize::new(0);

/// From now on this program goes on where a mapped file is shortened while it is read: what is gone is read as zeros, and
/// the checks of [`Field`](crate::Field) and [`StreamFile`](crate::StreamFile) err from then on.
///
/// It takes the signal SIGBUS; what is none of the maps here goes to who had it before.
pub fn outlive_shortened_files() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        // SAFETY: the structures are zeroed, which is a valid value of each, and written to by the system; the
        // handler keeps to what a handler may do.
        unsafe {
            let Ok(page) = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)) else { return };
            PAGE.store(page, Ordering::Relaxed);
            let mut before: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(libc::SIGBUS, std::ptr::null(), &mut before) != 0 {
                return;
            }
            // It is there before it is needed.
            let _ = BEFORE.set(before);
            let mut own: libc::sigaction = std::mem::zeroed();
            let handler: extern "C" fn(_, _, _) = answer;
            own.sa_sigaction = handler as libc::sighandler_t;
            own.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(libc::SIGBUS, &own, std::ptr::null_mut());
        }
    });
}

extern "C" fn answer(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system calls a handler with SA_SIGINFO with what it knows of the signal.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr().addr()) };
    if code == libc::BUS_ADRERR && replaced(address) {
        return;
    }
    let Some(before) = BEFORE.get() else { return };
    match before.sa_sigaction {
        // SAFETY: it is what the signal did before; the read that failed is tried again, and ends the program.
        libc::SIG_DFL | libc::SIG_IGN => unsafe {
            libc::signal(signal, libc::SIG_DFL);
        },
        // SAFETY: it was installed as a handler of this kind.
        handler if before.sa_flags & libc::SA_SIGINFO != 0 => unsafe {
            let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                std::mem::transmute(handler);
            handler(signal, info, context);
        },
        // SAFETY: likewise.
        handler => unsafe {
            let handler: extern "C" fn(libc::c_int) = std::mem::transmute(handler);
            handler(signal);
        },
    }
}

/// Puts zeros in the place of what is gone from this address on to the end of its map; false where it is of none.
fn replaced(address: usize) -> bool {
    let is_in = |place: &&Place| {
        let start = place.start.load(Ordering::Acquire);
        start > TAKEN && (start..place.end.load(Ordering::Relaxed)).contains(&address)
    };
    let Some(place) = PLACES.iter().find(is_in) else { return false };
    let page = address & !(PAGE.load(Ordering::Relaxed) - 1);
    // Who sees a zero sees the mark.
    place.is_cut.store(true, Ordering::SeqCst);
    // SAFETY: the pages are of a map that is being read, so it is there; of one that is only read, what is in it may
    // change at any time. All behind a page that is gone is gone, too.
    let zeros = unsafe {
        libc::mmap(
            std::ptr::without_provenance_mut(page),
            place.end.load(Ordering::Relaxed) - page,
            libc::PROT_READ,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    zeros != libc::MAP_FAILED
}
