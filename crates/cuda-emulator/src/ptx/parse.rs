//! PTX text as statements.
//!
//! Source: NVIDIA, *Parallel Thread Execution ISA*, chapters 4 and 5.

use super::token::{Token, tokens};

/// What is wrong with a text, and in which line.
pub(crate) type Result<T, E = String> = std::result::Result<T, E>;

/// A text's variables and functions.
#[derive(Debug, Default)]
pub(crate) struct Module<'a> {
    pub variables: Vec<Variable<'a>>,
    pub functions: Vec<Function<'a>>,
}

/// Where a variable lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Generic,
    Global,
    Shared,
    Local,
    Param,
}

/// A variable or a parameter.
#[derive(Clone, Debug)]
pub(crate) struct Variable<'a> {
    pub name: &'a str,
    pub space: Space,
    pub align: usize,
    /// Bytes.
    pub len: usize,
    /// What it begins with; zeros behind it.
    pub content: Vec<u8>,
    /// Its length is told at launch.
    pub external: bool,
}

/// A function, or the announcement of one.
#[derive(Debug)]
pub(crate) struct Function<'a> {
    pub name: &'a str,
    pub is_entry: bool,
    pub returns: Vec<Variable<'a>>,
    pub parameters: Vec<Variable<'a>>,
    pub body: Option<Vec<Statement<'a>>>,
}

