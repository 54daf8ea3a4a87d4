//! An entry point and the functions that it calls, as one program.
//!
//! No function calls itself, so that each has registers, parameters and local variables of its own in every thread,
//! and a call needs no stack.

use std::collections::{BTreeMap, BTreeSet};

use super::parse::{Function, Module, Operand, Result, Space, Statement, Variable, Written};
use super::rows;
use crate::run::{
    alu::alu,
    code::{Copy, Instruction, Operation, Ordering, Program, Source, Special},
    lanes::{Lanes, WIDTH},
};

/// Links the entry point `name`. `addresses` are those of the module's variables in device memory.
pub(crate) fn link(
    module: &Module<'_>,
    addresses: &BTreeMap<&str, u64>,
    name: &str,
) -> Result<Program> {
    let entry = defined(module, name)?;
    let mut functions = Vec::new();
    order(module, entry, &mut BTreeSet::new(), &mut functions)?;
    let mut linker = Linker::default();
    for (&name, &address) in addresses {
        linker.globals.insert(name, Name::Number(address));
    }
    // Shared memory that other entry points use is none of this one.
    let used = named(&functions);
    let of_module = module.variables.iter().filter(|v| v.space == Space::Shared && !v.external);
    for variable in of_module.filter(|v| used.contains(v.name)) {
        linker.declare_shared(variable);
    }
    // Arguments first: a launch copies them there.
    linker.signature(entry);
    linker.arguments = linker.signatures[entry.name].parameters.clone();
    for function in functions.iter().filter(|f| f.name != entry.name) {
        linker.signature(function);
    }
    for function in &functions {
        linker.shared_variables(function);
    }
    // What a launch adds to it begins behind all else.
    for variable in module.variables.iter().filter(|v| v.external) {
        linker.shared = linker.shared.next_multiple_of(variable.align);
        linker.globals.insert(variable.name, Name::Number(linker.shared as u64));
    }
    for function in &functions {
        linker.function(function).map_err(|why| format!("{}: {why}", function.name))?;
    }
    linker.finish(entry.name)
}

fn defined<'m, 'a>(module: &'m Module<'a>, name: &str) -> Result<&'m Function<'a>> {
    let found = module.functions.iter().find(|f| f.name == name && f.body.is_some());
    found.ok_or_else(|| format!("there is no function `{name}`"))
}

/// Functions before those that call them: lanes that are not together run the earliest code first, and so meet again
/// behind a call.
fn order<'m, 'a>(
    module: &'m Module<'a>,
    function: &'m Function<'a>,
    seen: &mut BTreeSet<&'a str>,
    functions: &mut Vec<&'m Function<'a>>,
) -> Result<()> {
    if seen.insert(function.name) {
        for written in function.body.iter().flatten().filter_map(instruction) {
            if let Some(callee) = callee(written) {
                order(module, defined(module, callee)?, seen, functions)?;
            }
        }
        functions.push(function);
    }
    Ok(())
}

fn instruction<'s, 'a>(statement: &'s Statement<'a>) -> Option<&'s Written<'a>> {
    match statement {
        Statement::Instruction(written) => Some(written),
        _ => None,
    }
}

/// All names in the operands of functions.
fn named<'a>(functions: &[&Function<'a>]) -> BTreeSet<&'a str> {
    let bodies = functions.iter().flat_map(|function| function.body.iter().flatten());
    let operands = bodies.filter_map(instruction).flat_map(|written| &written.operands);
    let name = |operand: &Operand<'a>| match operand {
        Operand::Name(name) | Operand::Memory(name, _) => Some(*name),
        _ => None,
    };
    operands.filter_map(name).collect()
}

/// What an instruction calls.
fn callee<'a>(written: &Written<'a>) -> Option<&'a str> {
    let is_call = written.name == "call" || written.name.starts_with("call.");
    written.operands.iter().filter(|_| is_call).find_map(|operand| match operand {
        Operand::Name(name) => Some(*name),
        _ => None,
    })
}

/// What a name means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Name {
    Register(usize),
    /// An address, in its own state space.
    Number(u64),
    /// A place in a thread's own memory, and its bytes.
    Private(usize, usize),
}

/// Where a function's parameters lie.
#[derive(Clone, Debug, Default)]
struct Signature {
    returns: Vec<(usize, usize)>,
    parameters: Vec<(usize, usize)>,
    /// The register with the place to return to.
    back: usize,
}

