import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A process beside this one: it responds to each line of input with a line of JSON. */
export type SideProcess = {
  /** Resolves when it has ended, whyever. */
  readonly ended: Promise<string>;
  ask<T>(order: string): Promise<T>;
  /** Ends the process and waits until it has ended. */
  stop(): Promise<void>;
};

/** Starts it, for example as one side of a comparison. Its standard error is shown. */
export function startSide(command: string, args: readonly string[]): SideProcess {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = endOf(child);
  // Whoever writes to a process that has ended is told by its answer.
  child.stdin.on('error', () => undefined);
  return {
    ended,
    async ask<T>(order: string) {
      child.stdin.write(`${order}\n`);
      const { value, done } = await answers.next();
      if (done === true) assert.fail(`${[command, ...args].join(' ')} ended with ${await ended}`);
      return JSON.parse(value) as T;
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(String(code ?? signal)));
    child.once('error', (error) => resolve(error.message));
  });
}
