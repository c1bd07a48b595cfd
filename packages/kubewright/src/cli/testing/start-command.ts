import { expect } from 'vitest';
import { runCommand } from '../main.ts';

export type RunningCommand = {
  /** What it has said on stderr so far. */
  readonly err: () => string;
  /** Resolves with the exit code. */
  stop(): Promise<number>;
};

/** Runs a command until `stop`; resolves when it is ready. */
export async function startCommand(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<RunningCommand> {
  const stop = new AbortController();
  const { signal } = stop;
  let err = '';
  let ready: () => void = () => undefined;
  const isReady = new Promise<void>((resolve) => (ready = resolve));
  const terminal = {
    out: (text: string) => void (text.includes('ready\n') && ready()),
    err: (text: string) => void (err += text),
    colour: false,
    env,
    cwd,
    signal,
  };
  const ended = runCommand(args, terminal);
  await Promise.race([
    isReady,
    ended.then((code) => expect.fail(`${args.join(' ')} ended with ${code}: ${err}`)),
  ]);
  return {
    err: () => err,
    stop() {
      stop.abort();
      return ended;
    },
  };
}
