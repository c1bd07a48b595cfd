import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from '@kubewright/client';
import { corev1, rbacv1, type Transport } from '@kubewright/kube';
import { issueCertificate } from '../support/certificates.ts';
import type { Child } from '../support/child.ts';
import { textOf } from './text-of.ts';
import type { NodeProcess } from './start-node.ts';
import type { RealNodes } from './start-nodes.ts';

/** The agents of nodes, as the operator is told of them. */
export type Agents = {
  readonly url: string;
  readonly token: string;
  /** Files: the CA of both sides, and the operator's certificate and key. */
  readonly ca: string;
  readonly certificate: { readonly certFile: string; readonly keyFile: string };
  readonly processes: readonly Child[];
};

const TOKEN = 'a-token-of-the-agents';
const URL_OF_NODE = 'https://$(NODE):9443';
const COMMAND = fileURLToPath(new URL('../../packages/kubewright/bin/kubewright.mjs', import.meta.url));
const ACCOUNT = { name: 'ms2m-agent', namespace: 'kube-system' };

/** Starts the product's agent on each node. Its account may checkpoint containers, and nothing else. */
export async function startAgents(world: RealNodes): Promise<Agents> {
  await createAccount(world.transport);
  const processes: Child[] = [];
  for (const node of world.nodes) processes.push(await startAgent(world, node));
  const { cert, key } = await issueCertificate(world.nodeCa, {
    subject: [{ CN: ['kubewright'] }],
    usage: 'client',
  });
  const file = (name: string, text: string): string => {
    const path = join(world.folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const certificate = { certFile: file('operator.crt', cert), keyFile: file('operator.key', key) };
  return {
    url: URL_OF_NODE,
    token: TOKEN,
    ca: file('node-ca.crt', world.nodeCa.cert),
    certificate,
    processes,
  };
}

/** The agent of one node; `more` overrides its environment. */
export async function startAgent(
  { nodeCa, transport }: RealNodes,
  node: NodeProcess,
  more: NodeJS.ProcessEnv = {},
): Promise<Child> {
  const subject = [{ CN: [node.name] }];
  const { cert, key } = await issueCertificate(nodeCa, { subject, usage: 'both', names: [node.name] });
  const file = (name: string, text: string): string => {
    const path = join(dirname(node.lib), 'agent', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const ca = file('ca.crt', nodeCa.cert);
  const env = {
    MS2M_AGENT_URL: URL_OF_NODE,
    MS2M_AGENT_TOKEN: TOKEN,
    MS2M_AGENT_CA: ca,
    MS2M_AGENT_CERT: file('tls.crt', cert),
    MS2M_AGENT_KEY: file('tls.key', key),
    MS2M_AGENT_CLIENT_CA: ca,
    MS2M_KUBELET_CA: ca,
    MS2M_REGISTRY_CA: ca,
    MS2M_KUBELET_TOKEN: file('token', await tokenOfAccount(transport)),
    ...more,
  };
  const agent = node.start(process.execPath, [COMMAND, 'migrate', 'agent'], env);
  await becomesReady(agent);
  return agent;
}

async function becomesReady(agent: Child): Promise<void> {
  while (!/^ready$/m.test(agent.tail())) {
    assert(agent.running, `the agent ended:\n${agent.tail()}`);
    await delay(50);
  }
}

async function createAccount(transport: Transport): Promise<void> {
  const client = createClient(transport);
  const { name, namespace } = ACCOUNT;
  const apiVersion = 'rbac.authorization.k8s.io/v1' as const;
  const rules = [{ apiGroups: [''], resources: ['nodes/checkpoint'], verbs: ['create'] }];
  await client.create(corev1.serviceaccounts, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace },
  });
  await client.create(rbacv1.clusterroles, { apiVersion, kind: 'ClusterRole', metadata: { name }, rules });
  await client.create(rbacv1.clusterrolebindings, {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  });
}

async function tokenOfAccount(transport: Transport): Promise<string> {
  const { name, namespace } = ACCOUNT;
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const response = await transport.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  const { status } = JSON.parse(await textOf(response.body)) as {
    readonly status: { readonly token: string };
  };
  return status.token;
}
