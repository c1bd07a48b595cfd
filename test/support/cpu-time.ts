import { readFileSync } from 'node:fs';

/** Of Linux, in which /proc counts. */
const TICK_MS = 10;

/** Milliseconds of the processor's time that this process and those that it has waited for took; 0 where it is not available. */
export function cpuTime(): number {
  try {
    const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(/\) (?!.*\) )/);
    const [user, system, childUser, childSystem] = fields.split(' ').slice(11, 15).map(Number);
    return TICK_MS * ((user ?? 0) + (system ?? 0) + (childUser ?? 0) + (childSystem ?? 0));
  } catch {
    return 0;
  }
}
