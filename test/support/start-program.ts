import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChild } from './child.ts';
import { freePort } from './free-port.ts';

export type Started = { readonly url: string; readonly stop: () => Promise<void> };

const READY_MS = 60_000;

/** Starts a program with its data in a temporary folder; resolves when its path `ready` responds, and not with 5xx. */
export async function startProgram(
  path: string,
  ready: string,
  argsFor: (port: number, folder: string) => readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-program-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = startChild(path, argsFor(port, folder), join(folder, 'log'), folder, {
    PATH: process.env['PATH'],
    ...env,
  });
  const stop = async (): Promise<void> => {
    await child.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const end = performance.now() + READY_MS;
  while ((await statusOf(`${url}${ready}`)) >= 500) {
    if (!child.running || performance.now() > end) {
      const why = child.tail();
      await stop();
      throw new TypeError(`${path} did not start:\n${why}`);
    }
    await delay(100);
  }
  return { url, stop };
}

/** 503 where nobody responds. */
async function statusOf(url: string): Promise<number> {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 503;
  }
}

export async function isOk(url: string): Promise<boolean> {
  return (await statusOf(url)) < 300;
}
