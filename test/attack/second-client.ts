import { fileURLToPath } from 'node:url';
import { startSide } from '../support/side-process.ts';

/** What somebody else saw, who worked on while an attack was played. */
export type Seen = {
  /** Writes that the webhook of drift decided on, and which it allowed. */
  readonly writes: number;
  /** Milliseconds of the slowest write, and of the slowest response of `/readyz`. */
  readonly slowestWrite: number;
  readonly slowestReadyz: number;
  /** Milliseconds of the 99th percentile of writes. */
  readonly p99Write: number;
  /** The first errors of its own requests. None is allowed: it has done nothing wrong. */
  readonly errors: readonly string[];
};

export type SecondClient = {
  /** Forgets what was before; from now on it writes and looks. */
  begin(): Promise<void>;
  /** What it saw since. */
  end(): Promise<Seen>;
  stop(): Promise<void>;
};

const PROCESS = fileURLToPath(new URL('second-client-process.mjs', import.meta.url));

/** Starts it, in a process of its own, so that no attack holds it up in here. */
export function startSecondClient(kubeconfig: string, healthPort: number): SecondClient {
  const side = startSide(process.execPath, [PROCESS, kubeconfig, String(healthPort)]);
  return {
    begin: async () => void (await side.ask<true>('begin')),
    end: () => side.ask<Seen>('end'),
    stop: () => side.stop(),
  };
}
