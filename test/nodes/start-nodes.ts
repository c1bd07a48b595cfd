import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@kubewright/client';
import { corev1, isConditionTrue, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { cacheDirectory } from '../../tools/assets/find.mjs';
import { startControllerManager } from '../servers/controller-manager.ts';
import { type RealServer, startRealServer } from '../servers/real.ts';
import { issueCertificate, type KeyPair, makeAuthority } from '../support/certificates.ts';
import { startChild } from '../support/child.ts';
import { makeImages } from './images.ts';
import { type NodeProcess, startNode } from './start-node.ts';
import { type Hub, openHub } from './open-hub.ts';
import { type Registry, serveRegistry } from './serve-registry.ts';

export type RealNodes = {
  readonly transport: Transport;
  readonly hub: Hub;
  /** Named `node-1`, `node-2`, … */
  readonly nodes: readonly NodeProcess[];
  /** The CA of the kubelets' certificates, PEM; kubelets and agents have certificates of it. */
  readonly nodeCa: KeyPair;
  readonly apiServer: RealServer;
  readonly registry: Registry;
  /** Of files that go with the nodes. */
  readonly folder: string;
  stop(): Promise<void>;
};

const CONTROLLERS = [
  'statefulset-controller',
  'deployment-controller',
  'replicaset-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'node-lifecycle-controller',
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
];
/** A busy machine takes ten times as long as a quiet one. */
const PATIENT = { timeoutMs: 240_000 };

/** A control plane, and nodes that run containers. Must be called in a network namespace of its own. */
export async function startNodes(count: number, log: (line: string) => void): Promise<RealNodes> {
  // Each process of the nodes ends with this one.
  process.setMaxListeners(50);
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-nodes-'));
  const stops: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).toReversed()) await each();
  };
  try {
    const hub = await openHub(folder);
    stops.push(() => hub.close());
    const nodeCa = await makeAuthority('test nodes');
    log('making images');
    const registry = await serveRegistry(await makeImages(made(folder, 'images')), hub.address, nodeCa);
    stops.push(() => registry.close());
    log('starting the control plane');
    const apiServer = await startControlPlane(folder, hub, stops);
    const transport = apiServer.transport();
    stops.push(() => transport.close());
    log('starting nodes');
    const nodes: NodeProcess[] = [];
    for (let index = 1; index <= count; index++) {
      const node = await startOne(index, { folder, hub, apiServer, nodeCa });
      stops.push(() => node.stop());
      nodes.push(node);
    }
    for (const node of nodes) await becomesReady(transport, node);
    log('nodes are ready');
    return { transport, hub, nodes, nodeCa, apiServer, registry, folder, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function made(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

async function startControlPlane(
  folder: string,
  hub: Hub,
  stops: (() => Promise<void> | void)[],
): Promise<RealServer> {
  const assets = cacheDirectory();
  const apiServer = await startRealServer(assets, { accounts: true, address: hub.address });
  stops.push(() => apiServer.stop());
  const { kubeconfigPath, caCert } = apiServer;
  const rootCa = join(folder, 'server-ca.crt');
  writeFileSync(rootCa, caCert);
  stops.push(
    startControllerManager(assets, kubeconfigPath, CONTROLLERS, [
      `--root-ca-file=${rootCa}`,
      '--node-monitor-grace-period=20s',
    ]),
  );
  const flags = [`--kubeconfig=${kubeconfigPath}`, '--leader-elect=false', '--secure-port=0'];
  const log = join(folder, 'kube-scheduler.log');
  const scheduler = startChild(join(assets, 'kube-scheduler'), flags, log, folder);
  stops.push(() => scheduler.stop());
  return apiServer;
}

type World = {
  readonly folder: string;
  readonly hub: Hub;
  readonly apiServer: RealServer;
  readonly nodeCa: KeyPair;
};

async function startOne(index: number, world: World): Promise<NodeProcess> {
  const { folder, hub, apiServer, nodeCa } = world;
  const { url, caCert, token, clientCa } = apiServer;
  const name = `node-${index}`;
  const place = await hub.join(index);
  const serving = await issueCertificate(nodeCa, { subject: [{ CN: [name] }], usage: 'server' });
  return startNode(made(folder, name), place, {
    ...place,
    name,
    nodeCa: nodeCa.cert,
    hosts: hub.hosts,
    apiServer: { url: url.replace('127.0.0.1', hub.address), caCert, token },
    clientCa: clientCa.cert,
    serving,
  });
}

async function becomesReady(transport: Transport, node: NodeProcess): Promise<void> {
  const { name } = node;
  const isReady = (live: corev1.Node | undefined): boolean =>
    isConditionTrue((live?.status?.conditions ?? []) as never, 'Ready') &&
    (live?.spec?.taints ?? []).length === 0;
  await waitForObject(createClient(transport), corev1.nodes, { name }, isReady, PATIENT).catch(() =>
    assert.fail(`node ${name} is not ready:\n${node.tail()}`),
  );
}