/// A piece of a function.
#[derive(Debug)]
pub(crate) enum Statement<'a> {
    Label(&'a str),
    /// A scope begins.
    Open,
    /// A scope ends.
    Close,
    Registers(Registers<'a>),
    Variable(Variable<'a>),
    Instruction(Written<'a>),
}

/// Names of registers: one, or a stem with the numbers below `count`.
#[derive(Debug)]
pub(crate) struct Registers<'a> {
    pub name: &'a str,
    pub count: Option<u32>,
    pub bits: u8,
}

/// An instruction as written.
#[derive(Debug)]
pub(crate) struct Written<'a> {
    /// The predicate, and the value of it with which the instruction is executed.
    pub guard: Option<(&'a str, bool)>,
    /// The name with all that follows after points.
    pub name: &'a str,
    pub operands: Vec<Operand<'a>>,
    pub line: u32,
}

/// An operand as written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand<'a> {
    Name(&'a str),
    Not(&'a str),
    Number(u64),
    Memory(&'a str, i64),
    List(Vec<Operand<'a>>),
    Both(&'a str, &'a str),
}

/// Reads a module.
pub(crate) fn parse(text: &str) -> Result<Module<'_>> {
    let tokens = tokens(text);
    let mut parser = Parser { tokens: &tokens, at: 0 };
    parser.module().map_err(|why| format!("line {}: {why}", parser.line()))
}

struct Parser<'t, 'a> {
    tokens: &'t [(Token<'a>, u32)],
    at: usize,
}

impl<'a> Parser<'_, 'a> {
    fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(0, |&(_, line)| line)
    }

    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).map(|&(token, _)| token)
    }

    fn next(&mut self) -> Result<Token<'a>> {
        let token = self.peek().ok_or("the text ends too early")?;
        self.at += 1;
        Ok(token)
    }

    /// Takes a sign if it is the next token.
    fn takes(&mut self, sign: char) -> bool {
        let is_next = self.peek() == Some(Token::Sign(sign));
        self.at += usize::from(is_next);
        is_next
    }

    fn sign(&mut self, sign: char) -> Result<()> {
        match self.takes(sign) {
            true => Ok(()),
            false => Err(format!("`{sign}` expected, found {:?}", self.peek())),
        }
    }

    fn word(&mut self) -> Result<&'a str> {
        match self.next()? {
            Token::Word(word) => Ok(word),
            Token::Sign(sign) => Err(format!("a word expected, found `{sign}`")),
        }
    }

    fn number<N: TryFrom<u64>>(&mut self) -> Result<N> {
        let word = self.word()?;
        let number = number(word).ok_or_else(|| format!("a number expected, found `{word}`"))?;
        N::try_from(number).map_err(|_| format!("{word} is too large"))
    }

    fn skip_line(&mut self) {
        let line = self.line();
        while self.at < self.tokens.len() && self.line() == line {
            self.at += 1;
        }
    }

    fn module(&mut self) -> Result<Module<'a>> {
        let mut module = Module::default();
        let mut external = false;
        while let Some(token) = self.peek() {
            match token {
                Token::Word(".version" | ".target" | ".address_size") => self.skip_line(),
                Token::Word(".visible" | ".weak") => self.at += 1,
                Token::Word(".extern") => {
                    self.at += 1;
                    external = true;
                }
                Token::Word(".entry" | ".func") => {
                    external = false;
                    let function = self.function()?;
                    module.functions.push(function);
                }
                Token::Word(_) => {
                    let mut variable = self.variable()?;
                    self.sign(';')?;
                    variable.external = std::mem::take(&mut external);
                    module.variables.push(variable);
                }
                Token::Sign(sign) => return Err(format!("`{sign}` begins nothing")),
            }
        }
        Ok(module)
    }

    fn function(&mut self) -> Result<Function<'a>> {
        let is_entry = self.word()? == ".entry";
        let returns = self.parameters()?;
        let name = self.word()?;
        let parameters = self.parameters()?;
        // What the driver is told of its launches.
        while !matches!(self.peek(), Some(Token::Sign('{' | ';'))) {
            self.next()?;
        }
        let body = match self.takes(';') {
            true => None,
            false => Some(self.body()?),
        };
        Ok(Function { name, is_entry, returns, parameters, body })
    }

    fn parameters(&mut self) -> Result<Vec<Variable<'a>>> {
        let mut parameters = Vec::new();
        if self.takes('(') {
            while !self.takes(')') {
                parameters.push(self.variable()?);
                self.takes(',');
            }
        }
        Ok(parameters)
    }

    fn body(&mut self) -> Result<Vec<Statement<'a>>> {
        self.sign('{')?;
        let (mut statements, mut depth) = (Vec::new(), 0);
        loop {
            match self.peek().ok_or("the text ends within a function")? {
                Token::Sign('}') if depth == 0 => {
                    self.at += 1;
                    return Ok(statements);
                }
                Token::Sign('{') => {
                    self.at += 1;
                    depth += 1;
                    statements.push(Statement::Open);
                }
                Token::Sign('}') => {
                    self.at += 1;
                    depth -= 1;
                    statements.push(Statement::Close);
                }
                Token::Word(".reg") => self.registers(&mut statements)?,
                Token::Word(".pragma" | ".loc" | ".file") => self.skip_line(),
                Token::Word(word) if word.starts_with('.') => {
                    let variable = self.variable()?;
                    self.sign(';')?;
                    statements.push(Statement::Variable(variable));
                }
                Token::Word(word)
                    if self.tokens.get(self.at + 1).map(|t| t.0) == Some(Token::Sign(':')) =>
                {
                    self.at += 2;
                    statements.push(Statement::Label(word));
                }
                _ => {
                    let written = self.instruction()?;
                    statements.push(Statement::Instruction(written));
                }
            }
        }
    }

    fn registers(&mut self, statements: &mut Vec<Statement<'a>>) -> Result<()> {
        self.at += 1;
        let bits = (8 * size_of_type(self.word()?)?) as u8;
        loop {
            let name = self.word()?;
            let count = match self.takes('<') {
                true => {
                    let count = self.number()?;
                    self.sign('>')?;
                    Some(count)
                }
                false => None,
            };
            statements.push(Statement::Registers(Registers { name, count, bits }));
            if self.takes(';') {
                return Ok(());
            }
            self.sign(',')?;
        }
    }

    /// A variable or parameter, without what ends it.
    fn variable(&mut self) -> Result<Variable<'a>> {
        let space = match self.word()? {
            ".global" | ".const" => Space::Global,
            ".shared" => Space::Shared,
            ".local" => Space::Local,
            ".param" => Space::Param,
            other => return Err(format!("`{other}` is not a state space")),
        };
        let mut align = None;
        let element = loop {
            match self.word()? {
                ".align" => align = Some(self.number()?),
                ".ptr" | ".global" => (),
                word => break size_of_type(word)?,
            }
        };
        let name = self.word()?;
        let mut count = 1;
        if self.takes('[') {
            count = 0;
            if !self.takes(']') {
                count = self.number()?;
                self.sign(']')?;
            }
        }
        let mut content = Vec::new();
        if self.takes('=') {
            let listed = self.takes('{');
            loop {
                let negative = self.takes('-');
                let number: u64 = self.number()?;
                let number = if negative { number.wrapping_neg() } else { number };
                content.extend(&number.to_le_bytes()[..element]);
                if !listed || !self.takes(',') {
                    break;
                }
            }
            if listed {
                self.sign('}')?;
            }
        }
        let align = align.unwrap_or(element);
        Ok(Variable { name, space, align, len: count * element, content, external: false })
    }

    fn instruction(&mut self) -> Result<Written<'a>> {
        let guard = match self.takes('@') {
            true => {
                let expected = !self.takes('!');
                Some((self.word()?, expected))
            }
            false => None,
        };
        let line = self.line();
        let name = self.word()?;
        let mut operands = Vec::new();
        while !self.takes(';') {
            operands.push(self.operand()?);
            self.takes(',');
        }
        Ok(Written { guard, name, operands, line })
    }

    fn operand(&mut self) -> Result<Operand<'a>> {
        match self.next()? {
            Token::Sign('[') => {
                let name = self.word()?;
                let offset = match self.takes('+') {
                    true => self.signed()?,
                    false => 0,
                };
                let address = Operand::Memory(name, offset);
                // The map of a tensor, and where in it.
                let operand = match self.takes(',') {
                    true => Operand::List(vec![address, self.operand()?]),
                    false => address,
                };
                self.sign(']')?;
                Ok(operand)
            }
            Token::Sign(open @ ('{' | '(')) => {
                let close = if open == '{' { '}' } else { ')' };
                let mut list = Vec::new();
                while !self.takes(close) {
                    list.push(self.operand()?);
                    self.takes(',');
                }
                Ok(Operand::List(list))
            }
            Token::Sign('-') => Ok(Operand::Number(self.number::<u64>()?.wrapping_neg())),
            Token::Sign('!') => Ok(Operand::Not(self.word()?)),
            Token::Sign(sign) => Err(format!("`{sign}` is no operand")),
            Token::Word(word) => match number(word) {
                Some(number) => Ok(Operand::Number(number)),
                None if self.takes('|') => Ok(Operand::Both(word, self.word()?)),
                None => Ok(Operand::Name(word)),
            },
        }
    }

    fn signed(&mut self) -> Result<i64> {
        let negative = self.takes('-');
        let number: i64 = self.number()?;
        Ok(if negative { -number } else { number })
    }
}

