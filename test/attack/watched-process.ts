import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

/** A process under attack: what it printed, how it ended, what memory it takes. */
export type WatchedProcess = {
  readonly pid: number;
  /** The exit code or the signal; undefined while it runs. */
  readonly exit: string | undefined;
  readonly ended: Promise<string>;
  /** All that it wrote, to stdout and stderr. */
  output(): string;
  /** Resolves when a line of its output matches; rejects when it ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Megabytes of its memory now. */
  memory(): number;
  /** The most since {@link WatchedProcess.forgetPeak}. */
  peak(): number;
  forgetPeak(): void;
  kill(signal: NodeJS.Signals): void;
  /** SIGTERM, then SIGKILL after ten seconds. */
  stop(): Promise<void>;
};

const STOP_MS = 10_000;
/** Written to `clear_refs`, it resets the high-water mark of resident memory. */
const RESET_PEAK = '5';

export type Command = {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
};

/** Starts Node.js with these arguments. */
export function startWatched({ args, cwd, env }: Command): WatchedProcess {
  const child = spawn(process.execPath, [...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const listeners = new Set<() => void>();
  let output = '';
  const add = (chunk: Buffer): void => {
    output += chunk.toString();
    for (const listener of listeners) listener();
  };
  child.stdout.on('data', add);
  child.stderr.on('data', add);
  const killWithThis = (): void => void child.kill('SIGKILL');
  process.once('exit', killWithThis);
  let exit: string | undefined;
  const ended = endOf(child).then((how) => {
    exit = how;
    process.off('exit', killWithThis);
    for (const listener of listeners) listener();
    return how;
  });
  const { pid = 0 } = child;
  return {
    pid,
    get exit() {
      return exit;
    },
    ended,
    output: () => output,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(output);
          if (found === null && exit === undefined) return;
          listeners.delete(look);
          if (found !== null) resolve(found);
          else reject(new TypeError(`${args.join(' ')} ended with ${exit}: ${output.slice(-2000)}`));
        };
        listeners.add(look);
        look();
      }),
    memory: () => megabytes(pid, 'VmRSS'),
    peak: () => megabytes(pid, 'VmHWM'),
    forgetPeak: () => resetPeak(pid),
    kill: (signal) => void child.kill(signal),
    async stop() {
      if (exit !== undefined) return;
      child.kill('SIGTERM');
      const kill = setTimeout(killWithThis, STOP_MS);
      await ended;
      clearTimeout(kill);
    },
  };
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(String(code ?? signal)));
    child.once('error', (error) => resolve(error.message));
  });
}

/** 0 where it is not available, as on systems without /proc, or when the process has ended. */
function megabytes(pid: number, field: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, RESET_PEAK);
  } catch {
    // Without it the peak is that of the whole life, which is no smaller.
  }
}
