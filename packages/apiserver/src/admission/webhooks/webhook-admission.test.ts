import type { JsonObject } from '@kubewright/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { type ApiServer, type ApiServerOptions, createApiServer } from '../../api-server.ts';
import type { ServerClock } from '../../clock.ts';
import { at, textAt } from '../../testing/at.ts';
import { type Call, caller } from '../../testing/call.ts';
import type { WebhookCall, WebhookReply, WebhookTransport } from './webhook-transport.ts';

/** A clock that stands still until it is told to go on. */
function standingClock(): ServerClock & { advance(ms: number): void } {
  let now = Date.UTC(2026, 0, 1);
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  return {
    now: () => new Date(now),
    schedule(ms, callback) {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      now += ms;
      for (const timer of timers) {
        if (timer.at > now) continue;
        timers.delete(timer);
        timer.callback();
      }
    },
  };
}

/** A question that waits for its answer. */
type Waiting = {
  readonly call: WebhookCall;
  readonly request: JsonObject;
  readonly answer: (response: JsonObject) => void;
};

/** Holds questions until the test answers them. */
function heldQuestions(): WebhookTransport & { next(): Promise<Waiting> } {
  const waiting: Waiting[] = [];
  let arrived = (): void => {};
  return {
    close: () => {},
    call: (call) =>
      new Promise<WebhookReply>((resolve) => {
        const review = JSON.parse(Buffer.from(call.body).toString()) as JsonObject;
        const request = at(review, 'request') as JsonObject;
        const answer = (response: JsonObject): void => {
          const { kind = '', apiVersion = '' } = review;
          const said = { kind, apiVersion, response: { uid: textAt(request, 'uid'), ...response } };
          resolve({ status: 200, contentType: 'application/json', body: Buffer.from(JSON.stringify(said)) });
        };
        waiting.push({ call, request, answer });
        arrived();
      }),
    async next() {
      while (waiting.length === 0) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
      return waiting.shift() as Waiting;
    },
  };
}

const MAPS = '/api/v1/namespaces/default/configmaps';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const ALLOWED = { allowed: true };

let server: ApiServer;
afterEach(() => server.close());

type Bench = {
  readonly call: Call;
  readonly clock: ReturnType<typeof standingClock>;
  readonly questions: ReturnType<typeof heldQuestions>;
};

/** A server whose webhooks are asked about ConfigMaps. */
async function serverWith(webhook: JsonObject = {}, options: ApiServerOptions = {}): Promise<Bench> {
  const [clock, questions] = [standingClock(), heldQuestions()];
  server = createApiServer({ clock, webhookTransport: questions, ...options });
  const call = caller(server.transport());
  const rules = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
  const made = await call('POST', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
    metadata: { name: 'hooks' },
    webhooks: [
      {
        name: 'a.example.com',
        clientConfig: { url: 'https://hooks.example.com/a' },
        rules,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...webhook,
      },
    ],
  });
  expect(made.status).toBe(201);
  return { call, clock, questions };
}

const map = (name: string, data: JsonObject = {}): JsonObject => ({ metadata: { name }, data });

