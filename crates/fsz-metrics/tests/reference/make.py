"""Writes values.rs: what numpy, scipy and scikit-image say about the fields of ../reference.rs.

    python make.py > values.rs      # made with numpy 2.4.6, scipy 1.17.1, scikit-image 0.26.0

Both sides build the same fields to the bit: integers of one linear congruential generator and
operations that IEEE 754 rounds in one way only.
"""

import numpy as np
from scipy.ndimage import uniform_filter
from skimage.metrics import (
    mean_squared_error,
    normalized_root_mse,
    peak_signal_noise_ratio,
    structural_similarity,
)

STEP = 0.1
BOUND = 0.045
MISSING = 1e20


def uniform(count, seed):
    """`count` numbers in [0, 1): the upper 24 bits of Knuth's MMIX generator."""
    state, out = seed, np.empty(count)
    for i in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out[i] = (state >> 40) / 2**24
    return out


def original(shape, seed):
    """A ramp per axis, a product term and noise."""
    index = np.indices(shape, dtype=np.float64)
    ramp = sum((a + 1) * index[a] / 32 for a in range(len(shape)))
    bend = np.prod(index, axis=0) / 4096
    return ramp + bend + uniform(int(np.prod(shape)), seed).reshape(shape)


def reconstruction(field):
    return np.floor(field / STEP + 0.5) * STEP


def pair(shape, seed, dtype):
    a = original(shape, seed).astype(dtype)
    b = reconstruction(a.astype(np.float64)).astype(dtype)
    return a, b


def masked_pair(shape, seed):
    """NaN, +Inf and 1e20 in the original; one of each is not kept; one number is lost."""
    a, b = pair(shape, seed, np.float32)
    fa, fb = a.reshape(-1), b.reshape(-1)
    for at, value in ((3, np.nan), (500, np.inf), (900, MISSING), (901, MISSING)):
        fa[at] = fb[at] = value
    fa[40] = np.nan
    fa[41] = -np.inf
    fa[42] = MISSING
    fb[777] = np.nan
    return a, b


def say(name, value):
    kind = {int: "u64", float: "f64"}
    if isinstance(value, (list, np.ndarray)):
        items = [v.item() if hasattr(v, "item") else v for v in value]
        body = ", ".join(repr(v).replace("nan", "f64::NAN") for v in items)
        print(f"pub const {name}: &[{kind[type(items[0])]}] = &[{body}];")
    else:
        value = value.item() if hasattr(value, "item") else value
        print(f"pub const {name}: {kind[type(value)]} = {value!r};")


