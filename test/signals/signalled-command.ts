import { AssertionError } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { KUBEWRIGHT } from '../support/kubewright-command.ts';

/** The command line, as a process that gets signals. */
export type SignalledCommand = {
  readonly pid: number;
  readonly out: string;
  readonly err: string;
  /** Resolves when it has printed this; rejects when it ends before. */
  printed(text: RegExp): Promise<void>;
  /** Writes to its standard input; resolves when that is read, but for what a pipe holds. */
  feed(text: string): Promise<void>;
  signal(name: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): void;
  /** Its exit code, or the signal that killed it; wrapped, because a promise would be waited for. */
  readonly ended: { readonly code: Promise<number | NodeJS.Signals | null> };
};

/** Starts it; its standard input stays open, as that of a terminal does. */
export function startSignalled(
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): SignalledCommand {
  const child = spawn(process.execPath, [...KUBEWRIGHT, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, TMPDIR: cwd, NODE_DISABLE_COMPILE_CACHE: '1', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  let out = '';
  let err = '';
  let look = (): void => undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
    look();
  });
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const code = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (exitCode, signal) => resolve(exitCode ?? signal));
  });
  return {
    pid: child.pid ?? 0,
    get out() {
      return out;
    },
    get err() {
      return err;
    },
    printed: (text) =>
      new Promise((resolve, reject) => {
        look = () => {
          if (text.test(out)) resolve();
        };
        look();
        const fail = (how: unknown): void =>
          reject(new AssertionError({ message: `${args.join(' ')} ended with ${String(how)}: ${err}` }));
        void code.then(fail);
      }),
    feed: (text) => new Promise((resolve) => void child.stdin.write(text, () => resolve())),
    signal: (name) => void child.kill(name),
    ended: { code },
  };
}
