import { readdirSync, readFileSync } from 'node:fs';

const INTERVAL_MS = 100;

type Process = { readonly pid: number; readonly parent: number; readonly kilobytes: number };

/**
 * Watches the memory of all that a process starts, itself excepted: of a test binary, that is the control plane. What it
 * returns ends the watch, and says the most that they had together, in megabytes; 0 where there is no /proc.
 */
export function watchMemory(pid: number): () => number {
  let peak = 0;
  const look = (): void => {
    peak = Math.max(peak, memoryBelow(pid, allProcesses()));
  };
  const timer = setInterval(look, INTERVAL_MS);
  return () => {
    clearInterval(timer);
    return peak / 1024;
  };
}

function memoryBelow(pid: number, processes: readonly Process[]): number {
  const children = processes.filter(({ parent }) => parent === pid);
  return children.reduce((sum, child) => sum + child.kilobytes + memoryBelow(child.pid, processes), 0);
}

function allProcesses(): readonly Process[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? processOf(name) : []));
  } catch {
    return [];
  }
}

/** Empty where it has just ended. */
function processOf(pid: string): readonly Process[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const numberOf = (field: string): number =>
      Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    return [{ pid: Number(pid), parent: numberOf('PPid'), kilobytes: numberOf('VmRSS') }];
  } catch {
    return [];
  }
}
