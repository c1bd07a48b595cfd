import type { Report } from './protocol.ts';

/** Whether a process is to run when it starts; `earlier` is the last report of its pod. */
export function isToRun(earlier: Report | undefined, startPaused: boolean): boolean {
  return earlier === undefined ? !startPaused : earlier.mode === 'running' || earlier.waiting === true;
}
