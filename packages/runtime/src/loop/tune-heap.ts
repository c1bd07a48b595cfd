import { setFlagsFromString } from 'node:v8';

/** By how much V8 lets the heap grow, of what was in use when it last collected all garbage, before it does so again. */
const GROWTH_PERCENT = 50;

/**
 * For a process that mostly waits, and then must respond at once. V8 would let its heap grow to four times of what is in use,
 * and collects nothing while it is at rest: after a burst of work the process would keep that memory. And it would share
 * the collection of what is young among threads, which takes longer than to copy the little that is left of a request: the
 * longest responses are those that wait for it, most of all where other processes use the cores. NODE_OPTIONS does not
 * permit the flags.
 */
export function tuneHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString('--no-parallel-scavenge');
}
