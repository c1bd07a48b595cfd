import type { Registry } from 'prom-client';
import type { CertificateSource } from '../webhook/serving-certificate.ts';
import {
  createWebhookCertificates,
  type WebhookCertificatesOptions,
} from '../webhook/certificates/webhook-certificates.ts';
import {
  createWebhookServer,
  type WebhookServer,
  type WebhookServerOptions,
} from '../webhook/webhook-server.ts';
import type { LoopWatch } from '../loop/loop-watch.ts';
import type { Runnable } from '../runnable.ts';

/** Certificates that the manager issues and rotates. Client, clock, random and log are the manager's by default. */
export type ManagedCertificates = Omit<WebhookCertificatesOptions, 'client'> &
  Partial<Pick<WebhookCertificatesOptions, 'client'>>;

export type ManagerWebhookOptions = Omit<WebhookServerOptions, 'certificates'> & {
  readonly certificates: CertificateSource | ManagedCertificates;
};

/** What the manager shares with its webhook server. */
type Shared = Required<Pick<WebhookCertificatesOptions, 'client' | 'clock' | 'random' | 'log'>> & {
  readonly registry: Registry;
  readonly watch?: LoopWatch | undefined;
};

/** Creates the webhook server and its certificates; calls `add` for each runnable. */
export function addWebhookServer(
  { certificates, ...options }: ManagerWebhookOptions,
  { client, clock, random, log, registry, watch }: Shared,
  add: (runnable: Runnable) => void,
): WebhookServer {
  let source: CertificateSource;
  if ('current' in certificates) {
    source = certificates;
  } else {
    const made = createWebhookCertificates({ client, clock, random, log, ...certificates });
    add(made);
    source = made;
  }
  const server = createWebhookServer({ ...options, certificates: source }, { clock, log, registry, watch });
  add(server);
  return server;
}
