import { createSecureContext } from 'node:tls';
import { type ClientHttp2Session, connect } from 'node:http2';
import { request as httpsRequest, Agent } from 'node:https';
import { connect as tlsConnect } from 'node:tls';
import { once } from 'node:events';
import { ApiError, createManualClock, systemClock } from '@kubewright/client';
import type { JsonObject } from '@kubewright/kube';
import { Registry } from 'prom-client';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../log/logger.ts';
import { allowed, denied, errored, patched, withWarnings } from './admission-response.ts';
import { admissionWebhook, type AdmissionHandler } from './admission-webhook.ts';
import { x509Issuer } from './certificates/certificate-issuer.ts';
import { defaultingWebhook } from './defaulting-webhook.ts';
import { denial } from './refusal-of.ts';
import type { ServingCertificate } from './serving-certificate.ts';
import { validatingWebhook } from './validating-webhook.ts';
import type { Webhook } from './webhook.ts';
import { createWebhookServer, type WebhookServer } from './webhook-server.ts';

const HOST = '127.0.0.1';

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

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function certificate(): Promise<ServingCertificate & { readonly ca: string }> {
  const now = systemClock.now();
  const validity = { notBefore: now - 60_000, notAfter: now + 3_600_000 };
  const authority = await x509Issuer.authority(validity);
  const leaf = await x509Issuer.leaf(authority, [HOST, 'localhost'], validity);
  return { ...leaf, notAfter: validity.notAfter, ca: authority.cert };
}

async function serve(webhooks: Readonly<Record<string, Webhook>>, clock = systemClock): Promise<Running> {
  let current = await certificate();
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
    { port: 0, host: HOST, certificates, onListening: (port) => open(port) },
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
    current = await certificate();
    for (const listener of listeners) listener();
  };
  return { server, port, registry, stop, ended, ca: () => current.ca, rotate };
}

function session({ port, ca }: Running): ClientHttp2Session {
  const made = connect(`https://${HOST}:${port}`, { ca: ca() });
  cleanUps.push(() => made.close());
  return made;
}

const JSON_TYPE = { 'content-type': 'application/json' };

async function post(
  over: ClientHttp2Session,
  path: string,
  body: string | Buffer,
  headers: Record<string, string> = JSON_TYPE,
): Promise<{ readonly status: number; readonly text: string }> {
  const stream = over.request({ ':method': 'POST', ':path': path, ...headers });
  stream.end(body);
  const cutOff = once(stream, 'close').then(() => Promise.reject(new Error('cut off')));
  const [answer] = (await Promise.race([once(stream, 'response'), cutOff])) as [{ ':status': number }];
  cutOff.catch(() => undefined);
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return { status: answer[':status'], text };
}

type Review = { apiVersion?: string; response: JsonObject };

const review = (request: JsonObject, apiVersion = 'admission.k8s.io/v1'): string =>
  JSON.stringify({
    kind: 'AdmissionReview',
    apiVersion,
    request: { uid: 'u1', operation: 'CREATE', ...request },
  });

async function ask(over: ClientHttp2Session, path: string, body: string): Promise<Review> {
  return JSON.parse((await post(over, path, body)).text) as Review;
}

const map = (data: JsonObject) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data });

