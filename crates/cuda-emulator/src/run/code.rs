//! Programs whose names are resolved.

use super::{
    alu::Alu,
    lanes::{Lanes, Mask},
};
use crate::ptx::parse::Space;

/// An entry point with all functions that it calls.
#[derive(Debug)]
pub(crate) struct Program {
    pub instructions: Vec<Instruction>,
    /// Where the entry point begins.
    pub entry: usize,
    /// Bits of each register.
    pub registers: Vec<u8>,
    pub constants: Vec<Lanes>,
    /// Registers that hold what a thread knows of itself.
    pub special: Vec<(Special, usize)>,
    /// Memory of each thread: parameters first, then local variables.
    pub private: usize,
    /// Where each of the launch's arguments lies in it, and its bytes.
    pub arguments: Vec<(usize, usize)>,
    /// Shared memory without what a launch adds.
    pub shared: usize,
}

/// What a thread knows of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    /// Its place in the thread block, by axis.
    Thread(usize),
    /// Threads of a thread block.
    Threads(usize),
    /// Its thread block's place in the grid.
    Block(usize),
    /// Thread blocks of the grid.
    Blocks(usize),
    Lane,
    Warp,
    /// Lanes below, at, up to, from and above its own.
    Lanes(Ordering),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ordering {
    Less,
    LessEqual,
    Equal,
    GreaterEqual,
    Greater,
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Register(usize),
    Constant(usize),
}

/// One instruction.
#[derive(Debug)]
pub(crate) struct Instruction {
    /// A predicate, and the value of it with which the instruction is executed.
    pub guard: Option<(usize, bool)>,
    pub operation: Operation,
    pub to: Vec<usize>,
    pub from: Vec<Source>,
    /// In the text.
    pub line: u32,
}

/// What an instruction does with its operands.
#[derive(Debug)]
pub(crate) enum Operation {
    /// Nothing that one thread after another could notice.
    Nothing,
    /// `to = f(from)`.
    Compute(Alu),
    /// `to[0] = from[0]`, as many bits as the register has.
    Move,
    /// `to[0]` is what the sources are side by side, each of so many bits.
    Pack(u32),
    /// The reverse.
    Unpack(u32),
    /// `to = memory[from[0] + offset]`, one element after another.
    Load(Access),
    /// `memory[from[0] + offset] = from[1..]`.
    Store(Access),
    /// `to[0] = memory[from[0] + offset]`, and the memory becomes that with `from[1..]`.
    Atomic(Access, fn([u64; 3]) -> u64),
    /// To another instruction.
    Branch(usize),
    /// To a function, with a copy of its arguments.
    Call {
        target: usize,
        back: usize,
        copies: Vec<Copy>,
    },
    /// What stands behind a call: a copy of what the function returned.
    Returned(Vec<Copy>),
    /// To where the register tells.
    Return(usize),
    Exit,
    /// Later, once others had their turn.
    Yield,
    /// `to[0] = from[0]` of another lane, and whether there is one in `to[1]`.
    Shuffle(Shuffle),
    Vote(Vote),
    /// One value of all lanes.
    Reduce(fn(u32, u32) -> u32),
    /// `movmatrix`: all lanes transpose a matrix of 8 × 8 half words.
    Transpose,
    /// Which lanes have the same value.
    Match,
    /// All lanes of the mask `from[0]` come here.
    WarpBarrier,
    /// All threads of the thread block come to barrier `from[0]`, or `from[1]` of them.
    BlockBarrier,
    /// The launch before is done.
    AwaitBefore,
    /// Memory to shared memory, later: so many bytes, `from[2]` of them read and zeros behind.
    CopyLater(usize),
    /// What was to be copied so far is one group.
    EndGroup,
    /// Copies until at most so many groups are left; none and no open one: all.
    FinishCopies(Option<u32>),
    Phase(Phase),
    /// A box of the tensor whose map is at `from[1]`, from column `from[2]` and row `from[3]` on, to `from[0]`, later;
    /// the barrier at `from[4]` counts its bytes.
    CopyBox,
}

/// Bytes in a thread's own memory: from, to and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Copy {
    pub from: usize,
    pub to: usize,
    pub len: usize,
}

/// Access to memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub space: Space,
    pub offset: i64,
    /// Bytes of an element.
    pub size: usize,
    /// Whether what is read keeps its sign in a wider register.
    pub signed: bool,
}

/// Which lane a value is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

/// What lanes agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vote {
    All,
    Any,
    Uniform,
    Ballot,
}

/// On a barrier in shared memory that counts phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Begin,
    Arrive,
    /// Arrive, and let the phase wait for so many bytes of copies too.
    ArriveExpecting,
    /// Whether the phase of a parity is over.
    IsOver,
}

impl Ordering {
    /// The lanes that stand so to `lane`.
    pub fn lanes(self, lane: usize) -> Mask {
        let own = 1u32 << lane;
        match self {
            Ordering::Less => own - 1,
            Ordering::LessEqual => own | (own - 1),
            Ordering::Equal => own,
            Ordering::GreaterEqual => !(own - 1),
            Ordering::Greater => !(own | (own - 1)),
        }
    }
}
