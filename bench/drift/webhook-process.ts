import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port.ts';
import { cpuOf } from '../cpu-of.ts';
import { memoryOf } from '../memory-of.ts';
import { decides } from './load.ts';
import type { Target } from './webhook-connection.ts';
import type { Write } from './writes.ts';

export type WebhookProcess = {
  readonly target: Target;
  /** Time on a core that it has used so far, milliseconds. */
  cpu(): number;
  /** Megabytes that it has in memory. */
  memory(): number;
  stop(): Promise<void>;
};

/** What both webhooks are started with. */
export type WebhookSetting = {
  /** Has `tls.crt` and `tls.key`, and gets the log. */
  readonly folder: string;
  readonly ca: string;
  readonly kubeconfig: string;
  /** The webhook works when it decides on this. */
  readonly probe: Write;
};

const START_MS = 60_000;

/** Starts a webhook with the flags that ours and the original's have in common, and waits until it decides. */
export async function startWebhook(
  command: readonly [program: string, ...args: readonly string[]],
  { folder, ca, kubeconfig, probe }: WebhookSetting,
): Promise<WebhookProcess> {
  const [program, ...args] = command;
  const [port, health] = [await freePort(), await freePort()];
  const flags = {
    '--host': '127.0.0.1',
    '--port': String(port),
    '--cert-dir': folder,
    '--health-probe-bind-address': `127.0.0.1:${health}`,
    '--metrics-bind-address': '0',
  };
  const file = join(folder, `${port}.log`);
  const log = openSync(file, 'w');
  const child = spawn(program, [...args, ...Object.entries(flags).flat()], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: ['ignore', log, log],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const target = { port, ca };
  const until = performance.now() + START_MS;
  while (!(await decides(target, probe))) {
    const isRunning = child.exitCode === null && child.signalCode === null;
    assert(isRunning && performance.now() < until, `${program}: ${readFileSync(file, 'utf8')}`);
    await delay(50);
  }
  return {
    target,
    cpu: () => cpuOf(child.pid ?? 0),
    memory: () => memoryOf(child.pid ?? 0),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
