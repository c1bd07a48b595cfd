import { createServer } from 'node:net';
import { type ApiServer, createApiServer } from '@kubewright/apiserver';
import { createClient } from '@kubewright/client';
import { coordinationv1, corev1 } from '@kubewright/kube';
import { listen } from '@kubewright/kube/serving';
import { LEASE_OPERATORS, LOOPBACK, type Operator } from '@kubewright/operators';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { explainPort } from './serve-api.ts';
import { type RunningOperators, runOperators } from './run-operators.ts';
import { guard } from './testing/guard.ts';

const keeper: Operator = {
  name: 'keeper',
  summary: 'keeps',
  load: async () => ({ resources: [], parts: [] }),
};
const PATIENT = { timeout: 60_000, interval: 50 };

let server: ApiServer;
beforeEach(async () => {
  server = createApiServer();
  await createClient(server.transport()).create(corev1.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'ops' },
    spec: {},
  });
});
afterEach(() => server.close());

type Running = RunningOperators & { readonly log: () => string; readonly stop: () => Promise<void> };

async function start(...operators: readonly Operator[]): Promise<Running> {
  const stopped = new AbortController();
  let err = '';
  const terminal = {
    out: () => undefined,
    err: (text: string) => void (err += text),
    colour: false,
    env: {},
    cwd: '/',
    signal: stopped.signal,
  };
  const bare = server.transport();
  const running = await runOperators(
    { operators, bare, leaseNamespace: 'ops', webhooks: LOOPBACK },
    terminal,
  );
  const stop = async (): Promise<void> => {
    stopped.abort();
    await running.ended;
  };
  return { ...running, log: () => err, stop };
}

async function leaseSays(operators: string): Promise<void> {
  const client = createClient(server.transport());
  await vi.waitFor(async () => {
    const { metadata, spec } = await client.get(coordinationv1.leases, {
      namespace: 'ops',
      name: 'kubewright',
    });
    expect([metadata.annotations?.[LEASE_OPERATORS], spec?.holderIdentity]).toEqual([
      operators,
      expect.stringMatching(/./),
    ]);
  }, PATIENT);
}

test('a manager that stands by behind one with fewer operators says which of its own nobody runs, until it leads', async () => {
  const first = await start(guard);
  await leaseSays('guard');
  const second = await start(guard, keeper);
  await vi.waitFor(
    () =>
      expect(second.health().degraded).toEqual([
        expect.stringMatching(
          /^operator keeper: stands by: \S+ holds the Lease ops\/kubewright and runs only guard: run both managers with the same --operators/,
        ),
      ]),
    PATIENT,
  );
  expect(second.log()).toContain('the leader does not run all operators of this manager');
  expect(first.health().degraded).toEqual([]);

  await first.stop();
  await leaseSays('guard,keeper');
  await vi.waitFor(() => expect(second.health().degraded).toEqual([]), PATIENT);
  await second.stop();
});

test('a manager that stands by behind one with the same operators is not degraded', async () => {
  const first = await start(guard, keeper);
  await leaseSays('guard,keeper');
  const second = await start(keeper, guard);
  await vi.waitFor(() => expect(second.log()).toContain('standing by'), PATIENT);
  expect(second.health().degraded).toEqual([]);
  await second.stop();
  await first.stop();
});

test('a port of webhooks that is taken ends the manager with the port and the option for another, before its first request', async () => {
  const other = createServer();
  const port = await listen(other, { port: 0, host: '127.0.0.1' });
  const stopped = new AbortController();
  const terminal = {
    out: () => undefined,
    err: () => undefined,
    colour: false,
    env: {},
    cwd: '/',
    signal: stopped.signal,
  };
  const recording = server.recordRequests();
  const failed: unknown = await runOperators(
    { operators: [guard], bare: server.transport(), webhooks: { ...LOOPBACK, port } },
    terminal,
  ).catch((error: unknown) => error);
  expect(explainPort(failed, 'choose another with --webhook-port')?.message).toBe(
    `port ${port} is taken; choose another with --webhook-port`,
  );
  expect(recording.requests).toEqual([]);
  await new Promise((resolve) => other.close(resolve));
});
