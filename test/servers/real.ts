import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject, Transport } from '@kubewright/kube';
import { issueCertificate, type KeyPair, makeAuthority } from '../support/certificates.ts';
import { type Child, startChild } from '../support/child.ts';
import { freePort } from '../support/free-port.ts';
import { http2Transport } from '../support/http2-transport.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { issueBy } from './issue-by.ts';
import { type RestartableServer, type ServerOptions, USERS } from './test-server.ts';

/** Of a machine that does nothing else it takes four seconds. */
const READY_WITHIN_MS = 240_000;

/** What the processes of a real control plane need on disk. */
async function writeFiles(
  directory: string,
): Promise<{ readonly caCert: string; readonly clientCa: KeyPair }> {
  const [serverCa, clientCa] = [await makeAuthority('test servers'), await makeAuthority('test clients')];
  const proxyCa = await makeAuthority('test proxies');
  const proxy = await issueCertificate(proxyCa, {
    subject: [{ CN: ['front-proxy-client'] }],
    usage: 'client',
  });
  const kubelets = await issueCertificate(clientCa, {
    subject: [{ O: ['system:masters'] }, { CN: ['kube-apiserver-kubelet-client'] }],
    usage: 'client',
  });
  const { cert, key } = await issueCertificate(serverCa, {
    subject: [{ CN: ['kube-apiserver'] }],
    usage: 'server',
  });
  const serviceAccountKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const secret = { mode: 0o600 };
  writeFileSync(join(directory, 'client-ca.crt'), clientCa.cert);
  writeFileSync(join(directory, 'proxy-ca.crt'), proxyCa.cert);
  writeFileSync(join(directory, 'proxy.crt'), proxy.cert);
  writeFileSync(join(directory, 'proxy.key'), proxy.key, secret);
  writeFileSync(join(directory, 'kubelet-client.crt'), kubelets.cert);
  writeFileSync(join(directory, 'kubelet-client.key'), kubelets.key, secret);
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

type Ports = { readonly client: number; readonly peer: number; readonly server: number };

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

const AUDIT_LOG = 'audit.log';

/** Says of each request once, when it is over, who did what, and in `namespaces` what came of it. */
function auditPolicy(namespaces: readonly string[]): object {
  const objects = {
    level: 'RequestResponse',
    verbs: ['create', 'update', 'patch', 'delete'],
    namespaces,
    omitManagedFields: true,
  };
  return {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived', 'ResponseStarted'],
    // Without a namespace, a rule is for all of them.
    rules: [...(namespaces.length === 0 ? [] : [objects]), { level: 'Metadata' }],
  };
}

function apiServerArguments(
  etcd: number,
  port: number,
  { accounts = false, audit = false, address }: ServerOptions,
): string[] {
  return flags({
    'etcd-servers': `http://127.0.0.1:${etcd}`,
    ...(address === undefined
      ? { 'bind-address': '127.0.0.1' }
      : { 'bind-address': '0.0.0.0', 'advertise-address': address }),
    'secure-port': port,
    'cert-dir': '.',
    'tls-cert-file': 'tls.crt',
    'tls-private-key-file': 'tls.key',
    'token-auth-file': 'tokens.csv',
    'client-ca-file': 'client-ca.crt',
    // How it shows extension servers that it speaks for its users.
    'requestheader-client-ca-file': 'proxy-ca.crt',
    'requestheader-allowed-names': 'front-proxy-client',
    'requestheader-username-headers': 'X-Remote-User',
    'requestheader-uid-headers': 'X-Remote-Uid',
    'requestheader-group-headers': 'X-Remote-Group',
    'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
    'proxy-client-cert-file': 'proxy.crt',
    'proxy-client-key-file': 'proxy.key',
    // The names of simulated nodes do not resolve.
    'kubelet-preferred-address-types': 'InternalIP,Hostname',
    // The client certificate for kubelets. Theirs are not verified.
    'kubelet-client-certificate': 'kubelet-client.crt',
    'kubelet-client-key': 'kubelet-client.key',
    'authorization-mode': 'RBAC',
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': 'sa.key',
    'service-account-signing-key-file': 'sa.key',
    'service-cluster-ip-range': '10.0.0.0/24',
    'allow-privileged': true,
    ...(accounts ? {} : { 'disable-admission-plugins': 'ServiceAccount' }),
    ...(audit ? { 'audit-policy-file': 'audit-policy.json', 'audit-log-path': AUDIT_LOG } : {}),
    profiling: false,
  });
}

/** The events whose lines are written whole. */
async function readAuditLog(path: string): Promise<readonly JsonObject[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as JsonObject);
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

/** Waits until the server is ready and the namespace `default` exists. */
async function becomesReady(transport: Transport, children: readonly Child[]): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    if ((await statusOf(transport, '/readyz')) === 200) {
      if ((await statusOf(transport, '/api/v1/namespaces/default')) === 200) return;
    }
    const dead = children.find((child) => !child.running);
    if (dead !== undefined) assert.fail(`the control plane ended before it was ready:\n${dead.tail()}`);
    if (Date.now() > deadline) assert.fail(`kube-apiserver is not ready:\n${children.at(-1)?.tail()}`);
    await delay(25);
  }
}

