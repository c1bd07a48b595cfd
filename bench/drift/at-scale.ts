import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@kubewright/client';
import { appsv1, type JsonObject, type KubeObject, type Stored } from '@kubewright/kube';
import { writeKubeconfig } from '../../test/servers/kubeconfig.ts';
import { http2Transport } from '../../test/support/http2-transport.ts';
import { type SideProcess, startSide } from '../../test/support/side-process.ts';
import { type Latency, latencyOf } from '../admission/latency.ts';
import type { ComparisonRow } from '../comparison.ts';
import { median } from '../median.ts';
import { createPolicy, NAMESPACE, recordedDeployment, replicaSetOf } from './tracked-objects.ts';
import { rolloutStep } from './writes.ts';

const API = fileURLToPath(new URL('api-process.mjs', import.meta.url));
const OPERATOR = fileURLToPath(new URL('operator-process.mjs', import.meta.url));
const HERE = fileURLToPath(new URL('../..', import.meta.url));

const NAME = 'tracked';
const OBJECTS = 50_000;
const MB = 1024 * 1024;
/** Rollouts at once, steps of each, and milliseconds between two of one. */
const [ROLLOUTS, STEPS, STEP_MS] = [50, 20, 100];
/** Replicas that none of them has yet. */
const FIRST = 100;
/** Longer than anything that is written later is waited with. */
const SETTLED_MS = 15_000;

/** Decisions at a time, rounds of each side for each of these, and decisions of a round. The first round only warms up. */
const [CONCURRENCIES, ROUNDS, TIMES] = [[1, 8, 32], 6, 320];

type Side = { readonly client: Client; readonly operator: SideProcess };

/**
 * What the operator of this checkout, and of `base`, keeps of many objects, writes of its own, and takes for a decision
 * within its process, as it is installed: with logs, counts and profiles.
 */
export function scaleRows(base: string | undefined): Promise<ComparisonRow[]> {
  return withOperator(HERE, 'managedFields', (ours) =>
    base === undefined
      ? rowsOf([ours])
      : withOperator(base, 'annotations', (theirs) => rowsOf([ours, theirs])),
  );
}

/** `form`: where the checkout keeps its records. */
async function withOperator<T>(
  checkout: string,
  form: 'managedFields' | 'annotations',
  use: (side: Side) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-bench-'));
  const api = startSide(process.execPath, [API]);
  try {
    const { url, caCert, tokens } = await api.ask<{ url: string; caCert: string; tokens: string[] }>('start');
    const [token = ''] = tokens;
    const kubeconfig = join(folder, 'kubeconfig');
    writeKubeconfig(kubeconfig, url, caCert, token);
    const operator = startSide(process.execPath, ['--expose-gc', OPERATOR, checkout, kubeconfig]);
    const transport = http2Transport(url, caCert, token);
    try {
      // It has installed its definitions.
      await operator.ask('writes');
      const client = createClient(transport);
      await createPolicy(client);
      await api.ask(`create ${JSON.stringify([recordedDeployment(NAME, form), OBJECTS])}`);
      return await use({ client, operator });
    } finally {
      await transport.close();
      await operator.stop();
    }
  } finally {
    await api.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Without another checkout, beside what it may take. */
async function rowsOf(sides: readonly Side[]): Promise<ComparisonRow[]> {
  const figures: Awaited<ReturnType<typeof measure>>[] = [];
  for (const side of sides) figures.push(await measure(side));
  const row = (
    name: string,
    of: (figure: Awaited<ReturnType<typeof measure>>) => number,
    [unit, target, limit]: readonly [unit: string, target: number, limit: number],
  ): ComparisonRow => {
    const [ours = 0, theirs = limit] = figures.map(of);
    return { name, unit, target, better: 'less', ours, theirs };
  };
  const objects = `${OBJECTS} tracked objects with their records`;
  const writes = `writes of its own per accepted change, ${STEPS} of each of ${ROLLOUTS}`;
  return [
    row(`memory: ${objects}`, ({ rss }) => rss / MB, ['MB', 0.6, 400]),
    row(`heap: ${objects}`, ({ heapUsed }) => heapUsed / MB, ['MB', 0.6, 200]),
    row(writes, (figure) => figure.writes, ['calls', Number.POSITIVE_INFINITY, 0.2]),
    ...(await decisionRows(sides)),
  ];
}

async function measure({ client, operator }: Side) {
  const sets = await Promise.all(Array.from({ length: ROLLOUTS }, (_, index) => replicaSetIn(client, index)));
  const step = async (replicas: number): Promise<void> => {
    for (const set of sets) {
      const request = { uid: randomUUID(), ...rolloutStep(set, replicas) };
      const response = await operator.ask<JsonObject>(`review ${JSON.stringify(request)}`);
      const { drift } = (response['auditAnnotations'] ?? {}) as { readonly drift?: string };
      assert.deepEqual([response['allowed'], drift], [true, 'false'], JSON.stringify(response));
    }
  };
  // The first finds the kind of its parents, which is listed then.
  await step(FIRST);
  await sleep(SETTLED_MS);
  const memory = await operator.ask<{ rss: number; heapUsed: number }>('memory');
  const before = await operator.ask<number>('writes');
  for (let more = 1; more <= STEPS; more++) {
    const next = sleep(STEP_MS);
    await step(FIRST + more);
    await next;
  }
  await sleep(SETTLED_MS);
  const writes = (await operator.ask<number>('writes')) - before;
  return { ...memory, writes: writes / (ROLLOUTS * STEPS) };
}

/** One side after the other, again and again: what the machine does besides falls on both alike. */
async function decisionRows(sides: readonly Side[]): Promise<ComparisonRow[]> {
  const sets = await Promise.all(sides.map(({ client }) => replicaSetIn(client, 0)));
  const rows: ComparisonRow[] = [];
  for (const concurrency of CONCURRENCIES) {
    const rounds: Latency[][] = sides.map(() => []);
    for (let round = 0; round < ROUNDS; round++)
      for (const [index, { operator }] of sides.entries()) {
        const request = rolloutStep(sets[index] as Stored, FIRST);
        const order = `time ${concurrency} ${TIMES} ${JSON.stringify(request)}`;
        rounds[index]?.push(latencyOf(await operator.ask<number[]>(order)));
      }
    for (const [key, target] of [
      ['p50', 1],
      ['p99', 0.5],
    ] as const) {
      const [ours = 0, theirs = concurrency] = rounds.map((all) =>
        median(all.slice(1).map((one) => one[key])),
      );
      const name = `a decision in the process, ${concurrency} at a time: ${key}`;
      rows.push({ name, unit: 'ms', target, better: 'less', ours, theirs });
    }
  }
  return rows;
}

/** A ReplicaSet of a Deployment, as if it were stored. */
async function replicaSetIn(client: Client, index: number): Promise<Stored> {
  const name = `${NAME}${index}`;
  const { metadata } = await client.get<KubeObject>(appsv1.deployments, { namespace: NAMESPACE, name });
  const set = replicaSetOf(name, metadata.uid);
  const stored = {
    uid: randomUUID(),
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T10:00:00Z',
    generation: 1,
  };
  return { ...set, metadata: { ...set.metadata, ...stored, name: `${name}-1` } };
}