/// A number: decimal, hexadecimal, or the bits of a float.
fn number(word: &str) -> Option<u64> {
    let hexadecimal = |digits| u64::from_str_radix(digits, 16).ok();
    let digits = word.trim_end_matches('U');
    match word.get(..2) {
        Some("0x" | "0X") => hexadecimal(&digits[2..]),
        Some("0f" | "0F" | "0d" | "0D") => hexadecimal(&word[2..]),
        _ => digits.parse().ok(),
    }
}

/// Bytes of a type, named with its point.
fn size_of_type(name: &str) -> Result<usize> {
    match name {
        ".pred" | ".b8" | ".u8" | ".s8" => Ok(1),
        ".b16" | ".u16" | ".s16" => Ok(2),
        ".b32" | ".u32" | ".s32" | ".f32" => Ok(4),
        ".b64" | ".u64" | ".s64" | ".f64" => Ok(8),
        _ => Err(format!("`{name}` is not a type")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module() {
        let module = parse(
            ".version 9.0\n.target sm_80\n.address_size 64\n\
             .global .align 4 .u32 fsz_shapes[3] = {1, 0x10, 3};\n\
             .extern .shared .align 16 .b8 fsz_shared[];\n\
             .func (.param .b32 r) f (.param .align 8 .b8 a[24]);\n\
             .visible .entry k(\n.param .u64 k_param_0\n)\n.maxntid 32, 1, 1\n{\n\
             .reg .pred %p<3>;\n.reg .b32 t, u;\n$L__1:\n\
             @!%p1 ld.shared.v2.u32 {%r1, %r2}, [%rd3+-8];\n\
             shfl.sync.bfly.b32 t|%p2, u, -1, 0f3F800000;\n}",
        )
        .unwrap();
        assert_eq!(module.variables[0].content, [1, 0, 0, 0, 16, 0, 0, 0, 3, 0, 0, 0]);
        assert!(module.variables[1].external && module.variables[1].space == Space::Shared);
        assert_eq!(
            (module.functions[0].returns.len(), module.functions[0].parameters[0].len),
            (1, 24)
        );
        let entry = &module.functions[1];
        assert!(entry.is_entry && entry.name == "k" && entry.parameters[0].len == 8);
        let written: Vec<&Written> = entry
            .body
            .iter()
            .flatten()
            .filter_map(|s| match s {
                Statement::Instruction(written) => Some(written),
                _ => None,
            })
            .collect();
        assert_eq!(written[0].guard, Some(("%p1", false)));
        assert_eq!(written[0].operands[1], Operand::Memory("%rd3", -8));
        let minus_one = Operand::Number(u64::MAX);
        let expected = [
            Operand::Both("t", "%p2"),
            Operand::Name("u"),
            minus_one,
            Operand::Number(0x3F80_0000),
        ];
        assert_eq!(written[1].operands, expected);
    }

    #[test]
    fn what_is_no_ptx_is_refused() {
        for text in
            ["{", ".entry k( {", ".global .q8 a;", ".entry k() { add.u32 %r1, ;", ".entry k() { ]"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
