import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

/** A process that the tests started, with a log of its own. */
export type Child = {
  readonly pid: number;
  /** Resolves when the process has ended, by itself or by {@link Child.stop}. */
  readonly ended: Promise<void>;
  readonly running: boolean;
  /** The last lines that it wrote. */
  tail(): string;
  /** SIGKILL: no time for good-byes. */
  kill(): Promise<void>;
  /** SIGTERM, and SIGKILL when that does not end it within five seconds. */
  stop(): Promise<void>;
};

async function stopped(process: ChildProcess, ended: Promise<void>): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  process.kill('SIGTERM');
  const kill = setTimeout(() => process.kill('SIGKILL'), 5_000);
  await ended;
  clearTimeout(kill);
}

/** Ending by a signal runs the `exit` handlers too. */
function exitOn(signal: NodeJS.Signals, code: number): void {
  if (process.listenerCount(signal) === 0) process.once(signal, () => process.exit(code));
}

/** Starts `command`, its output going to the file `log`. */
export function startChild(
  command: string,
  args: readonly string[],
  log: string,
  cwd: string,
  env?: NodeJS.ProcessEnv,
): Child {
  const out = openSync(log, 'a');
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', out, out] });
  closeSync(out);
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  // Nothing outlives the tests, however they end.
  process.once('exit', kill);
  exitOn('SIGTERM', 143);
  exitOn('SIGINT', 130);
  void ended.then(() => process.off('exit', kill));
  return {
    pid: child.pid ?? 0,
    ended,
    get running() {
      return child.exitCode === null && child.signalCode === null && child.pid !== undefined;
    },
    tail: () => readFileSync(log, 'utf8').split('\n').slice(-15).join('\n'),
    async kill() {
      kill();
      await ended;
    },
    stop: () => stopped(child, ended),
  };
}
