import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Client } from '@kubewright/client';
import { corev1, type KubeObject, ownerReferenceTo } from '@kubewright/kube';
import { ownershipParts } from '@kubewright/operators';
import { installDefinitions } from '@kubewright/runtime';
import { latencyOf } from '../admission/latency.ts';
import type { ComparisonRow } from '../comparison.ts';
import { median } from '../median.ts';
import { withKubeApiServer } from '../with-kube-apiserver.ts';
import { type Cost, type MeasuredOperator, withOperator } from './measured-passes.ts';

const OURS = fileURLToPath(new URL('../..', import.meta.url));
const NAMESPACE = 'passes';
/** Objects of a Composition, and how often each change is made. */
const SIZES: readonly (readonly [objects: number, rounds: number])[] = [
  [1, 8],
  [100, 4],
  [1000, 2],
];
/** So many objects have budgets. */
const MANY = 1000;
/** Compositions of a thousand objects, when the memory is measured. */
const COMPOSITIONS_OF_1000 = 5;
/** A watch reports a change meanwhile. */
const REPORTED_MS = 200;

/** What follows changes of a Composition with so many objects. */
type Costs = {
  readonly objects: number;
  /** A reconcile after nothing but an annotation of the Composition has changed. */
  readonly rest: readonly Cost[];
  /** All reconciles after somebody else has changed an object, and that annotation. */
  readonly other: readonly Cost[];
  /** All reconciles after one manifest has another value. */
  readonly manifest: readonly Cost[];
};

type Side = { readonly costs: readonly Costs[]; readonly rss: number; readonly heap: number };

/** The reconciles of what was built, beside those of another checkout, or beside what they may take. */
export async function passRows(base: string | undefined): Promise<readonly ComparisonRow[]> {
  const theirs = base === undefined ? undefined : await measure(base);
  const ours = await measure(OURS);
  return [
    ...ours.costs.flatMap((costs, index) => rowsOf(costs, theirs?.costs[index])),
    row('memory with 5,000 objects', 'MB', [ours.rss, theirs?.rss], { ratio: 1.1, most: 250 }),
    row('heap with 5,000 objects', 'MB', [ours.heap, theirs?.heap], { ratio: 1.1, most: 100 }),
  ];
}

type Limits = { readonly ratio?: number; readonly most: number };

function row(
  name: string,
  unit: string,
  [ours, theirs]: readonly [number, number | undefined],
  { ratio = Number.POSITIVE_INFINITY, most }: Limits,
): ComparisonRow {
  const target = theirs === undefined ? 1 : ratio;
  return { name, unit, ours, theirs: theirs ?? most, target, better: 'less' };
}

function rowsOf(ours: Costs, theirs: Costs | undefined): readonly ComparisonRow[] {
  const { objects } = ours;
  const isMany = objects >= MANY;
  const kinds = [
    ['at rest', 'rest', { ratio: 0.5, most: 250 }, 0],
    ['one changed by another', 'other', { ratio: 0.2, most: 250 }, 2],
    ['one manifest changed', 'manifest', { ratio: 0.2, most: 250 }, 2],
  ] as const;
  return kinds.flatMap(([title, kind, limits, requests]) => {
    const name = `${objects} objects, ${title}`;
    const budget: Limits = isMany ? limits : { most: limits.most };
    const of = (take: (costs: readonly Cost[]) => number): readonly [number, number | undefined] => [
      take(ours[kind]),
      theirs && take(theirs[kind]),
    ];
    const times = (costs: readonly Cost[]) => latencyOf(costs.map(({ ms }) => ms));
    const sent = (costs: readonly Cost[]): number => median(costs.map((cost) => cost.requests));
    return [
      row(
        `${name}: p50`,
        'ms',
        of((costs) => times(costs).p50),
        budget,
      ),
      row(
        `${name}: p99`,
        'ms',
        of((costs) => times(costs).p99),
        { most: 500 },
      ),
      row(
        `${name}: CPU`,
        'ms',
        of((costs) => median(costs.map(({ cpu }) => cpu))),
        budget,
      ),
      ...(theirs === undefined ? [] : [row(`${name}: requests`, 'calls', of(sent), { most: requests })]),
      row(`${name}: requests (at most)`, 'calls', [sent(ours[kind]), undefined], { most: requests }),
    ];
  });
}

