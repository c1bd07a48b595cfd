import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@kubewright/client';
import {
  Cluster,
  type ControllerName,
  type Nodes,
  type NodesOptions,
  type PartsOptions,
  startParts,
  type StorageOptions,
} from '@kubewright/cluster';
import { corev1, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe } from 'vitest';
import { findServers } from '../../tools/assets/find.mjs';
import { serveKubelets } from './cluster-kubelets.ts';
import { startControllerManager } from './controller-manager.ts';
import { describeOurs } from './describe-ours.ts';
import { realSide } from './real-side.ts';
import { startRealServer } from './real.ts';
import { serveMetrics } from './serve-metrics.ts';

/** What runs in a cluster beside its API. */
export type ClusterParts = {
  readonly controllers: readonly ControllerName[];
  /** Each controller calls under its own service account, as ours always do. Default false: as an admin. */
  readonly credentials?: boolean;
  /** Simulated nodes, the same on both sides: how many, or which. Default: none, so no pods run. */
  readonly nodes?: number | NodesOptions;
  /** Pods need an account that is there, which `serviceaccount-controller` makes. Default false. */
  readonly accounts?: boolean;
  /** How long a node may be silent. Default: kube-controller-manager's own. */
  readonly nodeGraceMs?: number;
  /** Whether the embedded API listens too, for kubectl. Default false. */
  readonly kubectl?: boolean;
  /** Metrics, from annotations. Default: none. */
  readonly metrics?: boolean;
  /** A simulated CSI driver, the same on both sides. Default: none. */
  readonly storage?: boolean | StorageOptions;
  /** How many pods that are over may stay. Default: kube-controller-manager's own. */
  readonly terminatedPods?: number;
  /** Whether `npm run test:real` plays more than `npm test`, on both sides. Default false. */
  readonly longer?: boolean;
};

/** An API with controllers at work, and how it is left. */
type RunningCluster = {
  readonly transport: Transport;
  readonly nodes: Nodes;
  /** Of a cluster admin; empty without a listener. */
  readonly kubeconfigPath: string;
  stop(): Promise<void>;
};

/** Its scheduler, nodes and storage, where the test needs them; without nodes there is no scheduler. */
function partsBeside({ nodes = 0, storage = false }: ClusterParts): PartsOptions {
  return { nodes, scheduler: nodes !== 0, storage };
}

/** Marks nodes ready where no controller does. */
async function untaint({ controllers }: ClusterParts, admin: Transport, nodes: Nodes): Promise<void> {
  const client = createClient(admin);
  if (controllers.includes('node-lifecycle-controller')) return;
  for (const name of nodes.names)
    await client.patch(corev1.nodes, { name }, { type: 'merge', body: { spec: { taints: null } } });
}

async function startOurs(parts: ClusterParts): Promise<RunningCluster> {
  const { controllers, nodeGraceMs, terminatedPods, kubectl = false, metrics = false } = parts;
  const { accounts = false } = parts;
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-cluster-'));
  const kubeconfigPath = join(folder, 'kubeconfig');
  const cluster = await Cluster.start({
    ...partsBeside(parts),
    controllers,
    listen: kubectl,
    server: { serviceAccounts: { admission: accounts } },
    metrics: metrics && { window: '0s' },
    rootCa: 'the authority of this cluster',
    autoscaler: { syncPeriodMs: 1000 },
    ...(nodeGraceMs !== undefined && { nodeLifecycle: { monitorGraceMs: nodeGraceMs } }),
    ...(terminatedPods !== undefined && {
      podGarbageCollector: { terminatedThreshold: terminatedPods, quarantineMs: 2000 },
    }),
  });
  const { nodes } = cluster;
  await untaint(parts, cluster.transport(), nodes);
  if (kubectl) writeFileSync(kubeconfigPath, JSON.stringify(cluster.server.kubeconfig()), { mode: 0o600 });
  return {
    transport: cluster.transport(),
    nodes,
    kubeconfigPath,
    async stop() {
      rmSync(folder, { recursive: true });
      await cluster.stop();
    },
  };
}

/** The options of kube-controller-manager. */
function flagsOf({ nodeGraceMs, terminatedPods, credentials = false }: ClusterParts): readonly string[] {
  return [
    ...(credentials ? ['--use-service-account-credentials'] : []),
    ...(nodeGraceMs === undefined ? [] : [`--node-monitor-grace-period=${nodeGraceMs}ms`]),
    ...(terminatedPods === undefined ? [] : [`--terminated-pod-gc-threshold=${terminatedPods}`]),
  ];
}

async function startReal(assets: string, parts: ClusterParts): Promise<RunningCluster> {
  const real = await startRealServer(assets, parts);
  const transport = real.transport();
  const metrics = parts.metrics === true ? await serveMetrics(transport) : undefined;
  const stopManager = startControllerManager(assets, real.kubeconfigPath, parts.controllers, flagsOf(parts));
  const { nodes = 0 } = parts;
  const kubelets =
    nodes === 0 ? undefined : await serveKubelets(nodes, { admin: transport, clientCa: real.clientCa.cert });
  const stop = new AbortController();
  const played = startParts({
    ...partsBeside({ ...parts, ...kubelets }),
    controllers: [],
    connect: () => transport,
    signal: stop.signal,
  });
  await Promise.race([played.ready, played.ended]);
  await untaint(parts, transport, played.nodes);
  await kubelets?.serve(played.nodes);
  return {
    transport,
    nodes: played.nodes,
    kubeconfigPath: real.kubeconfigPath,
    async stop() {
      stop.abort();
      await played.ended;
      await kubelets?.stop();
      await stopManager();
      await metrics?.close();
      await transport.close();
      await real.stop();
    },
  };
}

/**
 * Registers a suite on the embedded API with our controllers, and on kube-apiserver with those of kube-controller-manager
 * that `controllers` names; where nodes are asked for, pods live on both. Each has a control plane of its own.
 *
 * @example describeClusters('Jobs', { controllers: ['job-controller'], nodes: 2 }, jobs);
 */
export function describeClusters(
  title: string,
  controllers: readonly ControllerName[] | ClusterParts,
  suite: (
    transport: () => Transport,
    nodes: () => Nodes,
    kubeconfigPath: () => string,
    side: 'embedded' | 'real',
  ) => void,
): void {
  const parts: ClusterParts = 'controllers' in controllers ? controllers : { controllers };
  const run = (side: 'embedded' | 'real', start: () => Promise<RunningCluster>) => (): void => {
    let cluster: RunningCluster | undefined;
    beforeAll(async () => {
      cluster = await start();
    });
    afterAll(() => cluster?.stop());
    const running = (): RunningCluster => {
      assert(cluster !== undefined, 'the cluster is there only while tests run');
      return cluster;
    };
    suite(
      () => running().transport,
      () => running().nodes,
      () => running().kubeconfigPath,
      side,
    );
  };
  const registerOurs = parts.longer === true ? describe : describeOurs;
  registerOurs(
    `${title} on the embedded cluster`,
    run('embedded', () => startOurs(parts)),
  );
  const assets = findServers();
  const found = assets !== undefined && existsSync(join(assets, 'kube-controller-manager'));
  const runs = found || realSide.isRequired;
  const needs = runs ? '' : ' [needs kube-apiserver and kube-controller-manager: npm run assets]';
  describe.skipIf(!runs)(
    `${title} with kube-controller-manager${needs}`,
    run('real', () => startReal(assets ?? '', parts)),
  );
}
