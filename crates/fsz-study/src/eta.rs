//! How long a study still takes, from what it has taken so far.

/// The fields of a study and their sizes.
#[derive(Debug)]
pub struct Eta {
    /// Bytes of each field.
    sizes: Vec<u64>,
    /// Bytes measured, and the seconds that they took.
    measured: (u64, f64),
    /// Fields that are done.
    done: usize,
}

impl Eta {
    /// Before the first field.
    pub fn new(sizes: Vec<u64>) -> Eta {
        Eta { sizes, measured: (0, 0.0), done: 0 }
    }

    /// The next field took so many seconds; none if its figures were there already.
    pub fn took(&mut self, seconds: Option<f64>) {
        if let (Some(seconds), Some(size)) = (seconds, self.sizes.get(self.done)) {
            self.measured = (self.measured.0 + size, self.measured.1 + seconds);
        }
        self.done += 1;
    }

    /// `3 of 23`, counted from 1.
    pub fn place(&self) -> String {
        format!("{} of {}", (self.done + 1).min(self.sizes.len()), self.sizes.len())
    }

    /// `, about 40 s left`, as far as that can be told.
    pub fn left(&self) -> String {
        let (bytes, seconds) = self.measured;
        let rest: u64 = self.sizes.iter().skip(self.done).sum();
        if bytes == 0 || rest == 0 {
            return String::new();
        }
        format!(", about {} left", duration(seconds / bytes as f64 * rest as f64))
    }
}

/// Seconds as people say them.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..=99 => format!("{} s", whole.max(1)),
        100..=5999 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_follows_the_bytes() {
        let mut eta = Eta::new(vec![10, 20, 30, 40]);
        assert_eq!((eta.place().as_str(), eta.left().as_str()), ("1 of 4", ""));
        eta.took(None);
        assert_eq!(eta.left(), "", "what was there tells nothing");
        eta.took(Some(4.0));
        assert_eq!((eta.place().as_str(), eta.left().as_str()), ("3 of 4", ", about 14 s left"));
        eta.took(Some(16.0));
        assert_eq!(eta.left(), ", about 16 s left");
        eta.took(Some(1.0));
        assert_eq!(eta.left(), "");
    }

    #[test]
    fn durations_are_short() {
        let cases = [(0.2, "1 s"), (99.0, "99 s"), (125.0, "2 min 5 s"), (7300.0, "2 h 1 min")];
        for (seconds, text) in cases {
            assert_eq!(duration(seconds), text);
        }
    }
}