function measure(checkout: string): Promise<Side> {
  return withKubeApiServer(async ({ client, kubeconfig }) => {
    await installDefinitions(
      client,
      ownershipParts.resources.map(({ definition }) => definition),
      { fieldManager: 'bench' },
    );
    await client.create<KubeObject>(corev1.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: NAMESPACE },
    });
    return withOperator(checkout, kubeconfig, async (operator) => {
      const costs: Costs[] = [];
      for (const [objects, rounds] of SIZES) costs.push(await measureSize(client, operator, objects, rounds));
      for (let index = 1; index < COMPOSITIONS_OF_1000; index++) await compose(client, `more-${index}`, 1000);
      await operator.rest();
      const { rss, heapUsed } = await operator.memory();
      return { costs, rss: rss / 2 ** 20, heap: heapUsed / 2 ** 20 };
    });
  });
}

const TYPE = { apiVersion: 'eno.azure.io/v1' };
const SLICES = { group: 'eno.azure.io', version: 'v1', kind: 'ResourceSlice' };
const OWNERS = { group: 'eno.azure.io', version: 'v1', kind: 'Composition' };

async function measureSize(
  client: Client,
  operator: MeasuredOperator,
  objects: number,
  rounds: number,
): Promise<Costs> {
  const name = `size-${objects}`;
  await operator.cost(() => compose(client, name, objects));
  const costs = { objects, rest: [] as Cost[], other: [] as Cost[], manifest: [] as Cost[] };
  const key = { namespace: NAMESPACE, name };
  let touches = 0;
  const touch = (): Promise<unknown> => {
    const annotations = { 'bench.example.com/touched': String(touches++) };
    return client.patch(OWNERS, key, { type: 'merge', body: { metadata: { annotations } } });
  };
  // The first round warms up; of a thousand objects, their creation has done that.
  for (let round = objects >= MANY ? 0 : -1; round < rounds; round++) {
    const rest = perReconcile(await operator.cost(touch));
    const other = await operator.cost(async () => {
      const object = { namespace: NAMESPACE, name: `${name}-${(round + 1) % objects}` };
      const body = { data: { theirs: String(round) } };
      await client.patch(corev1.configmaps, object, { type: 'merge', body });
      await sleep(REPORTED_MS);
      await touch();
    });
    const manifest = await operator.cost(() => changeManifest(client, name, (round + 1) % objects, round));
    if (round < 0) continue;
    costs.rest.push(rest);
    costs.other.push(other);
    costs.manifest.push(manifest);
  }
  return costs;
}

function perReconcile({ ms, requests, cpu, count }: Cost): Cost {
  return { ms: ms / count, requests: requests / count, cpu: cpu / count, count: 1 };
}

async function compose(client: Client, name: string, objects: number): Promise<void> {
  const metadata = { namespace: NAMESPACE, name };
  const owner = await client.create<KubeObject>(OWNERS, { ...TYPE, kind: 'Composition', metadata, spec: {} });
  const resources = Array.from({ length: objects }, (_none, index) => ({
    manifest: manifestOf(name, index, 0),
  }));
  const ownerReferences = [ownerReferenceTo(owner, { controller: true })];
  await client.create<KubeObject>(SLICES, {
    ...TYPE,
    kind: 'ResourceSlice',
    metadata: { ...metadata, ownerReferences },
    spec: { resources },
  });
}

function changeManifest(client: Client, name: string, index: number, value: number): Promise<unknown> {
  const path = `/spec/resources/${index}/manifest`;
  const body = [{ op: 'replace', path, value: manifestOf(name, index, value + 2) }];
  return client.patch(SLICES, { namespace: NAMESPACE, name }, { type: 'json', body });
}

function manifestOf(name: string, index: number, value: number): string {
  const data = { value: String(value), text: 'x'.repeat(256) };
  const metadata = { namespace: NAMESPACE, name: `${name}-${index}`, labels: { app: name } };
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
}
