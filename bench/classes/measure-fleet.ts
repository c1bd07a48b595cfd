import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@kubewright/kube';
import { type SideProcess, startSide } from '../../test/support/side-process.ts';
import { startCountingSource } from './metrics-source.ts';
import { type RunningManager, startManager } from './start-manager.ts';

const SETTLE_MS = 10_000;
export const REST_SECONDS = 30;
/** In which each class is read once, by default. */
const PASS_MS = 60_000;
const CLUSTER = fileURLToPath(new URL('cluster-process.mjs', import.meta.url));

export type Size = { readonly classes: number; readonly functions: number; readonly namespaces: number };

/** What the process of the cluster prints when all classes are available. */
type Run = {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Requests to the server, and a line for each component that sent them. */
  readonly perClass: number;
  readonly lines: readonly string[];
};

export type Fleet = Run & {
  readonly manager: { readonly cpuSeconds: number; readonly rss: number };
  /** Writes. */
  readonly idle: number;
  readonly restart: number;
  /** Of a source of metrics, while each class is read once. */
  readonly queries: number;
};

/** A cluster and a manager with the operator, a process each, as a checkout has built them. */
export async function measureFleet(
  checkout: string,
  { classes, functions, namespaces }: Size,
): Promise<Fleet> {
  const directory = mkdtempSync(join(tmpdir(), 'kubewright-bench-'));
  const kubeconfig = join(directory, 'kubeconfig');
  const numbers = [classes, functions, namespaces].map(String);
  const cluster = startSide(process.execPath, [CLUSTER, checkout, ...numbers]);
  writeFileSync(kubeconfig, JSON.stringify(await cluster.ask<JsonObject>('kubeconfig')), { mode: 0o600 });
  const started: RunningManager[] = [];
  const start = async (settings: NodeJS.ProcessEnv = {}): Promise<RunningManager> => {
    await started.pop()?.stop();
    const manager = await startManager(checkout, kubeconfig, settings);
    started.push(manager);
    return manager;
  };
  try {
    const manager = await start();
    const run = await Promise.race([cluster.ask<Run>('run'), manager.failed]);
    const used = manager.used();
    for (const line of run.lines) console.error(`requests per class of ${line}`);
    await delay(SETTLE_MS);
    const idle = await writesIn(cluster, () => delay(REST_SECONDS * 1000));
    const restart = await writesIn(cluster, async () => {
      await start();
      await delay(SETTLE_MS);
    });
    for (const write of [...idle, ...restart].slice(0, 10)) console.error(`written at rest: ${write}`);
    return {
      ...run,
      manager: used,
      idle: idle.length,
      restart: restart.length,
      queries: await queriesOf(start),
    };
  } finally {
    await started.pop()?.stop();
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** How often a source of metrics is queried in a pass, once all classes have been read for the first time. */
async function queriesOf(start: (settings: NodeJS.ProcessEnv) => Promise<RunningManager>): Promise<number> {
  const source = await startCountingSource();
  try {
    await start({ OPRC_CRM_PROM_URL: source.url });
    await delay(PASS_MS);
    const before = source.queries();
    await delay(PASS_MS);
    return source.queries() - before;
  } finally {
    await source.stop();
  }
}

async function writesIn(cluster: SideProcess, run: () => Promise<void>): Promise<readonly string[]> {
  await cluster.ask('record');
  await run();
  return cluster.ask('recorded');
}
