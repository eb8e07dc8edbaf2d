"""What a call costs by itself, and what each byte costs: a line through an instance's figures by message length."""

from __future__ import annotations

import numpy as np

from . import statistics, timing

# A line has two parameters; intervals need a residual.
LEAST_POINTS = 3
# No figure counts as known better than this share: lengths are padded to blocks, so that figures lie off a line by more
# than their intervals, and the steadiest point would decide alone.
LEAST_SHARE = 0.005


def rows(performance: list[dict]) -> list[dict]:
    """Rows of fit.csv: one per instance, in the order of performance.csv; without figures of too few lengths."""
    groups: dict[tuple[str, str], list[dict]] = {}
    for row in performance:
        groups.setdefault((row["candidate"], row["instance"]), []).append(row)
    return [_row(names, group) for names, group in groups.items()]


def line(sizes: np.ndarray, values: np.ndarray, errors: np.ndarray) -> dict:
    """The line values ≈ fixed + slope × sizes, by least squares weighted with 1 / errors²; three or more points.

    Half-widths are of 95 % t intervals, the errors' common scale being taken from the residuals: what counts is how
    errors compare. `worst_residual` is the greatest distance of a value from the line as a share of the value, signed.
    """
    from scipy.special import stdtrit  # slow to import, as in statistics

    design = np.column_stack([np.ones_like(sizes), sizes])
    weighted = design / errors[:, None]
    inverse = np.linalg.inv(weighted.T @ weighted)
    fixed, slope = inverse @ weighted.T @ (values / errors)
    residuals = values - design @ (fixed, slope)
    degrees = len(sizes) - 2
    scale = np.sum((residuals / errors) ** 2) / degrees
    half_widths = stdtrit(degrees, (1 + statistics.LEVEL) / 2) * np.sqrt(scale * np.diag(inverse))
    worst = int(np.argmax(np.abs(residuals / values)))
    return {
        "fixed": float(fixed),
        "fixed_half_width": float(half_widths[0]),
        "slope": float(slope),
        "slope_half_width": float(half_widths[1]),
        "worst_residual": float(residuals[worst] / values[worst]),
        "worst_residual_bytes": int(sizes[worst]),
    }


def _row(names: tuple[str, str], group: list[dict]) -> dict:
    # A figure marked few is somebody else's in part, and its interval does not tell; one marked remembers is no call's.
    told = [row for row in group if row["status"] == "MEASURED"]
    measured = [row for row in told if not {"few", "remembers"} & set(row["marks"])]
    row = {**dict(zip(("candidate", "instance"), names, strict=True)), "digest_bits": group[0]["digest_bits"]}
    row["points"] = len(measured)
    if len(measured) < LEAST_POINTS:
        return row
    unit = timing.common_unit(measured)
    sizes = np.array([float(one["message_bytes"]) for one in measured])
    values = np.array([timing.figure(one, unit)[0] for one in measured])
    errors = np.array([_error(one, unit) for one in measured])
    source = measured[0]["cycle_source"] if unit == "cycles" else None
    return row | {"unit": unit, "cycle_source": source} | line(sizes, values, errors)


def _error(row: dict, unit: str) -> float:
    """The standard error of a row's figure, at least LEAST_SHARE of it."""
    value, half_width = timing.figure(row, unit)
    trials = row["undisturbed_trials"] if row["figure"] == "undisturbed" else row["trials"]
    known = half_width / statistics.quantile(trials, row["stopped"]) if half_width is not None else 0.0
    return max(float(known), LEAST_SHARE * value)
