import { createManualClock, ignoreNotFound } from '@kubewright/client';
import { type ApiRequest, formatTime, type Transport } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { isLong } from '../../../../../test/support/seeds.ts';
import { inParallel } from '../../kit/in-parallel.ts';
import { MANIFEST_CAPTURE_REQUESTS } from '../api/manifest-capture-request.ts';
import { VOLUME_CAPTURE_REQUESTS } from '../api/volume-capture-request.ts';
import { VOLUME_RESTORE_REQUESTS } from '../api/volume-restore-request.ts';
import { readSettings } from '../settings.ts';
import { useServer } from '../testing/use-server.ts';
import { addExpiry } from './add-expiry.ts';

const NAMESPACE = 'default';
const LONG_AGO = '2020-01-01T00:00:00Z';
const LEASE = { namespace: NAMESPACE, name: 'expiry' };

const DEFINITIONS = [MANIFEST_CAPTURE_REQUESTS, VOLUME_CAPTURE_REQUESTS, VOLUME_RESTORE_REQUESTS].map(
  ({ definition }) => definition,
);

const site = useServer(DEFINITIONS);

async function unfinished(name: string): Promise<void> {
  await site.admin.create(MANIFEST_CAPTURE_REQUESTS, {
    apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
    kind: 'ManifestCaptureRequest',
    metadata: { namespace: NAMESPACE, name },
    spec: { targets: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'any' }] },
  });
}

async function expired(name: string, completionTimestamp = LONG_AGO): Promise<void> {
  await unfinished(name);
  const body = { status: { completionTimestamp } };
  const key = { namespace: NAMESPACE, name };
  await site.admin.patch(MANIFEST_CAPTURE_REQUESTS, key, { type: 'merge', body }, { subresource: 'status' });
}

const expiredAll = (names: readonly string[]) => inParallel(names, (name) => expired(name));

async function left(): Promise<readonly string[]> {
  const { items } = await site.admin.list(MANIFEST_CAPTURE_REQUESTS);
  return items.map(({ metadata }) => metadata.name);
}

const slowDeletes = (meanwhile: (request: ApiRequest) => Promise<void>) => site.slow('DELETE', meanwhile);

const sweep = (options: Parameters<typeof site.run>[1] = {}) =>
  site.run((manager) => addExpiry(manager, readSettings({})), options);

describe('the scanner', () => {
  test('CAP-113 CAP-D17 leaves a request that was made anew between its look and its delete', async () => {
    await expired('again');
    const recording = site.server.recordRequests();
    let remade = false;
    sweep({
      transport: slowDeletes(async ({ path }) => {
        if (remade || !path.includes('/again')) return;
        remade = true;
        await site.admin.delete(MANIFEST_CAPTURE_REQUESTS, { namespace: NAMESPACE, name: 'again' });
        await unfinished('again');
        await expired('marker');
      }),
    });
    // One worker deletes the marker after it has looked at the new request.
    await expect.poll(async () => remade && (await left())).toEqual(['again']);
    const deletes = recording.requests.filter(({ verb }) => verb === 'delete');
    expect(deletes.map(({ name, status }) => [name, status])).toEqual([
      ['again', 200], // by its owner
      ['again', 409],
      ['marker', 200],
    ]);
  });

  test('CAP-114 a delete that fails is tried again, and the others do not wait for it', async () => {
    await expiredAll(['gone', 'forbidden', 'broken', 'well']);
    const rule = { verb: 'delete', resource: 'manifestcapturerequests' };
    const fail = (name: string, code: number) =>
      site.server.faults.add({ ...rule, name, times: 1000, fault: { type: 'status', code } });
    const ends = [fail('forbidden', 403), fail('broken', 500)];
    const recording = site.server.recordRequests();
    sweep({
      transport: slowDeletes(async ({ path }) => {
        if (!path.includes('/gone')) return;
        const key = { namespace: NAMESPACE, name: 'gone' };
        await ignoreNotFound(site.admin.delete(MANIFEST_CAPTURE_REQUESTS, key));
      }),
    });
    await expect.poll(left).toEqual(['broken', 'forbidden']);
    const deletesOf = (name: string) =>
      recording.requests.filter((request) => request.verb === 'delete' && request.name === name);
    await expect.poll(() => deletesOf('forbidden').length).toBeGreaterThan(1);
    for (const end of ends) end();
    await expect.poll(left).toEqual([]);
    expect(deletesOf('gone').map(({ status }) => status)).toEqual([200, 404]);
  });

  test('CAP-114 deletes nothing while it cannot list', async () => {
    await expired('one');
    const fault = { type: 'status', code: 500 } as const;
    const end = site.server.faults.add({
      verb: 'list',
      times: 1000,
      resource: 'manifestcapturerequests',
      fault,
    });
    const recording = site.server.recordRequests();
    sweep();
    const lists = () => recording.requests.filter(({ verb }) => verb === 'list');
    await expect.poll(() => lists().length).toBeGreaterThan(3);
    expect(recording.requests.filter(({ verb }) => verb === 'delete')).toEqual([]);
    end();
    await expect.poll(left).toEqual([]);
  });
});

