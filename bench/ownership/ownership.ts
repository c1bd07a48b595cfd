import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { appsv1, corev1, type KubeObject } from '@kubewright/kube';
import type { Comparison } from '../comparison.ts';
import { withKubeApiServer } from '../with-kube-apiserver.ts';
import { passRows } from './passes.ts';
import { planTime } from './plan-time.ts';
import { countedRequests } from './counted-requests.ts';

const WORKLOADS = 5000;
const AT_ONCE = 20;
const NAMESPACE = 'bench';
const [LEGACY, APPLIER] = ['helm', 'platform'];

const CLI = fileURLToPath(new URL('../../packages/kubewright/bin/kubewright.mjs', import.meta.url));

type Measured = {
  readonly scanSeconds: number;
  readonly migrateSeconds: number;
  readonly requests: number;
  readonly left: number;
};

/**
 * The reconciles of slices, beside another checkout that was built (`--base`); without one, beside what they may take, and
 * a cluster in which two managers own the same fields of every workload: how soon that is found, and mended.
 */
export async function benchOwnership({ base }: { readonly base?: string }): Promise<Comparison> {
  const passes = await passRows(base);
  if (base === undefined) return split(passes);
  const title = 'reconciles of a Composition by the operator, on a kube-apiserver';
  return { title, sides: ['now', 'before'], rows: passes };
}

async function split(passes: Comparison['rows']): Promise<Comparison> {
  const planMs = planTime();
  const { scanSeconds, migrateSeconds, requests, left } = await withKubeApiServer(
    async ({ kubeconfig, client, transport }): Promise<Measured> => {
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
      await client.create<KubeObject>(corev1.namespaces, namespace);
      let next = 0;
      const createSome = async (): Promise<void> => {
        for (let index = next++; index < WORKLOADS; index = next++) {
          const legacy = deployment(`web-${index}`, 'setup:1');
          await client.create<KubeObject>(appsv1.deployments, legacy, { fieldManager: LEGACY });
          const newer = deployment(`web-${index}`, 'setup:2');
          await client.apply<KubeObject>(appsv1.deployments, newer, { fieldManager: APPLIER, force: true });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, createSome));
      const run = (...args: readonly string[]) => timed([...args, '--kubeconfig', kubeconfig, '-o', 'json']);
      const scan = await run('owners', 'scan');
      assert.equal(scan.found['split'], WORKLOADS);
      const before = await countedRequests(transport);
      const migrated = await run('owners', 'migrate', '--all', '--to', APPLIER, '--yes');
      assert.equal(migrated.found['migrated'], WORKLOADS);
      const after = await countedRequests(transport);
      const again = await run('owners', 'scan');
      return {
        scanSeconds: scan.seconds,
        migrateSeconds: migrated.seconds,
        requests: (after - before) / WORKLOADS,
        left: Number(again.found['split']),
      };
    },
  );
  const budget = { target: 1, better: 'less' } as const;
  return {
    title: `${WORKLOADS} Deployments with split ownership on a kube-apiserver (beside it: what it may)`,
    sides: ['kubewright', 'at most'],
    rows: [
      { name: 'plan for 20 containers', unit: 'ms', ours: planMs, theirs: 1, ...budget },
      { name: 'owners scan', unit: 's', ours: scanSeconds, theirs: 30, ...budget },
      { name: 'owners migrate --all', unit: 's', ours: migrateSeconds, theirs: 300, ...budget },
      { name: 'requests per object', unit: 'calls', ours: requests, theirs: 4, ...budget },
      { name: 'still split', unit: 'objects', ours: left, theirs: 1, target: 0, better: 'less' },
      ...passes,
    ],
  };
}

/** Runs one command line in a process of its own. */
async function timed(args: readonly string[]) {
  const began = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], {
    maxBuffer: 256 * 1024 * 1024,
  });
  const found = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  return { seconds: (performance.now() - began) / 1000, found };
}

function deployment(name: string, image: string): KubeObject {
  const labels = { app: name };
  const spec = {
    initContainers: [{ name: 'setup', image, command: ['sh', '-c', 'true'] }],
    containers: [{ name: 'web', image: 'web:1', ports: [{ containerPort: 80 }] }],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: NAMESPACE, labels },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}
