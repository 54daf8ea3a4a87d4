//! Words and signs of PTX text.

/// A piece of PTX text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// A name, an instruction, a directive or a number.
    Word(&'a str),
    /// One of the signs that separate words.
    Sign(char),
}

/// Splits text, without its comments, and gives the line of each token.
pub(crate) fn tokens(text: &str) -> Vec<(Token<'_>, u32)> {
    let bytes = text.as_bytes();
    let (mut at, mut line, mut found) = (0, 1, Vec::new());
    while at < bytes.len() {
        let begin = at;
        match bytes[at] {
            b'\n' => {
                line += 1;
                at += 1;
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            b'/' if bytes[at..].starts_with(b"//") => {
                at += bytes[at..].iter().position(|&b| b == b'\n').unwrap_or(bytes.len() - at);
            }
            b'/' if bytes[at..].starts_with(b"/*") => {
                let len = text[at..].find("*/").map_or(bytes.len() - at, |end| end + 2);
                line += text[at..at + len].matches('\n').count() as u32;
                at += len;
            }
            b'"' => {
                let len = text[at + 1..].find('"').map_or(bytes.len() - at, |end| end + 2);
                at += len;
                found.push((Token::Word(&text[begin..at]), line));
            }
            byte if is_of_word(byte) => {
                // A colon is part of a word only in pairs: `shared::cta`, but `label:`.
                while at < bytes.len() && (is_of_word(bytes[at]) || bytes[at..].starts_with(b"::"))
                {
                    at += if bytes[at] == b':' { 2 } else { 1 };
                }
                found.push((Token::Word(&text[begin..at]), line));
            }
            byte => {
                found.push((Token::Sign(char::from(byte)), line));
                at += 1;
            }
        }
    }
    found
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_signs_and_comments() {
        let text = "// no\n@!%p1 ld.shared::cta.u32 %r1, [%rd2+-8]; /* no\n */ $L__1: \"text\"";
        let words: Vec<_> = tokens(text)
            .into_iter()
            .map(|(token, line)| match token {
                Token::Word(word) => format!("{line}{word}"),
                Token::Sign(sign) => sign.to_string(),
            })
            .collect();
        assert_eq!(
            words.join(" "),
            "@ ! 2%p1 2ld.shared::cta.u32 2%r1 , [ 2%rd2 + - 28 ] ; 3$L__1 : 3\"text\""
        );
    }
}
