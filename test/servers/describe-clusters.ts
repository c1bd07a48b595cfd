import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createApiServer } from '@kubewright/apiserver';
import { type Client, createClient } from '@kubewright/client';
import {
  type ControllerName,
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
import { startControllerManager } from './controller-manager.ts';
import { startRealServer } from './real.ts';

/** What runs in a cluster beside its API. */
export type ClusterParts = {
  readonly controllers: readonly ControllerName[];
  /** Simulated nodes, the same on both sides: how many, or which. Default: none, and nobody runs pods. */
  readonly nodes?: number | NodesOptions;
  /** How long a node may be silent. Default: kube-controller-manager's own. */
  readonly nodeGraceMs?: number;
};

/** An API with controllers at work, and how it is left. */
type RunningCluster = { readonly transport: Transport; readonly nodes: Nodes; stop(): Promise<void> };

type Started = { readonly nodes: Nodes; stop(): Promise<void> };

const nothing = (): void => undefined;
const NO_NODES: Nodes = {
  names: [],
  runtimes: [],
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

async function startOurs(parts: ClusterParts): Promise<RunningCluster> {
  const server = createApiServer();
  const stop = new AbortController();
  const running = startControllers({
    connect: (user) => server.transport(user),
    signal: stop.signal,
    controllers: parts.controllers,
    rootCa: 'the authority of this cluster',
    nodeLifecycle: parts.nodeGraceMs === undefined ? {} : { monitorGraceMs: parts.nodeGraceMs },
  });
  await running.ready;
  const played = await startNodesOf(parts, (user) => server.transport(user), server.transport());
  return {
    transport: server.transport(),
    nodes: played.nodes,
    async stop() {
      await played.stop();
      stop.abort();
      await running.ended;
      await server.close();
    },
  };
}

async function startReal(assets: string, parts: ClusterParts): Promise<RunningCluster> {
  const real = await startRealServer(assets);
  const transport = real.transport();
  const flags = parts.nodeGraceMs === undefined ? [] : [`--node-monitor-grace-period=${parts.nodeGraceMs}ms`];
  const stopManager = startControllerManager(assets, real.kubeconfigPath, parts.controllers, flags);
  const played = await startNodesOf(parts, () => transport, transport);
  return {
    transport,
    nodes: played.nodes,
    async stop() {
      await played.stop();
      await stopManager();
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
  suite: (transport: () => Transport, nodes: () => Nodes) => void,
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
