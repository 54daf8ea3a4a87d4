//! Which bound answers which question, as help and manual page have it.

/// A question and the options that answer it, a line each.
pub const WHICH: &str = "\
Which bound answers which question:
  No value is off by more than E, in its unit             --abs E
  The same as a share of the field's range                --range R
  The same share of one range, for a series               --range R IN... -o DIR
  So many digits of every value, however small            --relative E
  What rounding to N mantissa bits keeps of every value   --mantissa-bits N
  So many digits, and nothing below the noise             --relative E --floor A
  The same, the noise as a share of the range             --relative E --floor-range R
  A PSNR of at least so many decibels                     --psnr DB
  A compression ratio                                     --ratio X
  A file of at most N bytes                               --max-bytes N
  Another bound in a box                                  --bound-in BOX=E
  Another bound where a mask is set                       --bound-where MASK.npy=E";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_have_the_same_table() {
        let documents = [
            include_str!("../../../../../docs/bounds.md"),
            include_str!("../../../../../README.md"),
        ];
        let words = WHICH.split_whitespace().filter(|word| word.starts_with("--"));
        let mut options: Vec<&str> = words.collect();
        options.dedup();
        assert!(options.len() >= 12);
        for document in documents {
            for option in &options {
                let told = document.lines().any(|l| l.starts_with('|') && l.contains(option));
                assert!(told, "{option} is in no table");
            }
        }
    }
}
