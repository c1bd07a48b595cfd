import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Transport } from '@kubewright/kube';
import { issueCertificate, type KeyPair, makeAuthority } from '../support/certificates.ts';
import { type Child, freePort, startChild } from '../support/child.ts';
import { http2Transport } from '../support/http2-transport.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { issueBy } from './issue-by.ts';
import { type TestServer, USERS } from './test-server.ts';

const READY_WITHIN_MS = 90_000;

/** What the processes of a real control plane need on disk. */
async function writeFiles(
  directory: string,
): Promise<{ readonly caCert: string; readonly clientCa: KeyPair }> {
  const [serverCa, clientCa] = [await makeAuthority('test servers'), await makeAuthority('test clients')];
  const { cert, key } = await issueCertificate(serverCa, {
    subject: [{ CN: ['kube-apiserver'] }],
    usage: 'server',
  });
  const serviceAccountKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const secret = { mode: 0o600 };
  writeFileSync(join(directory, 'client-ca.crt'), clientCa.cert);
  writeFileSync(join(directory, 'tls.crt'), cert);
  writeFileSync(join(directory, 'tls.key'), key, secret);
  writeFileSync(
    join(directory, 'sa.key'),
    serviceAccountKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    secret,
  );
  const tokens = Object.entries(USERS).map(
    ([name, { token, groups }]) => `${token},${name},${name},"${groups.join(',')}"`,
  );
  writeFileSync(join(directory, 'tokens.csv'), `${tokens.join('\n')}\n`, secret);
  return { caCert: serverCa.cert, clientCa };
}

function flags(values: Readonly<Record<string, string | number | boolean>>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}

function etcdArguments(client: number, peer: number): string[] {
  const clientUrl = `http://127.0.0.1:${client}`;
  const peerUrl = `http://127.0.0.1:${peer}`;
  return flags({
    'data-dir': 'etcd',
    'unsafe-no-fsync': true,
    'log-level': 'warn',
    'listen-client-urls': clientUrl,
    'advertise-client-urls': clientUrl,
    'listen-peer-urls': peerUrl,
    'initial-advertise-peer-urls': peerUrl,
    'initial-cluster': `default=${peerUrl}`,
  });
}

function apiServerArguments(etcd: number, port: number): string[] {
  return flags({
    'etcd-servers': `http://127.0.0.1:${etcd}`,
    'bind-address': '127.0.0.1',
    'secure-port': port,
    'cert-dir': '.',
    'tls-cert-file': 'tls.crt',
    'tls-private-key-file': 'tls.key',
    'token-auth-file': 'tokens.csv',
    'client-ca-file': 'client-ca.crt',
    'authorization-mode': 'RBAC',
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': 'sa.key',
    'service-account-signing-key-file': 'sa.key',
    'service-cluster-ip-range': '10.0.0.0/24',
    'allow-privileged': true,
    // Nothing makes the default service accounts: no controller manager runs.
    'disable-admission-plugins': 'ServiceAccount',
    profiling: false,
  });
}

async function statusOf(transport: Transport, path: string): Promise<number> {
  try {
    const response = await transport.request({ method: 'GET', path, headers: {} });
    for await (const _ of response.body);
    return response.status;
  } catch {
    return 0;
  }
}

/** Waits until the server answers as ready and the namespace `default` is there. */
async function becomesReady(transport: Transport, children: readonly Child[]): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    if ((await statusOf(transport, '/readyz')) === 200) {
      if ((await statusOf(transport, '/api/v1/namespaces/default')) === 200) return;
    }
    const dead = children.find((child) => !child.running);
    if (dead !== undefined) throw new Error(`the control plane ended before it was ready:\n${dead.tail()}`);
    if (Date.now() > deadline) throw new Error(`kube-apiserver is not ready:\n${children.at(-1)?.tail()}`);
    await delay(25);
  }
}

/** A running control plane: the test server and the processes behind it. */
export type RealServer = TestServer & {
  readonly pids: readonly number[];
  /** Who signs clients' certificates. */
  readonly clientCa: KeyPair;
};

/**
 * Starts etcd and kube-apiserver from the folder `assets` on free loopback ports, data in a temporary folder.
 * No controller runs. Everything is gone after `stop`.
 */
export async function startRealServer(assets: string): Promise<RealServer> {
  const directory = mkdtempSync(join(tmpdir(), 'kubewright-real-'));
  const children: Child[] = [];
  const stop = async (): Promise<void> => {
    for (const child of children.toReversed()) await child.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const { caCert, clientCa } = await writeFiles(directory);
    const [client, peer, port] = [await freePort(), await freePort(), await freePort()];
    const start = (name: string, args: readonly string[]): void => {
      children.push(startChild(join(assets, name), args, join(directory, `${name}.log`), directory));
    };
    start('etcd', etcdArguments(client, peer));
    start('kube-apiserver', apiServerArguments(client, port));
    const url = `https://127.0.0.1:${port}`;
    const token = USERS.admin.token;
    const probe = http2Transport(url, caCert, token);
    await becomesReady(probe, children);
    await probe.close();
    const kubeconfigPath = join(directory, 'kubeconfig');
    writeKubeconfig(kubeconfigPath, url, caCert, token);
    return {
      name: 'real',
      url,
      caCert,
      token,
      kubeconfigPath,
      clientCa,
      issueClientCertificate: issueBy(clientCa),
      pids: children.map((child) => child.pid),
      transport: (user = 'admin') => http2Transport(url, caCert, USERS[user].token),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
