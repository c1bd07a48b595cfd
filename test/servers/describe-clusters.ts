import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServer, createApiServer } from '@kubewright/apiserver';
import { type Client, createClient } from '@kubewright/client';
import {
  type ControllerName,
  embeddedMetrics,
  localKubelets,
  memoryCheckpoints,
  type Nodes,
  type NodesOptions,
  SCHEDULER_USER,
  startControllers,
  startNodes,
  startScheduler,
} from '@kubewright/cluster';
import { corev1, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe } from 'vitest';
import { findServers } from '../../tools/assets/find.mjs';
import { serveKubelets } from './cluster-kubelets.ts';
import { startControllerManager } from './controller-manager.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { startRealServer } from './real.ts';
import { serveMetrics } from './serve-metrics.ts';

/** What runs in a cluster beside its API. */
export type ClusterParts = {
  readonly controllers: readonly ControllerName[];
  /** Simulated nodes, the same on both sides: how many, or which. Default: none, and nobody runs pods. */
  readonly nodes?: number | NodesOptions;
  /** How long a node may be silent. Default: kube-controller-manager's own. */
  readonly nodeGraceMs?: number;
  /** The embedded API listens, too, so that kubectl can ask it. Default false. */
  readonly kubectl?: boolean;
  /** Metrics, by what annotations say. Default: none. */
  readonly metrics?: boolean;
  /** How many pods that are over may stay. Default: kube-controller-manager's own. */
  readonly terminatedPods?: number;
};

/** An API with controllers at work, and how it is left. */
type RunningCluster = {
  readonly transport: Transport;
  readonly nodes: Nodes;
  /** Of a cluster admin; empty where nobody listens. */
  readonly kubeconfigPath: string;
  stop(): Promise<void>;
};

type Started = { readonly nodes: Nodes; stop(): Promise<void> };

const nothing = (): void => undefined;
const NO_NODES: Nodes = {
  names: [],
  runtimes: [],
  kubelet: { handle: () => Promise.reject(new Error('there are no nodes')), nodeFor: () => undefined },
  checkpoints: memoryCheckpoints(),
  lose: nothing,
  restore: nothing,
  reboot: nothing,
  evict: nothing,
};

/** Nodes, and a scheduler that gives them pods. */
async function startNodesOf(
  { nodes = 0, controllers }: ClusterParts,
  connect: Parameters<typeof startNodes>[0]['connect'],
  admin: Transport,
): Promise<Started> {
  const options = typeof nodes === 'number' ? { nodes } : nodes;
  const stop = new AbortController();
  if (nodes === 0)
    return {
      nodes: NO_NODES,
      stop: async () => undefined,
    };
  const running = startNodes({ ...options, connect, signal: stop.signal });
  const scheduler = startScheduler({ transport: connect(SCHEDULER_USER), signal: stop.signal });
  await Promise.all([running.ready, scheduler.ready]);
  // Nobody else says that the nodes are ready, if that controller is not there.
  const names: readonly string[] = controllers;
  if (!names.includes('node-lifecycle-controller')) await untaint(createClient(admin), running.names);
  return {
    nodes: running,
    async stop() {
      stop.abort();
      await Promise.all([running.ended, scheduler.ended]);
    },
  };
}

async function untaint(client: Client, nodes: readonly string[]): Promise<void> {
  for (const name of nodes)
    await client.patch(corev1.nodes, { name }, { type: 'merge', body: { spec: { taints: null } } });
}

const TOKEN = 'kubewright-cluster-admin';

