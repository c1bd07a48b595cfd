import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { type Clock, systemClock } from '@kubewright/client';
import type { JsonObject } from '@kubewright/kube';
import { Registry } from 'prom-client';
import { afterEach } from 'vitest';
import { silentLogger } from '../../log/logger.ts';
import { x509Issuer } from '../certificates/certificate-issuer.ts';
import type { ServingCertificate } from '../serving-certificate.ts';
import type { Webhook } from '../webhook.ts';
import { createWebhookServer, type WebhookServer } from '../webhook-server.ts';

export const HOST = '127.0.0.1';

type Running = {
  readonly server: WebhookServer;
  readonly port: number;
  readonly registry: Registry;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  /** The CA of the certificate that new connections are shown. */
  readonly ca: () => string;
  rotate(): Promise<void>;
};

async function certificate(clock: Clock): Promise<ServingCertificate & { readonly ca: string }> {
  const now = clock.now();
  const validity = { notBefore: now - 60_000, notAfter: now + 3_600_000 };
  const authority = await x509Issuer.authority(validity);
  const leaf = await x509Issuer.leaf(authority, [HOST, 'localhost'], validity);
  return { ...leaf, notAfter: validity.notAfter, ca: authority.cert };
}

/** Webhook servers of a suite and sessions with them, which end with the test that began them. */
export type WebhookBench = {
  /** `gracefulMs` is how long the end of the test waits for requests that are under way. */
  readonly serve: (
    webhooks: Readonly<Record<string, Webhook>>,
    clock?: Clock,
    gracefulMs?: number,
  ) => Promise<Running>;
  readonly session: (running: Running) => ClientHttp2Session;
};

/** Registers what the suite needs after its tests. */
export function webhookBench(): WebhookBench {
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function serve(
    webhooks: Readonly<Record<string, Webhook>>,
    clock: Clock = systemClock,
    gracefulMs = 60_000,
  ): Promise<Running> {
    let current = await certificate(clock);
    const listeners = new Set<() => void>();
    const registry = new Registry();
    let open: (port: number) => void = () => undefined;
    const listening = new Promise<number>((resolve) => (open = resolve));
    const certificates = {
      current: () => current,
      onChange: (listener: () => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
    const server = createWebhookServer(
      { port: 0, host: HOST, gracefulMs, certificates, onListening: (port) => open(port) },
      { clock, log: silentLogger, registry },
    );
    for (const [path, webhook] of Object.entries(webhooks)) server.register(path, webhook);
    const stop = new AbortController();
    const ended = server.start(stop.signal);
    const port = await listening;
    cleanUps.push(async () => {
      stop.abort();
      await ended;
    });
    const rotate = async (): Promise<void> => {
      current = await certificate(clock);
      for (const listener of listeners) listener();
    };
    return { server, port, registry, stop, ended, ca: () => current.ca, rotate };
  }

  function session({ port, ca }: Running): ClientHttp2Session {
    const made = connect(`https://${HOST}:${port}`, { ca: ca() });
    cleanUps.push(() => made.close());
    return made;
  }

  return { serve, session };
}

export const JSON_TYPE = { 'content-type': 'application/json' };

export async function post(
  over: ClientHttp2Session,
  path: string,
  body: string | Buffer,
  headers: Record<string, string> = JSON_TYPE,
): Promise<{ readonly status: number; readonly text: string }> {
  const stream = over.request({ ':method': 'POST', ':path': path, ...headers });
  stream.end(body);
  const cutOff = once(stream, 'close').then(() => assert.fail('cut off'));
  const [answer] = (await Promise.race([once(stream, 'response'), cutOff])) as [{ ':status': number }];
  cutOff.catch(() => undefined);
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return { status: answer[':status'], text };
}

export type Review = { apiVersion?: string; response: JsonObject };

export const review = (request: JsonObject, apiVersion = 'admission.k8s.io/v1'): string =>
  JSON.stringify({
    kind: 'AdmissionReview',
    apiVersion,
    request: { uid: 'u1', operation: 'CREATE', ...request },
  });

export async function ask(over: ClientHttp2Session, path: string, body: string): Promise<Review> {
  return JSON.parse((await post(over, path, body)).text) as Review;
}
