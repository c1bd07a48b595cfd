import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient, type ResourceRef } from '@kubewright/client';
import { type JsonObject, type KubeObject } from '@kubewright/kube';
import type { WebhookConfigurationRef } from '@kubewright/runtime';
import { http2Transport } from '../../test/support/http2-transport.ts';
import { findServers } from '../../tools/assets/find.mjs';
import { type BenchServer, startEmbedded, startKubeApiServer } from '../apiserver/servers.ts';
import type { Comparison, ComparisonRow } from '../comparison.ts';
import { median } from '../median.ts';
import { CONCURRENCY, CONFIG_MAPS, configMap, createMany, type Latency, latencyOf } from './latency.ts';
import { startWebhooks } from './webhook-process.ts';

/** The webhooks that match what is created in a namespace. */
const NAMESPACES = {
  none: [],
  validating: ['ValidatingWebhookConfiguration'],
  mutating: ['MutatingWebhookConfiguration'],
  both: ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
} as const;
type Asked = keyof typeof NAMESPACES;
const ASKED = Object.keys(NAMESPACES) as Asked[];
const namespaceOf = (asked: Asked): string => `bench-${asked}`;

const CONFIGURATIONS = [
  { kind: 'MutatingWebhookConfiguration', name: 'bench' },
  { kind: 'ValidatingWebhookConfiguration', name: 'bench' },
] as const satisfies readonly WebhookConfigurationRef[];

/** The first rounds only warm up. */
const [WARM_UP, ROUNDS, CREATES] = [2, 12, 100];

const cluster = (group: string, resource: string, kind: string): ResourceRef => ({
  group,
  version: 'v1',
  resource,
  kind,
  namespaced: false,
});

function configuration({ kind, name }: (typeof CONFIGURATIONS)[number], port: number): KubeObject {
  const path = kind === 'MutatingWebhookConfiguration' ? '/default' : '/validate';
  const values = ASKED.filter((asked) => NAMESPACES[asked].some((one) => one === kind)).map(namespaceOf);
  const key = 'kubernetes.io/metadata.name';
  const webhook: JsonObject = {
    name: `${path.slice(1)}.example.com`,
    clientConfig: { url: `https://127.0.0.1:${port}${path}` },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
    namespaceSelector: { matchExpressions: [{ key, operator: 'In', values }] },
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
  };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name },
    webhooks: [webhook],
  };
}

async function prepare(client: Client, port: number): Promise<void> {
  for (const asked of ASKED)
    await client.create<KubeObject>(cluster('', 'namespaces', 'Namespace'), {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespaceOf(asked) },
    });
  for (const one of CONFIGURATIONS) {
    const resource = `${one.kind.toLowerCase()}s`;
    const ref = cluster('admissionregistration.k8s.io', resource, one.kind);
    await client.create<KubeObject>(ref, configuration(one, port));
  }
  // The API server sees them, and their caBundle, a moment later.
  while (!(await areAsked(client))) await delay(20);
}

async function areAsked(client: Client): Promise<boolean> {
  const attempt = (asked: Asked, data: Record<string, string>): Promise<string> =>
    client.create(CONFIG_MAPS, configMap(namespaceOf(asked), 'probe', data), { dryRun: true }).then(
      (made) => JSON.stringify(made['data']),
      (error: unknown) => String(error),
    );
  const refused = await attempt('validating', { size: '11' });
  return refused.includes('too large') && (await attempt('mutating', {})).includes('nobody');
}

/** A server with its webhooks, and what was measured on it: a latency per round. */
type Side = {
  readonly client: Client;
  readonly rounds: Record<Asked, Latency[]>;
  stop(): Promise<void>;
};

async function begin(start: () => Promise<BenchServer>): Promise<Side> {
  const server = await start();
  const webhooks = await startWebhooks(server, CONFIGURATIONS);
  const transport = http2Transport(server.url, server.caCert, server.token);
  const client = createClient(transport);
  await prepare(client, webhooks.port);
  return {
    client,
    rounds: { none: [], validating: [], mutating: [], both: [] },
    async stop() {
      await webhooks.stop();
      await transport.close();
      await server.stop();
    },
  };
}

/** One server after the other, again and again: what the machine does besides falls on both alike. */
async function measure(sides: readonly Side[]): Promise<void> {
  for (let round = -WARM_UP; round < ROUNDS; round++) for (const side of sides) await play(side, round);
}

async function play({ client, rounds }: Side, round: number): Promise<void> {
  for (const asked of ASKED) {
    const took = await createMany(client, namespaceOf(asked), `map${WARM_UP + round}`, CREATES);
    if (round >= 0) rounds[asked].push(latencyOf(took));
  }
}

/** The median over the rounds of what the webhooks added in each, at least a tenth of a millisecond. */
function added({ rounds }: Side, asked: Asked, share: keyof Latency): number {
  const each = rounds[asked].map((latency, round) => latency[share] - (rounds.none[round]?.[share] ?? 0));
  return Math.max(0.1, median(each));
}

/** What admission webhooks add to a create, on the embedded server and on kube-apiserver: same webhooks, same client. */
export async function benchAdmission(): Promise<Comparison> {
  const assets = findServers();
  assert(assets !== undefined, 'no etcd and kube-apiserver: npm run assets, or set KUBEBUILDER_ASSETS');
  const sides: Side[] = [];
  try {
    for (const start of [startEmbedded, () => startKubeApiServer(assets)]) sides.push(await begin(start));
    await measure(sides);
  } finally {
    for (const side of sides) await side.stop();
  }
  const row = (name: string, take: (side: Side) => number): ComparisonRow => {
    const [ours = 0, theirs = 0] = sides.map(take);
    return { name, unit: 'ms', ours, theirs, target: 1.5, better: 'less' };
  };
  const shares = ['p50', 'p99'] as const;
  const asked = ['validating', 'mutating', 'both'] as const;
  return {
    title: `what webhooks add to the creation of a ConfigMap, ${CONCURRENCY} at a time`,
    rows: [
      ...shares.map((share) =>
        row(`without webhooks, ${share}`, ({ rounds }) => median(rounds.none.map((one) => one[share]))),
      ),
      ...asked.flatMap((one) =>
        shares.map((share) => row(`added by ${one}, ${share}`, (side) => added(side, one, share))),
      ),
    ],
  };
}
