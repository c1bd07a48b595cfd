import { type ApiRequest, createManualClock } from '@kubewright/kube';
import { describe, expect, it } from 'vitest';
import { localError } from '../errors/api-error.ts';
import { type ScriptedResponse, scriptedTransport } from '../testing/scripted-transport.ts';
import { collectBody } from '../transport/response-body.ts';
import { injectFaults } from './inject-faults.ts';
import { recordRequests } from './record-requests.ts';
import { withRetry } from './with-retry.ts';

const get: ApiRequest = { method: 'GET', path: '/x', headers: {} };
const post: ApiRequest = { method: 'POST', path: '/x', headers: {}, body: '{}' };
const ok: ScriptedResponse = { json: { ok: true } };
const busy = (seconds: number): ScriptedResponse => ({
  status: 429,
  headers: { 'retry-after': String(seconds) },
});
const lost: ScriptedResponse = { fails: localError('ConnectionFailed', 'lost') };

describe('withRetry', () => {
  async function run(
    request: ApiRequest,
    script: readonly ScriptedResponse[],
  ): Promise<[string | number, number[]]> {
    const clock = createManualClock();
    const waits: number[] = [];
    const transport = withRetry(scriptedTransport(script), {
      clock,
      random: () => 0,
      onRetry: (_request, ms) => waits.push(ms),
    });
    const answer = transport.request(request).then(
      ({ status }) => status,
      (error: Error) => error.message,
    );
    while (await clock.advanceToNext());
    return [await answer, waits];
  }

  it.each<[string, ApiRequest, readonly ScriptedResponse[], string | number, number[]]>([
    ['waits as long as the server asks', post, [busy(2), busy(1), ok], 200, [2000, 1000]],
    ['never longer than the bound', get, [busy(999), ok], 200, [30_000]],
    [
      'repeats a 503 with Retry-After',
      post,
      [{ status: 503, headers: { 'retry-after': '1' } }, ok],
      200,
      [1000],
    ],
    ['takes a 503 without it for an answer', get, [{ status: 503 }], 503, []],
    ['takes a conflict for an answer', post, [{ status: 409, headers: { 'retry-after': '1' } }], 409, []],
    ['repeats a read whose connection failed', get, [lost, lost, ok], 200, [100, 200]],
    ['never repeats a write whose connection failed', post, [lost, ok], 'lost', []],
    ['gives up', get, Array(11).fill(busy(1)), 429, Array(10).fill(1000)],
  ])('%s', async (_title, request, script, expected, waits) => {
    expect(await run(request, script)).toEqual([expected, waits]);
  });

  it('stops waiting when the call is aborted', async () => {
    const clock = createManualClock();
    const stop = new AbortController();
    const transport = withRetry(scriptedTransport([busy(10)]), {
      clock,
      onRetry: () => queueMicrotask(() => stop.abort()),
    });
    const answer = transport.request({ ...get, signal: stop.signal });
    await expect(answer).rejects.toMatchObject({ reason: 'Aborted' });
    expect(clock.pending).toBe(0);
  });
});

describe('recordRequests', () => {
  it('tells reads from writes, and counts those without an answer', async () => {
    const transport = recordRequests(scriptedTransport([ok, ok, lost]));
    await transport.request(get);
    await transport.request(post);
    await expect(transport.request({ ...post, method: 'PUT' })).rejects.toThrow('lost');
    expect(transport.writes().map(({ method, status, body }) => [method, status, body])).toEqual([
      ['POST', 200, '{}'],
      ['PUT', 0, '{}'],
    ]);
    transport.clear();
    expect(transport.requests).toEqual([]);
  });
});

describe('injectFaults', () => {
  it('loses a request: the server is not asked', async () => {
    const inner = scriptedTransport([]);
    await expect(injectFaults(inner, () => ({ type: 'lostRequest' })).request(get)).rejects.toThrow(
      /request was lost/,
    );
    expect(inner.requests).toEqual([]);
  });

  it('loses an answer: the server was asked', async () => {
    const inner = scriptedTransport([ok]);
    await expect(injectFaults(inner, () => ({ type: 'lostResponse' })).request(get)).rejects.toThrow(
      /response was lost/,
    );
    expect(inner.requests).toHaveLength(1);
  });

  it('refuses in the place of the server', async () => {
    const fault = { type: 'status', status: 409, reason: 'Conflict', retryAfterSeconds: 3 } as const;
    const response = await injectFaults(scriptedTransport([]), () => fault).request(get);
    expect(response.status).toBe(409);
    expect(response.headers['retry-after']).toBe('3');
    expect(JSON.parse(Buffer.from(await collectBody(response.body, 1000)).toString())).toMatchObject({
      reason: 'Conflict',
    });
  });

  it('cuts an answer in the middle', async () => {
    const inner = scriptedTransport([{ chunks: ['abc', 'def'] }]);
    const { body } = await injectFaults(inner, () => ({ type: 'cut', afterBytes: 4 })).request(get);
    let read = '';
    const reading = (async () => {
      for await (const chunk of body) read += Buffer.from(chunk).toString();
    })();
    await expect(reading).rejects.toThrow(/cut off/);
    expect(read).toBe('abcd');
  });

  it('lets pass what the plan does not name', async () => {
    const transport = injectFaults(scriptedTransport([ok, ok]), ({ method }) =>
      method === 'POST' ? { type: 'lostRequest' } : undefined,
    );
    expect((await transport.request(get)).status).toBe(200);
    await expect(transport.request(post)).rejects.toThrow();
  });
});
