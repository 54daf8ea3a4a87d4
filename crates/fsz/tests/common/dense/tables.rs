//! FORMAT.md, *Dense: tables* and the alphabets of *Dense: symbols*.

/// The frequencies of each context's symbols.
pub struct Tables {
    pub residuals: Vec<Vec<u32>>,
    pub differences: Vec<Vec<u32>>,
    pub flags: Vec<Vec<u32>>,
}

struct Bits<'a> {
    words: &'a [u32],
    at: usize,
}

impl Bits<'_> {
    fn bit(&mut self) -> u32 {
        self.at += 1;
        self.words[(self.at - 1) / 32] >> ((self.at - 1) % 32) & 1
    }

    /// Elias gamma.
    fn gamma(&mut self) -> u32 {
        let mut zeros = 0;
        while self.bit() == 0 {
            zeros += 1;
        }
        (0..zeros).fold(1, |n, _| 2 * n + self.bit())
    }
}

impl Tables {
    pub fn read(words: &[u32]) -> Tables {
        let mut bits = Bits { words, at: 0 };
        // Of residuals 0, 1, -1, 2, …: symbols 15, 16, 14, 17, …, 30, 0; then the lengths.
        let residuals: Vec<usize> = [15]
            .into_iter()
            .chain((1..=15).flat_map(|r| [15 + r, 15 - r]))
            .chain(31..=41)
            .collect();
        let differences: Vec<usize> = (0..=44).collect();
        let tables = Tables {
            residuals: alphabet(&mut bits, 24, &residuals, default(&residuals)),
            differences: alphabet(&mut bits, 41, &differences, default(&differences)),
            flags: alphabet(&mut bits, 11, &[0, 1], vec![256; 2]),
        };
        assert_eq!(bits.at.div_ceil(32), words.len());
        while !bits.at.is_multiple_of(32) {
            assert_eq!(bits.bit(), 0);
        }
        tables
    }
}

/// Where the largest frequency is; the first of equals.
fn largest(frequencies: &mut [u32]) -> &mut u32 {
    let most = *frequencies.iter().max().expect("symbols");
    frequencies.iter_mut().find(|f| **f == most).expect("it is there")
}

fn default(order: &[usize]) -> Vec<u32> {
    let mut frequencies = vec![0; order.len()];
    for (i, &symbol) in order.iter().enumerate() {
        frequencies[symbol] = (128 >> (i / 2)).max(1);
    }
    frequencies[order.len() - 1] = 1;
    while frequencies.iter().sum::<u32>() > 512 {
        *largest(&mut frequencies) -= 1;
    }
    *largest(&mut frequencies) += 512 - frequencies.iter().sum::<u32>();
    frequencies
}

fn alphabet(
    bits: &mut Bits<'_>,
    contexts: usize,
    order: &[usize],
    default: Vec<u32>,
) -> Vec<Vec<u32>> {
    if bits.bit() == 0 {
        return vec![default; contexts];
    }
    let mut all = vec![];
    for _ in 0..contexts {
        let before = all.last().unwrap_or(&default).clone();
        all.push(if bits.bit() == 0 { before } else { context(bits, order) });
    }
    all
}

fn context(bits: &mut Bits<'_>, order: &[usize]) -> Vec<u32> {
    let given = (0..6).fold(0, |n, k| n | bits.bit() << k) as usize;
    let (last, others) = order.split_last().expect("symbols");
    let mut frequencies = vec![0; order.len()];
    for &symbol in &others[..given] {
        frequencies[symbol] = bits.gamma() - 1;
    }
    frequencies[*last] = 512 - frequencies.iter().sum::<u32>();
    assert!(frequencies[*last] > 0);
    frequencies
}
