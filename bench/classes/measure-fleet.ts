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
/** In which each class is read once. A minute by default, in which more than this number of classes could be read. */
const PASS_SECONDS = 20;
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

type Made = Run & { readonly manager: { readonly cpuSeconds: number; readonly rss: number } };

/** Writes when there is nothing to do, and queries of a source of metrics while each class is read once. */
type Rest = { readonly idle: number; readonly restart: number; readonly queries: number };

export type Fleet = Made & Rest;

/** A cluster and a manager with the operator, a process each, as a checkout has built them. */
export type RunningFleet = {
  /** All classes are available. */
  make(): Promise<Made>;
  /** What follows, mostly waiting. */
  rest(): Promise<Rest>;
  stop(): Promise<void>;
};

export async function startFleet(
  checkout: string,
  { classes, functions, namespaces }: Size,
): Promise<RunningFleet> {
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
  return {
    async make() {
      const manager = await start();
      const run = await Promise.race([cluster.ask<Run>('run'), manager.failed]);
      return { ...run, manager: manager.used() };
    },
    rest: () => restOf(cluster, start),
    async stop() {
      await started.pop()?.stop();
      await cluster.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

type Start = (settings?: NodeJS.ProcessEnv) => Promise<RunningManager>;

async function restOf(cluster: SideProcess, start: Start): Promise<Rest> {
  await delay(SETTLE_MS);
  const idle = await writesIn(cluster, () => delay(REST_SECONDS * 1000));
  const restart = await writesIn(cluster, async () => {
    await start();
    await delay(SETTLE_MS);
  });
  for (const write of [...idle, ...restart].slice(0, 10)) console.error(`written at rest: ${write}`);
  return { idle: idle.length, restart: restart.length, queries: await queriesOf(start) };
}

/** How often a source of metrics is queried in a pass, once all classes have been read for the first time. */
async function queriesOf(start: Start): Promise<number> {
  const source = await startCountingSource();
  try {
    const interval = String(PASS_SECONDS);
    await start({ OPRC_CRM_PROM_URL: source.url, OPRC_CRM_ANALYZER_INTERVAL_SECS: interval });
    await delay(PASS_SECONDS * 1000);
    const before = source.queries();
    await delay(PASS_SECONDS * 1000);
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
