import { KubeError } from '../kube-error.ts';

/**
 * Counts the work of evaluations and stops those that do too much. One unit is about one visited syntax node, a fifth of a
 * microsecond.
 */
export class CelMeter {
  private left = 0;
  private used = 0;
  /** One error for all: after the first, it may be thrown and caught a thousand times more. */
  private error: KubeError | undefined;

  get exceeded(): boolean {
    return this.error !== undefined;
  }

  /** Begins to count anew, with this much allowed. */
  start(allowed: number): void {
    this.left = allowed;
    this.used = 0;
    this.error = undefined;
  }

  /** What was used since {@link start}. */
  get cost(): number {
    return this.used;
  }

  /** Does a step whose {@link spendOnCall functions} this meter counts too. */
  during<T>(step: () => T): T {
    meters.push(this);
    try {
      return step();
    } finally {
      meters.pop();
    }
  }

  spend(amount: number): void {
    this.used += amount;
    this.left -= amount;
    if (this.left >= 0) return;
    // CEL's `||` and quantifiers may swallow an error; the meter they cannot.
    this.error ??= new KubeError('CostExceeded', 'operation cancelled: actual cost limit exceeded');
    throw this.error;
  }
}

/** Those that count now; the last one counts what functions do. */
const meters: CelMeter[] = [];

/** What a function of the library is about to do, beyond its arguments' size. Nothing outside of {@link CelMeter.during}. */
export function spendOnCall(amount: number): void {
  meters.at(-1)?.spend(amount);
}