/** A running control plane: the test server and the processes behind it. */
export type RealServer = RestartableServer & {
  readonly pids: readonly number[];
  /** The CA of client certificates. */
  readonly clientCa: KeyPair;
};

type ControlPlaneOptions = ServerOptions & { readonly caCert: string };

/** A control plane on three ports, whose API server can be ended and begun again over the same etcd. */
class ControlPlane {
  readonly url: string;
  readonly #assets: string;
  readonly #directory: string;
  readonly #ports: Ports;
  readonly #caCert: string;
  readonly #options: ServerOptions;
  #etcd: Child | undefined;
  #server: Child | undefined;

  constructor(assets: string, directory: string, ports: Ports, { caCert, ...options }: ControlPlaneOptions) {
    this.#assets = assets;
    this.#options = options;
    this.#directory = directory;
    this.#ports = ports;
    this.#caCert = caCert;
    this.url = `https://127.0.0.1:${ports.server}`;
  }

  get children(): readonly Child[] {
    return [this.#etcd, this.#server].filter((child) => child !== undefined);
  }

  /** Starts what does not run, and waits until it is ready. */
  async start(): Promise<void> {
    const { client, peer, server } = this.#ports;
    this.#etcd ??= this.#run('etcd', etcdArguments(client, peer));
    this.#server = this.#run('kube-apiserver', apiServerArguments(client, server, this.#options));
    const probe = http2Transport(this.url, this.#caCert, USERS.admin.token);
    await becomesReady(probe, this.children);
    await probe.close();
  }

  async restart(whileDown: () => Promise<void> = async () => undefined): Promise<void> {
    await this.#server?.kill();
    await whileDown();
    await this.start();
  }

  /** Compacts etcd; the API server's own memory of events goes with its process. */
  async forgetHistory(): Promise<void> {
    await this.restart(async () => {
      const { header } = await this.#callEtcd('maintenance/status', {});
      await this.#callEtcd('kv/compaction', { revision: header.revision, physical: true });
    });
  }

  async stop(): Promise<void> {
    for (const child of this.children.toReversed()) await child.stop();
  }

  #run(name: string, args: readonly string[]): Child {
    const log = join(this.#directory, `${name}.log`);
    return startChild(join(this.#assets, name), args, log, this.#directory);
  }

  async #callEtcd(method: string, body: object): Promise<{ readonly header: { readonly revision: string } }> {
    const answer = await fetch(`http://127.0.0.1:${this.#ports.client}/v3/${method}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    if (!answer.ok) assert.fail(`etcd ${method}: ${await answer.text()}`);
    return (await answer.json()) as { readonly header: { readonly revision: string } };
  }
}

/**
 * Starts etcd and kube-apiserver from the folder `assets` on free loopback ports, data in a temporary folder.
 * No controller runs. Everything is gone after `stop`.
 */
export async function startRealServer(assets: string, options: ServerOptions = {}): Promise<RealServer> {
  const directory = mkdtempSync(join(tmpdir(), 'kubewright-real-'));
  const { caCert, clientCa } = await writeFiles(directory);
  const ports = { client: await freePort(), peer: await freePort(), server: await freePort() };
  writeFileSync(
    join(directory, 'audit-policy.json'),
    JSON.stringify(auditPolicy(options.auditedObjects ?? [])),
  );
  const plane = new ControlPlane(assets, directory, ports, { caCert, ...options });
  const stop = async (): Promise<void> => {
    await plane.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await plane.start();
  } catch (error) {
    await stop();
    throw error;
  }
  const { url } = plane;
  const token = USERS.admin.token;
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
    pids: plane.children.map((child) => child.pid),
    transport: (user = 'admin') => http2Transport(url, caCert, USERS[user].token),
    restart: (whileDown) => plane.restart(whileDown),
    forgetHistory: () => plane.forgetHistory(),
    auditEvents: async () => (options.audit === true ? readAuditLog(join(directory, AUDIT_LOG)) : []),
    stop,
  };
}
