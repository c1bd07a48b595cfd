import { KubeError } from '../kube-error.ts';

/** Counts the work of evaluations and stops those that do too much. One unit is about one visited syntax node. */
export class CelMeter {
  private left = 0;
  private used = 0;
  exceeded = false;

  /** Begins to count anew, with this much allowed. */
  start(allowed: number): void {
    this.left = allowed;
    this.used = 0;
    this.exceeded = false;
  }

  /** What was used since {@link start}. */
  get cost(): number {
    return this.used;
  }

  spend(amount: number): void {
    this.used += amount;
    this.left -= amount;
    if (this.left >= 0) return;
    // CEL's `||` and quantifiers may swallow an error; the flag they cannot.
    this.exceeded = true;
    throw new KubeError('CostExceeded', 'operation cancelled: actual cost limit exceeded');
  }
}
