import { beforeEach, afterEach, describe, expect, test } from 'vitest';
import { runCommand } from './main.ts';

let [out, err] = ['', ''];
let stop: AbortController;
let ended: Promise<number>;
let base: string;

const call = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`${base}${path}`, {
    method,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const said = await response.text();
  return { code: response.status, body: said === '' ? undefined : (JSON.parse(said) as unknown) };
};
const report = (id: string, phase: string) => ({
  apiVersion: 'kausality.io/v1alpha1',
  kind: 'DriftReport',
  spec: { id, phase },
});

beforeEach(async () => {
  [out, err, stop] = ['', '', new AbortController()];
  ended = runCommand(['drift', 'backend', '--addr', '127.0.0.1:0'], {
    out: (more) => void (out += more),
    err: (more) => void (err += more),
    colour: false,
    env: {},
    cwd: '/',
    signal: stop.signal,
  });
  await expect.poll(() => out).toBe('ready\n');
  base = `http://127.0.0.1:${/port (\d+)/.exec(err)?.[1]}`;
});
afterEach(async () => {
  stop.abort();
  expect(await ended).toBe(0);
});

describe('kubewright drift backend', () => {
  test('prints each report as YAML, and keeps drift until it is resolved', async () => {
    expect(await call('POST', '/webhook', report('a', 'Detected'))).toEqual({
      code: 200,
      body: { acknowledged: true },
    });
    await call('POST', '/webhook', report('b', 'Detected'));
    expect(out).toContain('---\napiVersion: kausality.io/v1alpha1\nkind: DriftReport\nspec:\n  id: a\n');
    expect((await call('GET', '/api/v1/drifts')).body).toMatchObject({
      count: 2,
      items: [{ report: { spec: { id: 'a' } } }, { report: { spec: { id: 'b' } } }],
    });
    await call('POST', '/webhook', report('a', 'Resolved'));
    expect((await call('GET', '/api/v1/drifts/a')).code).toBe(404);
    expect((await call('GET', '/api/v1/drifts/b')).code).toBe(200);
    expect((await call('DELETE', '/api/v1/drifts/b')).code).toBe(204);
    expect((await call('GET', '/healthz')).body).toMatchObject({ status: 'ok', driftCount: 0 });
  });

  test('serves integers beyond 2^53 as they came', async () => {
    const big = '{"spec":{"id":"big","phase":"Detected","parent":{"generation":9007199254740993}}}';
    expect((await call('POST', '/webhook', big)).code).toBe(200);
    const response = await fetch(`${base}/api/v1/drifts`);
    expect(await response.text()).toContain('"generation":9007199254740993');
  });

  test.each(['no JSON', [], {}, { spec: {} }, { spec: { id: 7 } }])('rejects %j', async (body) => {
    const { code, body: said } = await call('POST', '/webhook', body);
    expect({ code, said }).toMatchObject({ code: 400, said: { acknowledged: false } });
  });

  test('knows no other paths', async () => {
    expect((await call('GET', '/')).code).toBe(404);
    expect((await call('GET', '/api/v1/drifts/none')).code).toBe(404);
  });
});
