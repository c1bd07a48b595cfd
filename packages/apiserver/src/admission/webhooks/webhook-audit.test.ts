import type { JsonObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { at } from '../../testing/at.ts';
import { MAPS, map, webhookBench } from './testing/webhook-bench.ts';

const serverWith = webhookBench();

describe('the audit event of a request', () => {
  test('says what webhooks did and noted, under their names', async () => {
    const events: JsonObject[] = [];
    const { call, questions } = await serverWith({}, { audit: (event) => events.push(event) });
    events.length = 0;
    const answer = call('POST', MAPS, map('noted'), { 'user-agent': 'test/1', 'audit-id': 'mine' });
    const operations = Buffer.from('[{"op":"add","path":"/data","value":{"a":"b"}}]').toString('base64');
    (await questions.next()).answer({
      allowed: true,
      patchType: 'JSONPatch',
      patch: operations,
      auditAnnotations: { why: 'because', 'bad key/x': 'no' },
    });
    await answer;
    expect(events).toEqual([
      {
        kind: 'Event',
        apiVersion: 'audit.k8s.io/v1',
        level: 'Metadata',
        auditID: 'mine',
        stage: 'ResponseComplete',
        requestURI: MAPS,
        verb: 'create',
        user: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
        userAgent: 'test/1',
        objectRef: { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' },
        responseStatus: { metadata: {}, code: 201 },
        requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
        stageTimestamp: '2026-01-01T00:00:00.000000Z',
        annotations: {
          'authorization.k8s.io/decision': 'allow',
          'authorization.k8s.io/reason': '',
          'a.example.com/why': 'because',
          'mutation.webhook.admission.k8s.io/round_0_index_0':
            '{"configuration":"hooks","webhook":"a.example.com","mutated":true}',
        },
      },
    ]);
  });

  test('says that a webhook was passed over, and of a refusal why', async () => {
    const events: JsonObject[] = [];
    const { call, clock, questions } = await serverWith(
      { failurePolicy: 'Ignore', timeoutSeconds: 1 },
      { audit: (event) => events.push(event) },
    );
    const answer = call('POST', MAPS, map('passed'));
    await questions.next();
    await clock.advance(1000);
    expect((await answer).status).toBe(201);
    const failedOpen = 'failed-open.mutation.webhook.admission.k8s.io/round_0_index_0';
    expect(at(events.at(-1), 'annotations', failedOpen)).toBe('a.example.com');
    await call('GET', `${MAPS}/none`);
    expect(at(events.at(-1), 'responseStatus')).toEqual({
      metadata: {},
      status: 'Failure',
      message: 'configmaps "none" not found',
      reason: 'NotFound',
      details: { name: 'none', kind: 'configmaps' },
      code: 404,
    });
  });

  test('of a watch comes when it ends', async () => {
    const events: JsonObject[] = [];
    const { call, server } = await serverWith({}, { audit: (event) => events.push(event) });
    const end = new AbortController();
    const path = '/api/v1/namespaces?watch=1';
    const { body } = await server
      .transport()
      .request({ method: 'GET', path, headers: {}, signal: end.signal });
    const watched = body[Symbol.asyncIterator]();
    await watched.next();
    await call('GET', '/version');
    expect(events.map((event) => event['requestURI'])).not.toContain(path);
    end.abort();
    while ((await watched.next()).done !== true);
    expect(events.at(-1)?.['requestURI']).toBe(path);
  });
});