def derivative(prefix, a, b):
    """RMS error of gradient and Laplacian over the original's, at interior points without NaN."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    inner = tuple(slice(1, -1) for _ in range(a.ndim))

    def squares(field):
        slopes = np.atleast_2d(np.gradient(field)) if field.ndim == 1 else np.gradient(field)
        gradient = sum(slope[inner] ** 2 for slope in slopes)
        laplacian = 0.0
        for axis in range(field.ndim):
            around = np.roll(field, 1, axis) + np.roll(field, -1, axis)
            laplacian = laplacian + (around - 2 * field)[inner]
        return gradient, laplacian**2

    (gradient, laplacian), (gradient_off, laplacian_off) = squares(a), squares(b - a)
    taken = np.isfinite(laplacian_off) & np.isfinite(gradient_off)
    say(f"{prefix}_GRADIENT", np.sqrt(gradient_off[taken].sum() / gradient[taken].sum()))
    say(f"{prefix}_LAPLACIAN", np.sqrt(laplacian_off[taken].sum() / laplacian[taken].sum()))
    say(f"{prefix}_POINTS", int(taken.sum()))


def pointwise(prefix, a, b):
    a, b = a.astype(np.float64), b.astype(np.float64)
    span = float(a.max() - a.min())
    error = b - a
    say(f"{prefix}_MIN", a.min())
    say(f"{prefix}_MAX", a.max())
    say(f"{prefix}_MAX_ABS_ERROR", np.abs(error).max())
    say(f"{prefix}_MAX_ABS_ERROR_AT", int(np.abs(error).argmax()))
    say(f"{prefix}_MEAN_ERROR", error.mean())
    say(f"{prefix}_RMSE", np.sqrt(mean_squared_error(a, b)))
    say(f"{prefix}_NRMSE", normalized_root_mse(a, b, normalization="min-max"))
    say(f"{prefix}_PSNR", peak_signal_noise_ratio(a, b, data_range=span))
    say(f"{prefix}_BEYOND", int((np.abs(error) > BOUND).sum()))


def ssim_of_slices(a, b, valid=None):
    """Mean over the planes of the last two axes with the range of the whole field."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    valid = np.ones(a.shape, bool) if valid is None else valid
    span = a[valid].max() - a[valid].min()
    window = tuple(min(7, n) for n in a.shape[-2:])
    inside = tuple(slice(w // 2, n - (w - 1) // 2) for w, n in zip(window, a.shape[-2:]))
    n = window[0] * window[1]
    total, used = [], 0
    for x, y, ok in zip(
        *(f.reshape((-1,) + a.shape[-2:]) for f in (a, b, valid)), strict=True
    ):
        x, y = np.where(ok, x, 0), np.where(ok, y, 0)
        mean = lambda f: uniform_filter(f, window)[inside]
        ux, uy = mean(x), mean(y)
        vx, vy, vxy = (
            n / (n - 1) * (mean(p) - q)
            for p, q in ((x * x, ux * ux), (y * y, uy * uy), (x * y, ux * uy))
        )
        c1, c2 = (0.01 * span) ** 2, (0.03 * span) ** 2
        s = (2 * ux * uy + c1) * (2 * vxy + c2) / ((ux**2 + uy**2 + c1) * (vx + vy + c2))
        whole = mean(ok.astype(np.float64)) > 1 - 0.5 / n
        total.append(s[whole].sum())
        used += int(whole.sum())
    return sum(total) / used, used


def autocorrelation(a, b, axis, lags):
    with np.errstate(invalid="ignore"):
        error = b.astype(np.float64) - a.astype(np.float64)
    ok = np.isfinite(error) & (a != np.float32(MISSING))
    centred = np.where(ok, error - error[ok].mean(), np.nan)
    length = a.shape[axis]
    out = []
    for lag in range(1, lags + 1):
        near = np.take(centred, range(length - lag), axis)
        far = np.take(centred, range(lag, length), axis)
        out.append(np.nanmean(near * far) / np.nanmean(centred**2))
    return out


def spectrum(prefix, field):
    field = field.astype(np.float64)
    power = np.abs(np.fft.fftn(field - field.mean())) ** 2 / field.size**2
    squared = sum(
        np.fft.fftfreq(n).reshape([-1 if a == i else 1 for a in range(field.ndim)]) ** 2
        for i, n in enumerate(field.shape)
    )
    longest = max(field.shape)
    shell = np.floor(np.sqrt(squared) * longest + 0.5).astype(int)
    count = longest // 2 + 1
    kept = shell < count
    modes = np.bincount(shell[kept], minlength=count)
    say(f"{prefix}_MODES", modes)
    say(f"{prefix}_POWER", np.bincount(shell[kept], power[kept], count) / modes)


def main():
    print("// Written by make.py; do not edit.")
    for name, dtype in (("F32", np.float32), ("F64", np.float64)):
        pointwise(name, *pair((5, 30, 40), 1, dtype))

    a, b = masked_pair((5, 30, 40), 1)
    ok = np.isfinite(a) & (a != np.float32(MISSING))
    both = ok & np.isfinite(b)
    error = b.astype(np.float64)[both] - a.astype(np.float64)[both]
    say("MASKED_COMPARED", int(both.sum()))
    say("MASKED_RMSE", np.sqrt((error**2).mean()))
    say("MASKED_MEAN_ERROR", error.mean())
    mean, windows = ssim_of_slices(a, b, both)
    say("MASKED_SSIM", float(mean))
    say("MASKED_SSIM_WINDOWS", windows)
    say("MASKED_AUTOCORRELATION", autocorrelation(a, b, 2, 3))

    a, b = (f.astype(np.float64) for f in pair((90, 40), 2, np.float32))
    say("SSIM_2D", structural_similarity(a, b, data_range=a.max() - a.min()))
    a, b = (f.astype(np.float64) for f in pair((300,), 3, np.float64))
    say("SSIM_1D", structural_similarity(a, b, data_range=a.max() - a.min()))
    a, b = (f.astype(np.float64) for f in pair((5, 30, 40), 1, np.float32))
    span = a.max() - a.min()
    say(
        "SSIM_3D",
        np.mean([structural_similarity(x, y, data_range=span) for x, y in zip(a, b)]),
    )
    a, b = pair((3, 5, 40), 4, np.float32)
    say("SSIM_NARROW", float(ssim_of_slices(a, b)[0]))

    a, b = pair((5, 30, 40), 1, np.float64)
    counts, _ = np.histogram(b - a, bins=16, range=(-BOUND, BOUND))
    say("HISTOGRAM", counts)
    say("HISTOGRAM_BELOW", int((b - a < -BOUND).sum()))
    say("HISTOGRAM_ABOVE", int((b - a > BOUND).sum()))
    for axis in range(3):
        say(f"AUTOCORRELATION_{axis}", autocorrelation(a, b, axis, min(6, a.shape[axis] - 1)))

    spectrum("SPECTRUM_3D", original((8, 16, 16), 5))
    spectrum("SPECTRUM_BOX", original((5, 9, 17), 6).astype(np.float32))
    spectrum("SPECTRUM_1D", original((101,), 7))


main()

derivative("DERIVATIVE_1D", *pair((101,), 7, np.float64))
derivative("DERIVATIVE_3D", *pair((5, 30, 40), 1, np.float32))
a, b = masked_pair((5, 30, 40), 1)
a[a == np.float32(MISSING)] = np.nan
derivative("DERIVATIVE_MASKED", np.where(np.isfinite(a), a, np.nan), b)