describe('a webhook that lets wait', () => {
  test('fails the write when its time is up by the clock of the server', async () => {
    const { call, clock, questions } = await serverWith({ timeoutSeconds: 3 });
    const answer = call('POST', MAPS, map('late'));
    const { call: question } = await questions.next();
    clock.advance(2999);
    expect(question.signal.aborted).toBe(false);
    clock.advance(1);
    expect(question.signal.aborted).toBe(true);
    const { status, json } = await answer;
    expect([status, textAt(json, 'message')]).toEqual([
      500,
      'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: ' +
        'Post "https://hooks.example.com/a?timeout=3s": context deadline exceeded',
    ]);
    expect((await call('GET', `${MAPS}/late`)).status).toBe(404);
  });

  test('has what is left of the 34 seconds of a request', async () => {
    const { call, clock, questions } = await serverWith({
      timeoutSeconds: 30,
      failurePolicy: 'Ignore',
      reinvocationPolicy: 'IfNeeded',
    });
    const made = call('POST', MAPS, map('m'));
    (await questions.next()).answer(ALLOWED);
    await made;
    const answer = call('PATCH', `${MAPS}/m`, { data: { a: '1' } }, MERGE);
    const first = await questions.next();
    const other = call('PATCH', `${MAPS}/m`, { data: { b: '2' } }, MERGE);
    (await questions.next()).answer(ALLOWED);
    await other;
    clock.advance(20_000);
    first.answer(ALLOWED);
    const second = await questions.next();
    expect(second.call.url).toBe('https://hooks.example.com/a?timeout=14s');
    clock.advance(14_000);
    const { status, json } = await answer;
    expect([status, textAt(json, 'message')]).toEqual([
      504,
      'Timeout: request did not complete within requested timeout',
    ]);
  });

  test('holds up nobody else', async () => {
    const { call, questions } = await serverWith();
    const held = call('POST', MAPS, map('held'));
    const question = await questions.next();
    expect((await call('POST', '/api/v1/namespaces/default/secrets', map('free'))).status).toBe(201);
    expect((await call('GET', `${MAPS}/held`)).status).toBe(404);
    question.answer(ALLOWED);
    expect((await held).status).toBe(201);
  });

  test('is left by who gives up, and nothing is written', async () => {
    const { call, questions } = await serverWith();
    const giveUp = new AbortController();
    const body = JSON.stringify(map('left'));
    const headers = { 'content-type': 'application/json' };
    const answer = server
      .transport()
      .request({ method: 'POST', path: MAPS, headers, body, signal: giveUp.signal });
    const question = await questions.next();
    giveUp.abort();
    await expect(answer).rejects.toThrow('aborted');
    expect(question.call.signal.aborted).toBe(true);
    question.answer(ALLOWED);
    expect((await call('GET', `${MAPS}/left`)).status).toBe(404);
  });

  test('is asked again about what another write left', async () => {
    const { call, questions } = await serverWith();
    const made = call('POST', MAPS, map('both', { a: '0' }));
    (await questions.next()).answer(ALLOWED);
    await made;
    const first = call('PATCH', `${MAPS}/both`, { data: { a: '1' } }, MERGE);
    const asked = await questions.next();
    const second = call('PATCH', `${MAPS}/both`, { data: { b: '2' } }, MERGE);
    (await questions.next()).answer(ALLOWED);
    expect((await second).status).toBe(200);
    asked.answer(ALLOWED);
    const again = await questions.next();
    expect(at(again.request, 'oldObject', 'data')).toEqual({ a: '0', b: '2' });
    expect(at(again.request, 'object', 'data')).toEqual({ a: '1', b: '2' });
    again.answer(ALLOWED);
    expect(at((await first).json, 'data')).toEqual({ a: '1', b: '2' });
  });

  test('of two creations of one name one wins', async () => {
    const { call, questions } = await serverWith();
    const [first, second] = [call('POST', MAPS, map('one')), call('POST', MAPS, map('one'))];
    const [a, b] = [await questions.next(), await questions.next()];
    b.answer(ALLOWED);
    expect((await second).status).toBe(201);
    a.answer(ALLOWED);
    expect((await first).status).toBe(409);
  });

  test('a deletion does not take an object that came anew', async () => {
    const { call, questions } = await serverWith({ timeoutSeconds: 30 });
    const make = async (): Promise<string> => {
      const made = call('POST', MAPS, map('again'));
      (await questions.next()).answer(ALLOWED);
      return textAt((await made).json, 'metadata', 'uid');
    };
    const uid = await make();
    const guarded = call('DELETE', `${MAPS}/again`, { preconditions: { uid } });
    const asked = await questions.next();
    const plain = call('DELETE', `${MAPS}/again`);
    (await questions.next()).answer(ALLOWED);
    expect((await plain).status).toBe(200);
    await make();
    asked.answer(ALLOWED);
    const refused = await guarded;
    expect([refused.status, textAt(refused.json, 'reason')]).toEqual([409, 'Conflict']);
    expect((await call('GET', `${MAPS}/again`)).status).toBe(200);
  });
});

test('a service is where the resolver says', async () => {
  const service = { namespace: 'ops', name: 'hooks', path: '/x', port: 8443 };
  const resolved: unknown[] = [];
  const { call, questions } = await serverWith(
    { clientConfig: { service } },
    {
      resolveService: (asked) => {
        resolved.push(asked);
        return { host: '127.0.0.1', port: 12345 };
      },
    },
  );
  const answer = call('POST', MAPS, map('m'));
  const { call: question, answer: say } = await questions.next();
  say(ALLOWED);
  expect((await answer).status).toBe(201);
  expect(resolved).toEqual([service]);
  expect([question.url, question.address]).toEqual([
    'https://hooks.ops.svc:8443/x?timeout=10s',
    { host: '127.0.0.1', port: 12345 },
  ]);
});

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
    clock.advance(1000);
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
    const { call } = await serverWith({}, { audit: (event) => events.push(event) });
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
