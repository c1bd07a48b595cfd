import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { type Clock, systemClock } from '@kubewright/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepRenewed, readAgentTls } from '../../../packages/operators/src/migration/agent/agent-tls.ts';
import type { AgentAddress } from '../../../packages/operators/src/migration/checkpoints/call-agent.ts';
import type { NodeTools } from '../../../packages/operators/src/migration/checkpoints/checkpoint-jobs.ts';
import { httpNodeAgents } from '../../../packages/operators/src/migration/checkpoints/http-node-agents.ts';
import {
  type Rejected,
  type RunningAgent,
  serveAgent,
} from '../../../packages/operators/src/migration/checkpoints/serve-agent.ts';
import { issueCertificate, type KeyPair, makeAuthority } from '../../support/certificates.ts';

// Two agents that ask their callers for certificates, over TLS on the loopback; their nodes are files in memory.

const TOKEN = 'token';
/** A minute is 60 milliseconds. */
const HASTY: Clock = {
  ...systemClock,
  after: (ms, run, options) => systemClock.after(ms / 1000, run, options),
};
const FACTS = { arch: 'amd64', cgroup: 'v2', kernel: '6.12', criu: '4.1' };

const folder = mkdtempSync(join(tmpdir(), 'kubewright-agents-'));
const images: string[] = [];
const rejected: Rejected[] = [];
const agents: RunningAgent[] = [];
let authority: KeyPair;

const tools: NodeTools = {
  facts: async () => FACTS,
  checkpoint: async ({ pod }) => `/checkpoints/${pod}.tar`,
  async *read() {
    yield new Uint8Array(1024);
  },
  removeArchive: async () => undefined,
  async load(image, archive) {
    for await (const _chunk of archive);
    images.push(image);
  },
  removeImage: async () => undefined,
};

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

async function certificateOf(
  name: string,
  usage: 'client' | 'both',
  by: KeyPair = authority,
): Promise<KeyPair & NonNullable<AgentAddress['certificate']>> {
  const pair = await issueCertificate(by, { subject: [{ CN: [name] }], usage });
  return { ...pair, certFile: file(`${name}.crt`, pair.cert), keyFile: file(`${name}.key`, pair.key) };
}

/** By its port, which stands for the name of the node. */
const addressOf = (certificate?: AgentAddress['certificate']): AgentAddress => ({
  url: 'https://127.0.0.1:$(NODE)',
  token: TOKEN,
  caFile: join(folder, 'ca.crt'),
  ...(certificate && { certificate }),
});
const node = (index: number): string => String(agents[index]?.port ?? 0);

beforeAll(async () => {
  authority = await makeAuthority('nodes');
  file('ca.crt', authority.cert);
  for (const name of ['first', 'second']) {
    const { cert, key, ...certificate } = await certificateOf(name, 'both');
    const tls = { cert, key, clientCa: authority.cert };
    const audit = (one: Rejected): void => void rejected.push(one);
    agents.push(
      await serveAgent({ tools, agents: addressOf(certificate), host: '127.0.0.1', port: 0, tls, audit }),
    );
  }
});
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.close()));
  rmSync(folder, { recursive: true, force: true });
});

test('MIG-64 a caller with the token, and without a certificate, or with one of another authority, is not heard', async () => {
  const foreign = await certificateOf('foreign', 'client', await makeAuthority('others'));
  for (const certificate of [undefined, foreign]) {
    rejected.splice(0);
    const caller = httpNodeAgents(addressOf(certificate), systemClock);
    await expect(caller.facts(node(0))).rejects.toMatchObject({
      code: 'Forbidden',
      message: expect.stringContaining('a certificate of the CA of this agent is needed'),
    });
    expect(rejected).toMatchObject([{ status: 403, method: 'GET', from: '127.0.0.1' }]);
  }
});

test('MIG-62 with their certificates the operator reaches an agent, and that one the other', async () => {
  const operator = httpNodeAgents(addressOf(await certificateOf('operator', 'client')), systemClock);
  expect(await operator.facts(node(0))).toEqual(FACTS);
  const order = {
    id: 'uid.1',
    namespace: 'shop',
    pod: 'consumer-0',
    container: 'main',
    node: node(0),
    targetNode: node(1),
    image: 'localhost/ms2m/shop/consumer-0:f0e1d2c3-1',
    transfer: 'Direct',
  } as const;
  await operator.begin(order);
  await expect.poll(() => operator.get(order)).toMatchObject({ phase: 'Ready' });
  expect(images).toEqual([order.image]);
});

test('a certificate that is renewed is shown to whoever connects from then on; half a one is not', async () => {
  const old = await certificateOf('renewed', 'both');
  const files = { ...old, clientCaFile: join(folder, 'ca.crt') };
  const current = await readAgentTls(files);
  const agent = await serveAgent({
    tools,
    agents: addressOf(old),
    host: '127.0.0.1',
    port: 0,
    tls: current,
  });
  agents.push(agent);
  const shown = async (): Promise<string> => {
    const socket = connect({ host: '127.0.0.1', port: agent.port, ca: authority.cert });
    await once(socket, 'secureConnect');
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  };
  const lines: string[] = [];
  const stop = new AbortController();
  const { renew } = agent;
  const report = (line: string): void => void lines.push(line);
  const kept = keepRenewed({ files, current, renew, report, clock: HASTY, signal: stop.signal });
  const before = await shown();
  const { cert, key } = await issueCertificate(authority, { subject: [{ CN: ['renewed'] }], usage: 'both' });
  file('renewed.crt', cert);
  await expect.poll(() => lines).toContainEqual(expect.stringContaining('cannot be renewed'));
  expect(await shown()).toBe(before);
  file('renewed.key', key);
  await expect.poll(() => lines).toContain('the certificate was renewed');
  expect(await shown()).toBe(new X509Certificate(cert).fingerprint256);
  stop.abort();
  await kept;
});
