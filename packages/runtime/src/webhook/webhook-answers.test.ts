import { ApiError } from '@kubewright/client';
import type { JsonObject } from '@kubewright/kube';
import { describe, expect, it } from 'vitest';
import { allowed, denied, errored, patched, withWarnings } from './admission-response.ts';
import { type AdmissionHandler, admissionWebhook } from './admission-webhook.ts';
import { defaultingWebhook } from './defaulting-webhook.ts';
import { denial } from './denial.ts';
import { ask, JSON_TYPE, post, type Review, review, webhookBench } from './testing/webhook-bench.ts';
import { validatingWebhook } from './validating-webhook.ts';

const { serve, session } = webhookBench();

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
});
