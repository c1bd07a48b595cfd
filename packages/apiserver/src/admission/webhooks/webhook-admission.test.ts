import { describe, expect, test } from 'vitest';
import { at, textAt } from '../../testing/at.ts';
import { ALLOWED, MAPS, MERGE, map, webhookBench } from './testing/webhook-bench.ts';

const serverWith = webhookBench();

describe('a webhook that lets wait', () => {
  test('fails the write when its time is up by the clock of the server', async () => {
    const { call, clock, questions } = await serverWith({ timeoutSeconds: 3 });
    const answer = call('POST', MAPS, map('late'));
    const { call: question } = await questions.next();
    await clock.advance(2999);
    expect(question.signal.aborted).toBe(false);
    await clock.advance(1);
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
    await clock.advance(20_000);
    first.answer(ALLOWED);
    const second = await questions.next();
    expect(second.call.url).toBe('https://hooks.example.com/a?timeout=14s');
    await clock.advance(14_000);
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
    const { call, questions, server } = await serverWith();
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

  test('nothing is created whose definition goes meanwhile', async () => {
    const rule = { operations: ['CREATE'], apiGroups: ['ex.io'], apiVersions: ['*'], resources: ['*'] };
    const { call, questions } = await serverWith({ rules: [rule] });
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
    const schema = { openAPIV3Schema: { type: 'object' } };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    const definition = {
      metadata: { name: 'widgets.ex.io' },
      spec: { group: 'ex.io', scope: 'Namespaced', names, versions },
    };
    const widgets = '/apis/ex.io/v1/namespaces/default/widgets';
    const widget = { apiVersion: 'ex.io/v1', kind: 'Widget', metadata: { name: 'late' } };
    expect((await call('POST', definitions, definition)).status).toBe(201);
    const late = call('POST', widgets, widget);
    const asked = await questions.next();
    expect((await call('DELETE', `${definitions}/widgets.ex.io`)).status).toBe(200);
    asked.answer(ALLOWED);
    expect((await late).status).toBe(404);

    expect((await call('POST', definitions, definition)).status).toBe(201);
    expect((await call('GET', `${widgets}/late`)).status).toBe(404);
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
