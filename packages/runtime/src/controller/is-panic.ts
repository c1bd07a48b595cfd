/** Whether only a bug throws this error. `fetch` throws a `TypeError` too, with the network's error as its cause. */
const MISTAKES = [TypeError, RangeError, ReferenceError, SyntaxError];

export function isPanic(error: unknown): boolean {
  return MISTAKES.some((kind) => error instanceof kind) && (error as Error).cause === undefined;
}
