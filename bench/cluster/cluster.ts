import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Comparison } from '../comparison.ts';

const DEPLOYMENTS = 1000;
const REPLICAS = 3;
const IDLE_MS = 60_000;

/** What the process prints. Seconds, MB, percent of a core, calls. */
type Measured = {
  readonly readySeconds: number;
  readonly cpuSeconds: number;
  readonly rss: number;
  readonly idleCpuPercent: number;
  /** Between ready and rest: V8 gives back what the start left behind. */
  readonly collectionSeconds: number;
  readonly heartbeats: number;
  readonly writes: readonly string[];
};

const PROCESS = fileURLToPath(new URL('cluster-process.mjs', import.meta.url));

/** A whole cluster in one process: how soon many Deployments are ready, in how much memory, and what it does then. */
export async function benchCluster(): Promise<Comparison> {
  const sizes = [DEPLOYMENTS, REPLICAS, IDLE_MS].map(String);
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', PROCESS, ...sizes]);
  const measured = JSON.parse(stdout) as Measured;
  for (const write of measured.writes.slice(0, 10)) console.error(`written at rest: ${write}`);
  const budget = { target: 1, better: 'less' } as const;
  const { readySeconds, cpuSeconds, rss, collectionSeconds, idleCpuPercent, heartbeats, writes } = measured;
  return {
    title: `${DEPLOYMENTS} Deployments of ${REPLICAS} pods, then ${IDLE_MS / 1000} s at rest (beside it: what it may)`,
    sides: ['cluster', 'at most'],
    rows: [
      { name: 'all ready', unit: 's', ours: readySeconds, theirs: 60, ...budget },
      // On a busy machine this is more reliable than the elapsed time.
      { name: 'of these on a core', unit: 's', ours: cpuSeconds, theirs: 120, ...budget },
      { name: 'memory', unit: 'MB', ours: rss, theirs: 1024, ...budget },
      { name: 'collected before rest', unit: 's on a core', ours: collectionSeconds, theirs: 10, ...budget },
      { name: 'CPU at rest', unit: '% of a core', ours: idleCpuPercent, theirs: 2, ...budget },
      { name: 'heartbeats of 40 nodes', unit: 'calls', ours: heartbeats, theirs: 280, ...budget },
      { name: 'other writes', unit: 'calls', ours: writes.length, theirs: 1, target: 0, better: 'less' },
    ],
  };
}
