import { createManualClock } from '@kubewright/client';
import { type ApiResponse, stringifyJson, type Transport } from '@kubewright/kube';
import { expect, it } from 'vitest';
import { silentLogger } from '../log/logger.ts';
import { createLeaderElection } from './leader-election.ts';

const answer = (status: number, body: string): ApiResponse => ({
  status,
  headers: {},
  body: (async function* chunks() {
    yield Buffer.from(body);
  })(),
});

it('a machine that slept lets nothing through until the Lease is renewed, whatever else happens', async () => {
  const clock = createManualClock();
  let slept = 0;
  let renewals = 0;
  let refuses = false;
  const transport: Transport = {
    async request({ method, path, body }) {
      if (path.includes('/events')) return answer(201, '{"metadata":{}}');
      if (method === 'GET')
        return answer(404, stringifyJson({ kind: 'Status', code: 404, reason: 'NotFound' }));
      if (refuses) return answer(500, stringifyJson({ kind: 'Status', code: 500 }));
      const lease = JSON.parse(String(body)) as { metadata: object };
      const resourceVersion = String(++renewals);
      return answer(
        200,
        JSON.stringify({ ...lease, metadata: { ...lease.metadata, resourceVersion, uid: 'u' } }),
      );
    },
    close: () => Promise.resolve(),
  };
  const election = createLeaderElection({
    transport,
    clock: { ...clock, now: () => clock.now() + slept },
    random: () => 0,
    namespace: 'ns',
    name: 'operator',
    identity: 'me',
    log: silentLogger,
  });
  const stop = new AbortController();
  const running = election.run(stop.signal, () => undefined);
  await clock.advance(2000);
  expect({ term: election.term(), renewals }).toEqual({ term: 0, renewals: 2 });

  slept = 3_600_000;
  refuses = true;
  expect(election.term()).toBeUndefined();
  await clock.advance(2000);
  expect(election.term()).toBeUndefined();
  refuses = false;
  await clock.advance(2000);
  expect(election.term()).toBe(0);

  stop.abort();
  await clock.advance(0);
  await running;
  expect(clock.pending).toBe(0);
});

it('a leader that is stopped while it renews gives its Lease back, though the renewal lands', async () => {
  const clock = createManualClock();
  let version = 0;
  let lease:
    | { metadata: { uid?: string; resourceVersion?: string }; spec?: { holderIdentity?: string } }
    | undefined;
  let hold: Promise<void> | undefined;
  const transport: Transport = {
    async request({ method, path, body }) {
      if (path.includes('/events')) return answer(201, '{"metadata":{}}');
      if (method === 'GET')
        return lease === undefined
          ? answer(404, stringifyJson({ kind: 'Status', code: 404, reason: 'NotFound' }))
          : answer(200, JSON.stringify(lease));
      const sent = JSON.parse(String(body)) as NonNullable<typeof lease>;
      if (lease !== undefined && sent.metadata.resourceVersion !== lease.metadata.resourceVersion)
        return answer(409, stringifyJson({ kind: 'Status', code: 409, reason: 'Conflict' }));
      lease = { ...sent, metadata: { ...sent.metadata, uid: 'u', resourceVersion: String(++version) } };
      const response = answer(200, JSON.stringify(lease));
      await hold;
      return response;
    },
    close: () => Promise.resolve(),
  };
  const election = createLeaderElection({
    log: silentLogger,
    transport,
    clock,
    random: () => 0,
    namespace: 'ns',
    name: 'operator',
    identity: 'me',
  });
  const stop = new AbortController();
  const running = election.run(stop.signal, () => undefined);
  await clock.advance(1000);
  let arrive = (): void => undefined;
  hold = new Promise((resolve) => (arrive = resolve));
  await clock.advance(1000);
  expect([version, lease?.spec?.holderIdentity]).toEqual([2, 'me']);

  stop.abort();
  hold = undefined;
  await clock.advance(0);
  await running;
  expect(lease?.spec?.holderIdentity).toBe('');
  arrive();
});

/** An API server with one Lease, on which `alter` has the last word, as a mutating webhook has. */
function serverWith(alter: (sent: SentLease, old: SentLease | undefined) => SentLease): {
  readonly transport: Transport;
  readonly stored: () => SentLease | undefined;
} {
  let lease: SentLease | undefined;
  let version = 0;
  const transport: Transport = {
    async request({ method, path, body }) {
      if (path.includes('/events')) return answer(201, '{"metadata":{}}');
      if (method !== 'GET') {
        const { metadata, spec } = alter(JSON.parse(String(body)) as SentLease, lease);
        lease = { metadata: { ...metadata, uid: 'u', resourceVersion: String(++version) }, spec };
      }
      return lease === undefined
        ? answer(404, stringifyJson({ kind: 'Status', code: 404, reason: 'NotFound' }))
        : answer(200, JSON.stringify(lease));
    },
    close: () => Promise.resolve(),
  };
  return { transport, stored: () => lease };
}

type SentLease = {
  readonly metadata: { readonly uid?: string; readonly resourceVersion?: string };
  readonly spec: Readonly<Record<string, unknown>>;
};

it.each([
  ['the old Lease', (_sent, old) => old],
  [
    'an older renewTime',
    (sent) => ({ ...sent, spec: { ...sent.spec, renewTime: '2020-01-01T00:00:00.000000Z' } }),
  ],
  ['other leaseTransitions', (sent) => ({ ...sent, spec: { ...sent.spec, leaseTransitions: 7 } })],
  ['a shorter duration', (sent) => ({ ...sent, spec: { ...sent.spec, leaseDurationSeconds: 1 } })],
] satisfies [string, (sent: SentLease, old: SentLease | undefined) => SentLease | undefined][])(
  'a renewal that is answered with %s counts as failed',
  async (_, altered) => {
    const clock = createManualClock();
    const { transport } = serverWith((sent, old) =>
      clock.monotonic() < 4000 ? sent : (altered(sent, old) ?? sent),
    );
    const election = createLeaderElection({
      transport,
      clock,
      random: () => 0,
      namespace: 'ns',
      name: 'operator',
      identity: 'me',
      log: silentLogger,
    });
    const running = election.run(new AbortController().signal, () => undefined);
    const end = expect(running).rejects.toMatchObject({ code: 'LeaseLost' });
    await clock.advance(11_999);
    expect(election.term()).toBe(0);
    // 10 s after the last renewal that was as asked, at 2 s.
    await clock.advance(1);
    expect(election.term()).toBeUndefined();
    await end;
  },
);

it('does not say that a Lease was released when the answer still names it as the holder', async () => {
  const clock = createManualClock();
  const { transport, stored } = serverWith((sent, old) =>
    sent.spec['holderIdentity'] === '' ? (old ?? sent) : sent,
  );
  const lines: string[] = [];
  const note = (message: string): void => void lines.push(message);
  const log = { ...silentLogger, info: note, warn: note, child: () => log };
  const stop = new AbortController();
  const election = createLeaderElection({
    transport,
    clock,
    random: () => 0,
    namespace: 'ns',
    name: 'operator',
    identity: 'me',
    log,
  });
  const running = election.run(stop.signal, () => undefined);
  await clock.advance(0);
  stop.abort();
  await clock.advance(0);
  await running;
  expect(stored()?.spec['holderIdentity']).toBe('me');
  expect(lines).toContain('the lease could not be released');
  expect(lines).not.toContain('released the lease');
});
