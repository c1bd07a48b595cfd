import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { runCommand } from '../main.ts';
import type { Terminal } from '../../terminal.ts';

/** A terminal in a folder of its own, anew for each test. */
export type TestTerminal = {
  readonly terminal: Terminal;
  readonly folder: string;
  readonly out: string;
  readonly err: string;
  readonly run: (...args: readonly string[]) => Promise<number>;
  /** What a person does with Ctrl-C. */
  readonly interrupt: () => void;
  /** Resolves when a long-running command serves. */
  readonly ready: () => Promise<void>;
};

export function useTerminal(): () => TestTerminal {
  let current: TestTerminal | undefined;
  beforeEach(() => {
    current = testTerminal(mkdtempSync(join(tmpdir(), 'kubewright-cli-')));
  });
  afterEach(() => {
    current?.interrupt();
    rmSync(current?.folder ?? '', { recursive: true });
  });
  return () => current ?? expect.fail('there is a terminal while a test runs');
}

function testTerminal(folder: string): TestTerminal {
  const stop = new AbortController();
  let out = '';
  let err = '';
  const terminal: Terminal = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    colour: false,
    env: { HOME: folder },
    cwd: folder,
    signal: stop.signal,
  };
  return {
    terminal,
    folder,
    get out() {
      return out;
    },
    get err() {
      return err;
    },
    run: (...args) => runCommand(args, terminal),
    interrupt: () => stop.abort(),
    ready: () => vi.waitFor(() => expect(out).toMatch(/^ready$/m), { timeout: 60_000 }),
  };
}
