import { readFileSync } from 'node:fs';

/** Clock ticks of a core in a second, as `/proc` counts them. */
const TICKS = 100;

/** User and system time of a process with all its threads, from the kernel: milliseconds. */
export function cpuOf(pid: number): number {
  // Its name, in brackets, may hold blanks.
  const [, fields = ''] = /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const [user, system] = fields.split(' ').slice(11, 13);
  return ((Number(user) + Number(system)) * 1000) / TICKS;
}
