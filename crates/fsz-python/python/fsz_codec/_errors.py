"""The exceptions of this package."""


class FszError(Exception):
    """The base of all exceptions that this package defines."""


class CorruptError(FszError):
    """The bytes are not a valid FSZ stream: damaged, forged, or something else altogether."""


class TruncatedError(CorruptError):
    """The stream ends early."""


class InvalidArgumentError(FszError, ValueError):
    """An argument is outside what the call takes."""


class UnsupportedError(FszError):
    """A valid request or stream that this release cannot serve."""


class DeviceError(FszError, RuntimeError):
    """A compute device or its driver failed."""