#[derive(Default)]
pub(super) struct Linker<'a> {
    instructions: Vec<Instruction>,
    registers: Vec<u8>,
    constants: Vec<Lanes>,
    known_constants: BTreeMap<u64, usize>,
    special: Vec<(Special, usize)>,
    private: usize,
    shared: usize,
    arguments: Vec<(usize, usize)>,
    globals: BTreeMap<&'a str, Name>,
    signatures: BTreeMap<&'a str, Signature>,
    begins: BTreeMap<&'a str, usize>,
    /// Calls, whose targets are known when all functions are placed.
    calls: Vec<(usize, &'a str)>,
    /// Names of the function at hand, the innermost scope last.
    scopes: Vec<BTreeMap<&'a str, Name>>,
    /// Numbered registers of the function at hand: the first one and how many.
    stems: BTreeMap<&'a str, (usize, u32)>,
    /// Labels of each scope, and jumps in it whose label is not found yet.
    labels: Vec<BTreeMap<&'a str, usize>>,
    jumps: Vec<Vec<(usize, &'a str)>>,
}

impl<'a> Linker<'a> {
    fn place(&mut self, variable: &Variable<'_>) -> (usize, usize) {
        let at = self.private.next_multiple_of(variable.align.max(1));
        self.private = at + variable.len;
        (at, variable.len)
    }

    fn declare_shared(&mut self, variable: &Variable<'a>) {
        let at = self.shared.next_multiple_of(variable.align.max(1));
        self.shared = at + variable.len;
        self.globals.insert(variable.name, Name::Number(at as u64));
    }

    fn signature(&mut self, function: &Function<'a>) {
        let parameters = function.parameters.iter().map(|v| self.place(v)).collect();
        let returns = function.returns.iter().map(|v| self.place(v)).collect();
        let back = self.register(64);
        self.signatures.insert(function.name, Signature { returns, parameters, back });
    }

    fn shared_variables(&mut self, function: &Function<'a>) {
        for statement in function.body.iter().flatten() {
            if let Statement::Variable(variable) = statement
                && variable.space == Space::Shared
            {
                self.declare_shared(variable);
            }
        }
    }

    pub fn register(&mut self, bits: u8) -> usize {
        self.registers.push(bits);
        self.registers.len() - 1
    }

    pub fn constant(&mut self, value: u64) -> Source {
        let next = self.constants.len();
        let at = *self.known_constants.entry(value).or_insert(next);
        if at == next {
            self.constants.push([value; WIDTH]);
        }
        Source::Constant(at)
    }

    fn function(&mut self, function: &Function<'a>) -> Result<()> {
        self.begins.insert(function.name, self.instructions.len());
        let signature = self.signatures[function.name].clone();
        let named = |variables: &[Variable<'a>], places: &[(usize, usize)]| {
            let names = variables.iter().zip(places.to_vec());
            names.map(|(v, (at, len))| (v.name, Name::Private(at, len))).collect::<Vec<_>>()
        };
        let mut names = BTreeMap::new();
        names.extend(named(&function.parameters, &signature.parameters));
        names.extend(named(&function.returns, &signature.returns));
        self.scopes = vec![names];
        self.stems.clear();
        self.labels = vec![BTreeMap::new()];
        self.jumps = vec![vec![]];
        for statement in function.body.iter().flatten() {
            self.statement(statement, function)?;
        }
        // A function may end without saying so.
        self.leave(function, None, 0);
        match self.end_jumps().first() {
            Some((_, label)) => Err(format!("no label `{label}`")),
            None => Ok(()),
        }
    }

    /// Gives the jumps of the innermost scope their targets, and returns those whose label is further out.
    fn end_jumps(&mut self) -> Vec<(usize, &'a str)> {
        let labels = self.labels.pop().unwrap_or_default();
        let mut jumps = self.jumps.pop().unwrap_or_default();
        jumps.retain(|(at, label)| match labels.get(label) {
            Some(&target) => {
                self.instructions[*at].operation = Operation::Branch(target);
                false
            }
            None => true,
        });
        jumps
    }

    fn statement(&mut self, statement: &Statement<'a>, function: &Function<'a>) -> Result<()> {
        match statement {
            Statement::Label(name) => {
                let here = self.instructions.len();
                self.labels.last_mut().ok_or("no scope")?.insert(name, here);
            }
            Statement::Open => {
                self.scopes.push(BTreeMap::new());
                self.labels.push(BTreeMap::new());
                self.jumps.push(vec![]);
            }
            Statement::Close => {
                self.scopes.pop();
                let further_out = self.end_jumps();
                self.jumps.last_mut().ok_or("a scope ends that did not begin")?.extend(further_out);
            }
            Statement::Registers(registers) => match registers.count {
                Some(count) => {
                    self.stems.insert(registers.name, (self.registers.len(), count));
                    self.registers.extend((0..count).map(|_| registers.bits));
                }
                None => {
                    let register = self.register(registers.bits);
                    self.define(registers.name, Name::Register(register));
                }
            },
            Statement::Variable(variable) if variable.space == Space::Shared => (),
            Statement::Variable(variable) => {
                let (at, len) = self.place(variable);
                self.define(variable.name, Name::Private(at, len));
            }
            Statement::Instruction(written) => {
                let line = written.line;
                self.instruction(written, function)
                    .map_err(|why| format!("line {line}: `{}`: {why}", written.name))?;
            }
        }
        Ok(())
    }

    fn define(&mut self, name: &'a str, meaning: Name) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, meaning);
        }
    }

    fn instruction(&mut self, written: &Written<'a>, function: &Function<'a>) -> Result<()> {
        let guard = match written.guard {
            Some((name, expected)) => Some((self.register_named(name)?, expected)),
            None => None,
        };
        let parts: Vec<&str> = written.name.split('.').collect();
        match parts[0] {
            "bra" => {
                let &[Operand::Name(label)] = &written.operands[..] else {
                    return Err("a label expected".into());
                };
                let here = self.instructions.len();
                self.jumps.last_mut().ok_or("no scope")?.push((here, label));
                self.push(guard, Operation::Nothing, (vec![], vec![]), written.line);
            }
            "call" => self.call(guard, written)?,
            "ret" => self.leave(function, guard, written.line),
            "setp" if parts.len() == 4 => self.joined_comparison(guard, &parts, written)?,
            "exit" => self.push(guard, Operation::Exit, (vec![], vec![]), written.line),
            _ => {
                let (operation, operands) = self.operation(&parts, &written.operands)?;
                self.push(guard, operation, operands, written.line);
            }
        }
        Ok(())
    }

    /// A comparison and a predicate, joined (`setp.lt.and.u32`), as two or three instructions.
    fn joined_comparison(
        &mut self,
        guard: Option<(usize, bool)>,
        parts: &[&str],
        written: &Written<'a>,
    ) -> Result<()> {
        let [to, a, b, joined] = &written.operands[..] else {
            return Err("four operands expected".into());
        };
        let compared = Source::Register(self.register(1));
        let (compare, (_, sources)) =
            self.operation(&[parts[0], parts[1], parts[3]], &[to.clone(), a.clone(), b.clone()])?;
        let register = |source| match source {
            Source::Register(register) => vec![register],
            Source::Constant(_) => vec![],
        };
        self.push(guard, compare, (register(compared), sources), written.line);
        let plain = match joined {
            Operand::Not(name) => Operand::Name(name),
            other => other.clone(),
        };
        let (join, (to, mut sources)) =
            self.operation(&[parts[2], "pred"], &[to.clone(), plain.clone(), plain])?;
        if matches!(joined, Operand::Not(_)) {
            let negated = Source::Register(self.register(1));
            let negate = Operation::Compute(alu(&["not", "pred"]).ok_or("no negation")?);
            self.push(guard, negate, (register(negated), vec![sources[0]]), written.line);
            sources[0] = negated;
        }
        sources[1] = compared;
        self.push(guard, join, (to, sources), written.line);
        Ok(())
    }

    fn push(
        &mut self,
        guard: Option<(usize, bool)>,
        operation: Operation,
        (to, from): (Vec<usize>, Vec<Source>),
        line: u32,
    ) {
        self.instructions.push(Instruction { guard, operation, to, from, line });
    }

    fn leave(&mut self, function: &Function<'a>, guard: Option<(usize, bool)>, line: u32) {
        let operation = match function.is_entry {
            true => Operation::Exit,
            false => Operation::Return(self.signatures[function.name].back),
        };
        self.push(guard, operation, (vec![], vec![]), line);
    }

    fn call(&mut self, guard: Option<(usize, bool)>, written: &Written<'a>) -> Result<()> {
        let callee = callee(written).ok_or("a name expected")?;
        let lists = |operand: &Operand<'a>| match operand {
            Operand::List(list) => Some(list.clone()),
            _ => None,
        };
        let returned_first = matches!(written.operands.first(), Some(Operand::List(_)));
        let mut lists = written.operands.iter().filter_map(lists);
        let returns = if returned_first { lists.next().unwrap_or_default() } else { vec![] };
        let arguments = lists.next().unwrap_or_default();
        let signature = self.signatures.get(callee).cloned().ok_or("the function is not linked")?;
        let copies = |linker: &Self, own: &[Operand<'a>], its: &[(usize, usize)], there: bool| {
            if own.len() != its.len() {
                return Err(format!("{} parameters for {}", own.len(), its.len()));
            }
            own.iter()
                .zip(its)
                .map(|(operand, &(its, len))| {
                    let Operand::Name(name) = operand else { return Err("a name expected".into()) };
                    let Name::Private(own, own_len) = linker.named(name)? else {
                        return Err(format!("`{name}` is no parameter"));
                    };
                    let len = len.min(own_len);
                    Ok(if there {
                        Copy { from: own, to: its, len }
                    } else {
                        Copy { from: its, to: own, len }
                    })
                })
                .collect::<Result<Vec<Copy>>>()
        };
        let there = copies(self, &arguments, &signature.parameters, true)?;
        let back = copies(self, &returns, &signature.returns, false)?;
        self.calls.push((self.instructions.len(), callee));
        let call = Operation::Call { target: 0, back: signature.back, copies: there };
        self.push(guard, call, (vec![], vec![]), written.line);
        self.push(guard, Operation::Returned(back), (vec![], vec![]), written.line);
        Ok(())
    }

    /// What a name means here.
    pub fn named(&self, name: &str) -> Result<Name> {
        let found = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        if let Some(&meaning) = found.or_else(|| self.globals.get(name)) {
            return Ok(meaning);
        }
        let digits = name.len() - name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (stem, number) = name.split_at(digits);
        match (self.stems.get(stem), number.parse::<u32>()) {
            (Some(&(first, count)), Ok(number)) if number < count => {
                Ok(Name::Register(first + number as usize))
            }
            _ => Err(format!("`{name}` is not declared")),
        }
    }

    pub fn register_named(&self, name: &str) -> Result<usize> {
        match self.named(name)? {
            Name::Register(register) => Ok(register),
            _ => Err(format!("`{name}` is no register")),
        }
    }

    /// A register that holds what a thread knows of itself.
    pub fn special(&mut self, special: Special) -> Source {
        if let Some(&(_, register)) = self.special.iter().find(|(known, _)| *known == special) {
            return Source::Register(register);
        }
        let register = self.register(32);
        self.special.push((special, register));
        Source::Register(register)
    }

    /// Gives every function few registers of its own, in the place of many.
    fn share_rows(&mut self) {
        let mut first_rows = Vec::new();
        let fixed = |linker: &Self| {
            let special = linker.special.iter().map(|&(_, register)| register);
            let back = linker.signatures.values().map(|signature| signature.back);
            special.chain(back).collect::<BTreeSet<usize>>()
        };
        let pinned = fixed(self);
        // Those that no function has for itself come first.
        let places: BTreeMap<usize, usize> =
            pinned.iter().enumerate().map(|(row, &register)| (register, row)).collect();
        first_rows.extend(pinned.iter().map(|&register| self.registers[register]));
        let mut begins: Vec<usize> = self.begins.values().copied().collect();
        begins.sort_unstable();
        let ends = begins.iter().skip(1).copied().chain([self.instructions.len()]);
        for (begin, end) in begins.iter().copied().zip(ends.collect::<Vec<_>>()) {
            let code = &mut self.instructions[begin..end];
            let mut own = BTreeMap::new();
            for instruction in &*code {
                let all =
                    rows::registers(instruction).filter(|register| !pinned.contains(register));
                own.extend(all.map(|register| (register, self.registers[register])));
            }
            rows::share(code, begin, &own, &places, &mut first_rows);
        }
        for instruction in &mut self.instructions {
            if let Operation::Call { back, .. } | Operation::Return(back) =
                &mut instruction.operation
            {
                *back = places[back];
            }
        }
        for (_, register) in &mut self.special {
            *register = places[register];
        }
        self.registers = first_rows;
    }

    fn finish(mut self, entry: &str) -> Result<Program> {
        self.share_rows();
        for (at, callee) in std::mem::take(&mut self.calls) {
            if let Operation::Call { target, .. } = &mut self.instructions[at].operation {
                *target = self.begins[callee];
            }
        }
        Ok(Program {
            entry: self.begins[entry],
            instructions: self.instructions,
            registers: self.registers,
            constants: self.constants,
            special: self.special,
            private: self.private.next_multiple_of(16),
            arguments: self.arguments,
            shared: self.shared,
        })
    }
}

/// What a special register's name stands for.
pub(super) fn special(name: &str) -> Option<Special> {
    let (stem, axis) = match name.rsplit_once('.') {
        Some((stem, axis)) => (stem, ["x", "y", "z"].iter().position(|&a| a == axis)?),
        None => (name, 0),
    };
    Some(match stem {
        "%tid" => Special::Thread(axis),
        "%ntid" => Special::Threads(axis),
        "%ctaid" => Special::Block(axis),
        "%nctaid" => Special::Blocks(axis),
        "%laneid" => Special::Lane,
        "%warpid" => Special::Warp,
        "%lanemask_lt" => Special::Lanes(Ordering::Less),
        "%lanemask_le" => Special::Lanes(Ordering::LessEqual),
        "%lanemask_eq" => Special::Lanes(Ordering::Equal),
        "%lanemask_ge" => Special::Lanes(Ordering::GreaterEqual),
        "%lanemask_gt" => Special::Lanes(Ordering::Greater),
        _ => return None,
    })
}
