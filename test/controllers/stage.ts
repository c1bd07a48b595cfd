import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, withImpersonation } from '@kubewright/client';
import { type ControllerName, startParts } from '@kubewright/cluster';
import { corev1, type Json, type JsonObject, type Transport } from '@kubewright/kube';
import { installDefinitions } from '@kubewright/runtime';
import { kubeconfigOf } from '../../packages/apiserver/src/kubeconfig-of.ts';
import { parseDocuments } from '../../packages/operators/src/kit/read-documents.ts';
import { startWatched } from '../attack/watched-process.ts';
import { serveKubelets } from '../servers/cluster-kubelets.ts';
import { startControllerManager } from '../servers/controller-manager.ts';
import { writeKubeconfig } from '../servers/kubeconfig.ts';
import { type RealServer, startRealServer } from '../servers/real.ts';
import { issueCertificate, makeAuthority } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { KUBEWRIGHT } from '../support/kubewright-command.ts';

/** A real control plane with nodes and a manager that runs drift, as a person has them who tries it from their machine. */
export type Stage = {
  readonly server: RealServer;
  readonly folder: string;
  /** Of a cluster admin. */
  readonly admin: Client;
  /** Of a person. */
  readonly person: Client;
  /** What the manager has written. */
  readonly managerOutput: () => string;
  stop(): Promise<void>;
};

const CONTROLLERS: readonly ControllerName[] = [
  'deployment-controller',
  'replicaset-controller',
  'statefulset-controller',
  'job-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
];
const NODES = 2;
const PERSON = { user: 'alice', groups: ['system:masters'] };

/** How to undo what has been started. */
type Undo = (() => unknown)[];
type StagePart = { readonly folder: string; readonly server: RealServer; readonly undo: Undo };

/** The last is undone first, and one that fails keeps no other from it. */
async function undoAll(undo: Undo): Promise<void> {
  const last = undo.pop();
  if (last === undefined) return;
  try {
    await last();
  } finally {
    await undoAll(undo);
  }
}

/** Starts all of it, or ends what has started when something does not. */
export async function openStage(assets: string, namespaces: readonly string[]): Promise<Stage> {
  const undo: Undo = [];
  try {
    return await open(assets, namespaces, undo);
  } catch (error) {
    await undoAll(undo);
    throw error;
  }
}

async function open(assets: string, namespaces: readonly string[], undo: Undo): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-controllers-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const server = await startRealServer(assets, { accounts: true, audit: true, auditedObjects: namespaces });
  undo.push(() => server.stop());
  const transport = server.transport();
  undo.push(() => transport.close());
  await startCluster(assets, { folder, server, transport, undo });
  const manager = await startDrift({ folder, server, undo });
  return {
    server,
    folder,
    admin: createClient(transport),
    person: createClient(withImpersonation(transport, PERSON)),
    managerOutput: () => manager.output(),
    stop: () => undoAll(undo),
  };
}

/** The controllers of Kubernetes, each with an account of its own, and nodes. */
async function startCluster(
  assets: string,
  { folder, server, transport, undo }: StagePart & { readonly transport: Transport },
): Promise<void> {
  const rootCa = join(folder, 'server-ca.crt');
  writeFileSync(rootCa, server.caCert);
  const flags = ['--use-service-account-credentials', `--root-ca-file=${rootCa}`];
  undo.push(startControllerManager(assets, server.kubeconfigPath, CONTROLLERS, flags));
  const kubelets = await serveKubelets(NODES, { admin: transport, clientCa: server.clientCa.cert });
  undo.push(() => kubelets.stop());
  const stop = new AbortController();
  const played = startParts({
    nodes: kubelets.nodes,
    scheduler: true,
    storage: false,
    controllers: [],
    connect: () => transport,
    signal: stop.signal,
  });
  undo.push(async () => {
    stop.abort();
    await played.ended;
  });
  await Promise.race([played.ready, played.ended]);
  const client = createClient(transport);
  for (const name of played.nodes.names)
    await client.patch(corev1.nodes, { name }, { type: 'merge', body: { spec: { taints: null } } });
  await kubelets.serve(played.nodes);
}

/** As somebody who is no other client here, so that what the manager writes is not taken for theirs. */
async function startDrift({ folder, server, undo }: StagePart): Promise<ReturnType<typeof startWatched>> {
  const port = String(await freePort());
  const kubeconfig = join(folder, 'drift-kubeconfig');
  writeKubeconfig(kubeconfig, server.url, server.caCert, server.token);
  const manager = startWatched({
    args: [
      ...KUBEWRIGHT,
      'manager',
      '--operators=drift',
      `--kubeconfig=${kubeconfig}`,
      '--health-port=0',
      `--webhook-port=${port}`,
      `--webhook-url=https://127.0.0.1:${port}`,
    ],
    cwd: folder,
  });
  undo.push(() => manager.stop());
  await manager.printed(/^ready$/m);
  return manager;
}

/** The definitions in a folder, and others. Their conversions are left out: they are for versions that nobody stores here. */
export async function installKinds(
  client: Client,
  folder: string,
  more: readonly JsonObject[],
): Promise<void> {
  const found = readdirSync(folder)
    .flatMap((file) => parseDocuments(readFileSync(join(folder, file), 'utf8'), file))
    .filter((document): document is JsonObject => kindOf(document) === 'CustomResourceDefinition');
  const definitions = [...found, ...more].map(withoutConversion);
  await installDefinitions(client, definitions as never, { fieldManager: 'test' });
}

function kindOf(document: Json): Json | undefined {
  return typeof document === 'object' && document !== null && !Array.isArray(document)
    ? (document as JsonObject)['kind']
    : undefined;
}

function withoutConversion(definition: JsonObject): JsonObject {
  const { conversion: _, ...spec } = definition['spec'] as JsonObject;
  const { status: __, ...rest } = definition;
  return { ...rest, spec };
}

/** The kubeconfig of a controller, which calls as a service account would, by a client certificate. */
export async function writeControllerKubeconfig(
  { server, folder }: Stage,
  username: string,
): Promise<string> {
  const { cert, key } = await server.issueClientCertificate({
    username,
    groups: ['system:masters', 'system:serviceaccounts'],
  });
  const path = join(folder, 'controller-kubeconfig');
  const config = kubeconfigOf(server.url, server.caCert, { name: 'it', cert, key });
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}

/** A folder with the certificate of a server, for a program that wants one. */
export async function certificatesIn(folder: string): Promise<string> {
  const path = join(folder, 'certificates');
  mkdirSync(path, { recursive: true });
  const authority = await makeAuthority('test webhooks');
  const { cert, key } = await issueCertificate(authority, {
    subject: [{ CN: ['webhooks'] }],
    usage: 'server',
  });
  const files = { 'tls.crt': cert, 'tls.key': key, 'ca.crt': authority.cert };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text, { mode: 0o600 });
  return path;
}
