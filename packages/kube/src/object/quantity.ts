/** Decimal SI (`12M`), binary SI (`12Mi`) or decimal exponent (`12e6`). */
export type QuantityFormat = 'decimal' | 'binary' | 'exponent';

/**
 * An exact amount, `unscaled × 10^-scale`, and the family of suffixes it was written with
 * (`k8s.io/apimachinery/pkg/api/resource`).
 */
export type Quantity = {
  readonly unscaled: bigint;
  /** Digits after the decimal point; negative for trailing zeros left out. */
  readonly scale: number;
  readonly format: QuantityFormat;
  /** The text it was read from, where Go keeps that instead of rewriting it. */
  readonly text?: string;
};

/** `a + b`, in the suffix family of `a` (of `b` where `a` is zero). */
export function addQuantity(a: Quantity, b: Quantity): Quantity {
  const scale = Math.max(a.scale, b.scale);
  const format = a.unscaled === 0n ? b.format : a.format;
  return { unscaled: rescale(a, scale) + rescale(b, scale), scale, format };
}

export function negateQuantity({ unscaled, scale, format }: Quantity): Quantity {
  return { unscaled: -unscaled, scale, format };
}

/** The amount as an integer if it is one. */
export function quantityAsInteger({ unscaled, scale }: Quantity): bigint | undefined {
  if (scale <= 0) return unscaled * 10n ** BigInt(-scale);
  const divisor = 10n ** BigInt(scale);
  return unscaled % divisor === 0n ? unscaled / divisor : undefined;
}

/** The amount times 10^digits, rounded away from zero: `1.5` in thousandths (3 digits) is 1500. */
export function scaledQuantity({ unscaled, scale }: Quantity, digits = 0): bigint {
  const shift = scale - digits;
  if (shift <= 0) return unscaled * 10n ** BigInt(-shift);
  return divideAwayFromZero(unscaled, 10n ** BigInt(shift));
}

export function quantityAsNumber({ unscaled, scale }: Quantity): number {
  return Number(`${unscaled}e${-scale}`);
}

export function divideAwayFromZero(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  if (value % divisor === 0n) return quotient;
  return value < 0n ? quotient - 1n : quotient + 1n;
}

/** The digits of the amount at a scale no coarser than its own. */
export function rescale({ unscaled, scale }: Quantity, to: number): bigint {
  return unscaled * 10n ** BigInt(to - scale);
}
