import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@kubewright/kube';
import type { Comparison } from '../comparison.ts';
import { type SideProcess, startSide } from '../../test/support/side-process.ts';
import { startManager } from './start-manager.ts';

const CLASSES = 1000;
const FUNCTIONS = 3;
const SETTLE_MS = 10_000;
const IDLE_MS = 30_000;
const CLUSTER = fileURLToPath(new URL('cluster-process.mjs', import.meta.url));

/** What the process of the cluster prints when all classes are available. */
type Run = {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Requests to the server, and a line for each component that sent them. */
  readonly perClass: number;
  readonly lines: readonly string[];
};

/** A cluster and a manager with the operator, a process each: how soon many classes work, and what is written then. */
export async function benchClasses(): Promise<Comparison> {
  const directory = mkdtempSync(join(tmpdir(), 'kubewright-bench-'));
  const kubeconfig = join(directory, 'kubeconfig');
  const cluster = startSide(process.execPath, [CLUSTER, String(CLASSES), String(FUNCTIONS)]);
  writeFileSync(kubeconfig, JSON.stringify(await cluster.ask<JsonObject>('kubeconfig')), { mode: 0o600 });
  let manager = await startManager(kubeconfig);
  try {
    const run = await Promise.race([cluster.ask<Run>('run'), manager.failed]);
    const used = manager.used();
    for (const line of run.lines) console.error(`requests per class of ${line}`);
    await delay(SETTLE_MS);
    const idle = await writesIn(cluster, () => delay(IDLE_MS));
    const restart = await writesIn(cluster, async () => {
      await manager.stop();
      manager = await startManager(kubeconfig);
      await delay(SETTLE_MS);
    });
    for (const write of [...idle, ...restart].slice(0, 10)) console.error(`written at rest: ${write}`);
    return comparison(run, used, { idle: idle.length, restart: restart.length });
  } finally {
    await manager.stop();
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function writesIn(cluster: SideProcess, run: () => Promise<void>): Promise<readonly string[]> {
  await cluster.ask('record');
  await run();
  return cluster.ask('recorded');
}

function comparison(
  { seconds, cpuSeconds, perClass }: Run,
  manager: { readonly cpuSeconds: number; readonly rss: number },
  writes: { readonly idle: number; readonly restart: number },
): Comparison {
  const budget = { target: 1, better: 'less' } as const;
  const none = { theirs: 1, target: 0, better: 'less' } as const;
  return {
    title: `${CLASSES} ClassRuntimes of ${FUNCTIONS} functions on the embedded cluster (beside it: what it may)`,
    sides: ['classes', 'at most'],
    rows: [
      { name: 'all Available', unit: 's', ours: seconds, theirs: 120, ...budget },
      { name: 'the cluster on a core', unit: 's', ours: cpuSeconds, theirs: 120, ...budget },
      { name: 'the manager on a core', unit: 's', ours: manager.cpuSeconds, theirs: 120, ...budget },
      { name: 'its memory', unit: 'MB', ours: manager.rss, theirs: 512, ...budget },
      { name: 'requests per class', unit: 'calls', ours: perClass, theirs: 90, ...budget },
      { name: `writes in ${IDLE_MS / 1000} s of rest`, unit: 'calls', ours: writes.idle, ...none },
      { name: 'writes after a restart', unit: 'calls', ours: writes.restart, ...none },
    ],
  };
}