/** A kubeconfig in a folder of its own, and how that goes. */
async function listenFor(server: ApiServer): Promise<{ readonly path: string; remove(): void }> {
  const { url, caCert } = await server.listen();
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-cluster-'));
  const path = join(folder, 'kubeconfig');
  writeKubeconfig(path, url, caCert, TOKEN);
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

async function startOurs(parts: ClusterParts): Promise<RunningCluster> {
  const kubelets = localKubelets();
  const metrics = embeddedMetrics({ window: '0s' });
  const user = { username: 'admin', groups: ['system:masters'] };
  const server = createApiServer({
    upstreamTransport: kubelets.transport,
    extensionTransport: metrics.transport,
    users: [{ token: TOKEN, user }],
  });
  if (parts.metrics === true) await metrics.install(server);
  const stop = new AbortController();
  const running = startControllers({
    connect: (user) => server.transport(user),
    signal: stop.signal,
    controllers: parts.controllers,
    rootCa: 'the authority of this cluster',
    autoscaler: { syncPeriodMs: 1000 },
    podGarbageCollector:
      parts.terminatedPods === undefined
        ? {}
        : { terminatedThreshold: parts.terminatedPods, quarantineMs: 2000 },
    nodeLifecycle: parts.nodeGraceMs === undefined ? {} : { monitorGraceMs: parts.nodeGraceMs },
  });
  await running.ready;
  const played = await startNodesOf(parts, (user) => server.transport(user), server.transport());
  kubelets.join(played.nodes);
  const listening = parts.kubectl === true ? await listenFor(server) : undefined;
  return {
    transport: server.transport(),
    nodes: played.nodes,
    kubeconfigPath: listening?.path ?? '',
    async stop() {
      listening?.remove();
      await played.stop();
      stop.abort();
      await running.ended;
      await server.close();
    },
  };
}

/** What kube-controller-manager is told of the parts. */
function flagsOf({ nodeGraceMs, terminatedPods }: ClusterParts): readonly string[] {
  return [
    ...(nodeGraceMs === undefined ? [] : [`--node-monitor-grace-period=${nodeGraceMs}ms`]),
    ...(terminatedPods === undefined ? [] : [`--terminated-pod-gc-threshold=${terminatedPods}`]),
  ];
}

async function startReal(assets: string, parts: ClusterParts): Promise<RunningCluster> {
  const real = await startRealServer(assets);
  const transport = real.transport();
  const metrics = parts.metrics === true ? await serveMetrics(transport) : undefined;
  const stopManager = startControllerManager(assets, real.kubeconfigPath, parts.controllers, flagsOf(parts));
  const { nodes = 0 } = parts;
  const kubelets =
    nodes === 0 ? undefined : await serveKubelets(nodes, { admin: transport, clientCa: real.clientCa.cert });
  const told = kubelets === undefined ? parts : { ...parts, nodes: kubelets.nodes };
  const played = await startNodesOf(told, () => transport, transport);
  await kubelets?.serve(played.nodes);
  return {
    transport,
    nodes: played.nodes,
    kubeconfigPath: real.kubeconfigPath,
    async stop() {
      await played.stop();
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
  suite: (transport: () => Transport, nodes: () => Nodes, kubeconfigPath: () => string) => void,
): void {
  const parts: ClusterParts = 'controllers' in controllers ? controllers : { controllers };
  const run = (start: () => Promise<RunningCluster>) => (): void => {
    let cluster: RunningCluster | undefined;
    beforeAll(async () => {
      cluster = await start();
    });
    afterAll(() => cluster?.stop());
    const running = (): RunningCluster => {
      if (cluster === undefined) throw new Error('the cluster is there only while tests run');
      return cluster;
    };
    suite(
      () => running().transport,
      () => running().nodes,
      () => running().kubeconfigPath,
    );
  };
  describe(
    `${title} on the embedded cluster`,
    run(() => startOurs(parts)),
  );
  const assets = findServers();
  const found = assets !== undefined && existsSync(join(assets, 'kube-controller-manager'));
  const runs = found || process.env['KUBEWRIGHT_REAL'] === 'required';
  const needs = runs ? '' : ' [needs kube-apiserver and kube-controller-manager: npm run assets]';
  describe.skipIf(!runs)(
    `${title} with kube-controller-manager${needs}`,
    run(() => startReal(assets ?? '', parts)),
  );
}
