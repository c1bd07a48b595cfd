import { AssertionError } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createApiServer } from '@kubewright/apiserver';
import { createClient } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import type { Comparison } from '../comparison.ts';
import { memoryOf } from '../memory-of.ts';

const SETTLE_MS = 5000;
const IDLE_MS = 30_000;
/** Of one core. */
const MOST_CPU_PERCENT = 1;
const MOST_RSS = 120;
/** `utime` and `stime` of /proc are in these. */
const TICKS_PER_SECOND = 100;

const CLI = fileURLToPath(new URL('../../packages/kubewright/bin/kubewright.mjs', import.meta.url));

/** The built manager with all operators, leader of a cluster in which nothing happens. */
export async function benchManager(): Promise<Comparison> {
  const server = createApiServer();
  await server.listen();
  // As `kubewright install` does: the certificates of webhooks are kept there.
  await createClient(server.transport()).create(corev1.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'kubewright' },
    spec: {},
  });
  const directory = mkdtempSync(join(tmpdir(), 'kubewright-bench-'));
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, JSON.stringify(server.kubeconfig()), { mode: 0o600 });
  const child = spawn(process.execPath, [CLI, 'manager', '--kubeconfig', kubeconfig], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  try {
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (text: Buffer) => (text.includes('ready') ? resolve() : undefined));
      child.once('exit', (code) => reject(new AssertionError({ message: `the manager ended with ${code}` })));
    });
    await delay(SETTLE_MS);
    const recording = server.recordRequests();
    const before = cpuSeconds(child.pid ?? 0);
    await delay(IDLE_MS);
    const cpu = ((cpuSeconds(child.pid ?? 0) - before) / (IDLE_MS / 1000)) * 100;
    const writes = recording.requests.filter(
      ({ method, path }) => method !== 'GET' && !path.includes('/leases'),
    );
    const rss = memoryOf(child.pid ?? 0);
    const budget = { target: 1, better: 'less' } as const;
    return {
      title: `idle manager, ${IDLE_MS / 1000} s (beside it: what it may)`,
      sides: ['manager', 'at most'],
      rows: [
        { name: 'memory', unit: 'MB', ours: rss, theirs: MOST_RSS, ...budget },
        { name: 'CPU', unit: '% of a core', ours: cpu, theirs: MOST_CPU_PERCENT, ...budget },
        // None is allowed but the renewals of its Lease; one would be as many as the 1 beside it.
        { name: 'writes', unit: 'calls', ours: writes.length, theirs: 1, target: 0, better: 'less' },
      ],
    };
  } finally {
    child.kill('SIGTERM');
    await ended;
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Time that the process has been running on a core. */
function cpuSeconds(pid: number): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = rest.split(' ').map(Number);
  return ((fields[11] ?? 0) + (fields[12] ?? 0)) / TICKS_PER_SECOND;
}