test('CAP-116 one that another clock has ended in an hour is kept for that hour longer, and counted', async () => {
  const clock = createManualClock();
  const hour = 3_600_000;
  await expired('ahead', formatTime(new Date(clock.now() + hour)));
  const { manager } = sweep({ clock });
  const counted =
    /decisions_total\{controller="expiry-manifestcapturerequests",reason="CompletedInFuture"\} (\d+)/;
  const count = async () => Number(counted.exec(await manager.registry.metrics())?.[1] ?? 0);
  while ((await count()) === 0) await clock.advance(1000);
  for (let minute = 0; minute < 60; minute++) await clock.advance(60_000);
  expect(await left()).toEqual(['ahead']);
  while ((await left()).length > 0) await clock.advance(60_000);
  // Ten minutes of TTL after that time, not before.
  expect(clock.now()).toBeGreaterThan(createManualClock().now() + hour + 600_000);
});

describe('CAP-115 of two replicas', () => {
  const candidate = (identity: string, transport: Transport, clock = createManualClock()) => {
    const { ended } = sweep({ transport, election: { ...LEASE, identity }, clock });
    return { ended, clock };
  };

  test('only the leader deletes; one that has lost the Lease stops in the middle, and the next one goes on', async () => {
    await expiredAll(['a', 'b', 'c']);
    const sent: string[] = [];
    let lose = (): void => undefined;
    const lost = new Promise<void>((resolve) => (lose = resolve));
    const way = slowDeletes(async ({ path }) => {
      sent.push(path);
      await lost;
    });
    const first = candidate('first', way);
    while (sent.length === 0) await first.clock.advance(100);
    const second = candidate('second', site.server.transport());
    // Its Lease is another's: the second one sees that it is renewed, and waits.
    await second.clock.advance(10_000);
    expect(await left()).toEqual(['a', 'b', 'c']);

    const cut = { verb: 'update', group: 'coordination.k8s.io', times: 1000 };
    const end = site.server.faults.add({ ...cut, fault: { type: 'status', code: 500 } });
    const patches = site.server.faults.add({ ...cut, verb: 'patch', fault: { type: 'status', code: 500 } });
    await first.clock.advance(20_000);
    lose();
    // The delete that was on its way arrives; nothing follows it.
    for (let second = 0; second < 60; second++) await first.clock.advance(1000);
    expect(await first.ended).toMatchObject({ code: 'LeaseLost' });
    expect(sent).toHaveLength(1);
    expect(await left()).toHaveLength(2);

    end();
    patches();
    while ((await left()).length > 0) await second.clock.advance(1000);
  });
});

test('CAP-119 thousands at once: listed by pages, deleted at a pace, none forgotten', async () => {
  const count = isLong ? 5000 : 1000;
  await expiredAll(Array.from({ length: count }, (_, index) => `request-${index}`));
  const clock = createManualClock();
  const times: number[] = [];
  const transport = slowDeletes(async () => void times.push(clock.monotonic()));
  const recording = site.server.recordRequests();
  sweep({ transport, clock });
  while ((await left()).length > 0) await clock.advance(10_000);
  expect(times).toHaveLength(count);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(20);
  const lists = recording.requests.filter(
    ({ verb, resource }) => verb === 'list' && resource === 'manifestcapturerequests',
  );
  const pages = lists.filter(({ path }) => path.includes('limit=500'));
  expect(pages).toHaveLength(count / 500);
});
