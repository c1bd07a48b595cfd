import { setFlagsFromString } from 'node:v8';

/** By how much V8 lets the heap grow, of what was in use when it last collected all garbage, before it does so again. */
const GROWTH_PERCENT = 50;

/**
 * For a process that mostly waits. V8 would let its heap grow to four times of what is in use, and collects nothing while it is
 * at rest: after a burst of work the process would keep that memory. NODE_OPTIONS does not permit the flag.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
