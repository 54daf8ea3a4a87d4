//! What can go wrong, and what to do about it.

/// The result of every fallible call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No GPU can be used.
    #[error(
        "no usable GPU: {0}; install its Vulkan driver, or one that computes on the CPU, such as Mesa's lavapipe"
    )]
    NoAdapter(String),
    /// The stream is damaged, or not one.
    #[error(transparent)]
    Stream(#[from] fsz::Error),
    /// The stream or the slice is of a kind that is decoded on the CPU only.
    #[error("not decoded on the GPU: {0}; decode it on the CPU")]
    Unsupported(String),
    /// An argument is outside what the call takes.
    #[error("{0}")]
    InvalidArgument(String),
    /// The GPU or its driver failed, or its memory is full.
    #[error("the GPU failed: {0}; decode on the CPU")]
    Device(String),
}

impl Error {
    pub(crate) fn device(reason: impl ToString) -> Self {
        Error::Device(reason.to_string())
    }
}