describe('a webhook server', () => {
  it('answers in the version that it was asked in, with patch, warnings and audit annotations', async () => {
    const running = await serve({
      '/default': defaultingWebhook({
        default(object, { warn, audit, request }) {
          warn('careful');
          audit('who', request.userInfo.username);
          return { ...object, data: { size: '1' } };
        },
      }),
    });
    const http2 = session(running);
    const question = review({ object: map({}), userInfo: { username: 'me' } }, 'admission.k8s.io/v1beta1');
    const { apiVersion, response } = await ask(http2, '/default?timeout=10s', question);
    expect(apiVersion).toBe('admission.k8s.io/v1beta1');
    const { patch, ...rest } = response;
    expect(JSON.parse(Buffer.from(patch as string, 'base64').toString())).toEqual([
      { op: 'add', path: '/data/size', value: '1' },
    ]);
    expect(rest).toEqual({
      uid: 'u1',
      allowed: true,
      status: { metadata: {}, code: 200 },
      patchType: 'JSONPatch',
      warnings: ['careful'],
      auditAnnotations: { who: 'me' },
    });
    const same = await ask(http2, '/default', review({ object: map({ size: '1' }) }));
    expect(same.response).not.toHaveProperty('patch');
    const deletion = await ask(http2, '/default', review({ operation: 'DELETE', oldObject: map({}) }));
    expect(deletion.response).toEqual({ uid: 'u1', allowed: true, status: { metadata: {}, code: 200 } });
  });

  it('refuses what it cannot read, and says why', async () => {
    const running = await serve({
      '/any': admissionWebhook(() => allowed()),
      '/typed': validatingWebhook({}),
    });
    const http2 = session(running);
    const refusal = async (body: string | Buffer, path = '/any', headers = JSON_TYPE) => {
      const { status, text } = await post(http2, path, body, headers);
      const { response } = JSON.parse(text) as Review;
      expect([status, response['allowed']]).toEqual([200, false]);
      const { code, message } = response['status'] as { code: number; message: string };
      return `${code} ${message}`;
    };
    expect(await refusal('')).toBe('400 request body is empty');
    expect(await refusal('{}', '/any', { 'content-type': 'text/plain' })).toBe(
      '400 contentType=text/plain, expected application/json',
    );
    expect(await refusal('{')).toBe(
      "400 couldn't get version/kind; json parse error: unexpected end of JSON input",
    );
    expect(await refusal('[]')).toMatch(/^400 couldn't get version\/kind/);
    expect(await refusal('{"kind":"Pod","apiVersion":"v1"}')).toMatch(/^400 no AdmissionReview/);
    expect(await refusal('{"request":null}')).toMatch(/^400 .* no request/);
    expect(await refusal(review({ operation: 'DANCE' }), '/typed')).toBe('400 unknown operation "DANCE"');
    expect(await refusal(review({ object: null }), '/typed')).toBe('400 there is no content to decode');
    const large = Buffer.alloc(7 * 1024 * 1024 + 1, ' ');
    expect(await refusal(large)).toBe('413 request entity is too large; limit is 7340032 bytes');
    expect((await post(http2, '/other', '{}')).status).toBe(404);
  });

  it('turns what a handler throws into an answer', async () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 422,
      reason: 'Invalid',
      message: 'no',
    } as const;
    const outcomes: Readonly<Record<string, AdmissionHandler>> = {
      allowed: () => withWarnings(allowed('fine'), 'but'),
      denied: () => denied('no'),
      errored: () => errored(503, 'later'),
      'thrown denial': () => Promise.reject(denial('no')),
      'api error': () => Promise.reject(new ApiError(status)),
      bug: () => Promise.reject(new TypeError('x is not a function')),
      patched: () => patched(map({}), map({ a: 'b' })),
    };
    const running = await serve({
      '/any': admissionWebhook((request, context) => outcomes[request.name]?.(request, context) ?? allowed()),
    });
    const http2 = session(running);
    const answers: Record<string, unknown> = {};
    for (const name of Object.keys(outcomes))
      answers[name] = (await ask(http2, '/any', review({ name }))).response['status'];
    expect(answers).toEqual({
      allowed: { metadata: {}, code: 200, message: 'fine' },
      denied: { metadata: {}, code: 403, reason: 'Forbidden', message: 'no' },
      errored: { metadata: {}, code: 503, message: 'later' },
      'thrown denial': { metadata: {}, code: 403, reason: 'Forbidden', message: 'no' },
      'api error': { metadata: {}, code: 422, reason: 'Invalid', message: 'no', status: 'Failure' },
      bug: { metadata: {}, code: 500, message: 'panic: x is not a function [recovered]' },
      patched: { metadata: {}, code: 200 },
    });
    const metrics = await running.registry.metrics();
    expect(metrics).toContain('controller_runtime_webhook_requests_total{webhook="/any",code="200"} 7');
    expect(metrics).toContain('controller_runtime_webhook_requests_total{webhook="/any",code="500"} 0');
    expect(metrics).toContain('controller_runtime_webhook_latency_seconds_count{webhook="/any"} 7');
    expect(metrics).toContain('controller_runtime_webhook_requests_in_flight{webhook="/any"} 0');
    expect(metrics).toContain('controller_runtime_webhook_panics_total 1');
  });

  it('changes its certificate under open connections, which go on', async () => {
    const running = await serve({ '/any': admissionWebhook(() => allowed()) });
    const old = session(running);
    const before = await ask(old, '/any', review({}));
    await running.rotate();
    expect(await ask(old, '/any', review({}))).toEqual(before);
    expect(await ask(session(running), '/any', review({}))).toEqual(before);
  });

  it('speaks HTTP/1.1 with those who know nothing else', async () => {
    const running = await serve({ '/any': admissionWebhook(() => allowed()) });
    const agent = new Agent({ keepAlive: true, ca: running.ca() });
    const call = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const options = {
          host: HOST,
          port: running.port,
          path: '/any',
          method: 'POST',
          headers: JSON_TYPE,
          agent,
        };
        const made = httpsRequest(options, (response) => {
          response.setEncoding('utf8');
          let text = '';
          response.on('data', (chunk: string) => (text += chunk));
          response.on('end', () => resolve(text));
        });
        made.on('error', reject);
        made.end(review({}));
      });
    expect(JSON.parse(await call())).toMatchObject({ response: { uid: 'u1', allowed: true } });
    expect(JSON.parse(await call())).toMatchObject({ response: { uid: 'u1', allowed: true } });
    // The idle connection is kept by the agent, and does not keep the server.
    running.stop.abort();
    await running.ended;
    agent.destroy();
  });

  it('finishes what is under way when it stops, and takes nothing new', async () => {
    let [asked, decide]: [() => void, () => void] = [() => undefined, () => undefined];
    const begun = new Promise<void>((resolve) => (asked = resolve));
    const decided = new Promise<void>((resolve) => (decide = resolve));
    const running = await serve({
      '/slow': admissionWebhook(async () => {
        asked();
        await decided;
        return allowed();
      }),
    });
    // Somebody who has connected and says nothing does not keep the server.
    const silent = tlsConnect({
      host: HOST,
      port: running.port,
      ca: running.ca(),
      secureContext: createSecureContext({ ca: running.ca() }),
    });
    silent.on('error', () => undefined);
    await once(silent, 'secureConnect');
    const answer = ask(session(running), '/slow', review({}));
    await begun;
    expect(running.server.startedChecker()).toBeUndefined();
    running.stop.abort();
    await once(silent, 'close');
    expect(running.server.startedChecker()).toBe('webhook server has not been started yet');
    const late = session(running);
    await expect(once(late, 'connect')).rejects.toThrow('ECONNREFUSED');
    decide();
    expect((await answer).response).toMatchObject({ allowed: true });
    await running.ended;
  });

  it('does not wait for ever, and tells the handler', async () => {
    const clock = createManualClock(systemClock.now());
    let aborted = false;
    let asked: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (asked = resolve));
    const running = await serve(
      {
        '/stuck': admissionWebhook((_request, { signal }) => {
          asked();
          return new Promise(() => signal.addEventListener('abort', () => (aborted = true)));
        }),
      },
      clock,
    );
    const http2 = session(running);
    http2.on('error', () => undefined);
    const answer = ask(http2, '/stuck', review({})).catch(() => 'cut off');
    await begun;
    running.stop.abort();
    await clock.advance(60_000);
    await running.ended;
    expect(await answer).toBe('cut off');
    expect(aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('says when its certificate has expired', async () => {
    const clock = createManualClock(systemClock.now());
    const running = await serve({}, clock);
    expect(running.server.startedChecker()).toBeUndefined();
    await clock.advance(3_600_000);
    expect(running.server.startedChecker()).toBe('the serving certificate of the webhook server has expired');
    await running.rotate();
    expect(() =>
      running.server.register(
        '/a',
        admissionWebhook(() => allowed()),
      ),
    ).not.toThrow();
    expect(() =>
      running.server.register(
        '/a',
        admissionWebhook(() => allowed()),
      ),
    ).toThrow('there is a webhook at /a already');
  });
});
