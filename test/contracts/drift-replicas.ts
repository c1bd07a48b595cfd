import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { corev1, JsonObject, Stored } from '@kubewright/kube';
import { expect, vi } from 'vitest';
import { SITE_CONTROLLER } from '../../packages/operators/src/drift/demo/site-controller.ts';
import { issueCertificate, makeAuthority } from '../support/certificates.ts';
import { type Child, startChild } from '../support/child.ts';
import { freePort } from '../support/free-port.ts';
import { httpsCall } from '../support/https-call.ts';
import { KUBEWRIGHT } from '../support/kubewright-command.ts';
import { type Endpoint, ServiceBalancer } from '../support/service-balancer.ts';

const WITHIN = { timeout: 120_000, interval: 50 };

/** One `kubewright drift webhook`, as a process. */
export type Replica = Endpoint & { readonly child: Child };

type Answer = {
  readonly allowed: boolean;
  readonly status?: { readonly code: number; readonly message: string };
};

/** The pods behind a Service that serve the webhook of drift. */
export class DriftReplicas {
  readonly balancer = new ServiceBalancer();
  readonly caCert: string;
  readonly #folder: string;
  readonly #kubeconfigPath: string;
  readonly #all = new Set<Replica>();

  private constructor(folder: string, kubeconfigPath: string, caCert: string) {
    this.#folder = folder;
    this.#kubeconfigPath = kubeconfigPath;
    this.caCert = caCert;
  }

  /** @param host the name by which API servers call the Service */
  static async prepare(kubeconfigPath: string, host: string): Promise<DriftReplicas> {
    const folder = mkdtempSync(join(tmpdir(), 'kubewright-replicas-'));
    const authority = await makeAuthority('kausality-ca');
    const { cert, key } = await issueCertificate(authority, {
      subject: [{ CN: [host] }],
      usage: 'server',
      names: [host, 'localhost'],
    });
    writeFileSync(join(folder, 'tls.crt'), cert);
    writeFileSync(join(folder, 'tls.key'), key);
    return new DriftReplicas(folder, kubeconfigPath, authority.cert);
  }

  /** Resolves when it gets connections. */
  async start(): Promise<Replica> {
    const [port, healthPort] = [await freePort(), await freePort()];
    const flags = {
      host: '127.0.0.1',
      port,
      'cert-dir': this.#folder,
      'health-probe-bind-address': `127.0.0.1:${healthPort}`,
      'metrics-bind-address': 0,
      'shutdown-delay-seconds': 1,
    };
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    const child = startChild(
      process.execPath,
      [...KUBEWRIGHT, 'drift', 'webhook', ...args],
      join(this.#folder, `${port}.log`),
      process.cwd(),
      { ...process.env, KUBECONFIG: this.#kubeconfigPath },
    );
    const replica = { port, healthPort, child };
    this.#all.add(replica);
    this.balancer.endpoints.add(replica);
    await vi.waitFor(() => {
      if (!child.running) expect.fail(`the webhook ended: ${child.tail()}`);
      expect(this.balancer.isReady(replica)).toBe(true);
    }, WITHIN);
    return replica;
  }

  /** Asks this replica and no other, as an API server does. */
  async ask({ port }: Replica, request: JsonObject): Promise<Answer> {
    const server = { url: `https://localhost:${port}`, caCert: this.caCert };
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
    const { text } = await httpsCall(server, 'POST', '/mutate', {}, review);
    return (JSON.parse(text) as { readonly response: Answer }).response;
  }

  /** As a kubelet stops a pod, with time for what is under way. */
  async stop(replica: Replica): Promise<void> {
    process.kill(replica.child.pid, 'SIGTERM');
    await replica.child.ended;
    this.balancer.endpoints.delete(replica);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map(({ child }) => child.stop()));
    await this.balancer.close();
    rmSync(this.#folder, { recursive: true });
  }
}

/** The update of a child by the Site's controller, as a server asks about it. */
export function updateOf(child: Stored<corev1.ConfigMap>): JsonObject {
  const { uid, name, namespace } = child.metadata;
  return {
    uid,
    operation: 'UPDATE',
    namespace,
    name,
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    userInfo: { ...SITE_CONTROLLER },
    oldObject: child,
    object: { ...child, data: { theme: 'dark' } },
  };
}
