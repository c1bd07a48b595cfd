import { createManualClock, ignoreNotFound } from '@kubewright/client';
import type { ApiRequest, Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { describe, expect, test } from 'vitest';
import { MANIFEST_CAPTURE_REQUESTS } from '../api/manifest-capture-request.ts';
import { OBJECT_KEEPERS } from '../api/object-keeper.ts';
import { captureParts } from '../controller.ts';
import { newKeeper } from '../requests/keeper-state.ts';
import { readSettings } from '../settings.ts';
import { createManifestRequest } from '../testing/make-requests.ts';
import { useServer } from '../testing/use-server.ts';
import { addKeepers } from './add-keepers.ts';

const site = useServer(captureParts.resources.map(({ definition }) => definition));
const FOLLOWED = { namespace: 'default', name: 'all' };
const KEEPER = { name: 'of-all' };

/** A request and its keeper, which no process polls within the test. */
async function createFollowed(): Promise<void> {
  const targets = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'one' }];
  const request = await createManifestRequest({ admin: site.admin, ...FOLLOWED }, FOLLOWED.name, targets);
  await site.admin.create(OBJECT_KEEPERS, newKeeper(request, KEEPER.name));
}

const run = (options: Parameters<typeof site.run>[1] = {}) =>
  site.run((manager) => addKeepers(manager, readSettings({ KEEPER_SYNC_PERIOD: '24h' })), options);

const inPhase = (phase: string) =>
  waitForObject(site.admin, OBJECT_KEEPERS, KEEPER, (live) => live?.status?.phase === phase);
const live = () => ignoreNotFound(site.admin.get(OBJECT_KEEPERS, KEEPER));

test('CAP-98 CAP-D18 a keeper sees at once that its request is deleted', async () => {
  await createFollowed();
  const clock = createManualClock();
  run({ clock });
  await inPhase('Tracking');
  await site.admin.delete(MANIFEST_CAPTURE_REQUESTS, FOLLOWED);
  // The clock stands still: nothing is polled.
  await inPhase('Expiring');
  while ((await live()) !== undefined) await clock.advance(100);
  expect(clock.monotonic()).toBeLessThan(60_000);
});

describe('of two replicas', () => {
  const election = (identity: string) => ({ namespace: 'default', name: 'keepers', identity });

  /** Passes requests on, and records those about keepers and what they follow, but for the lists and watches of caches. */
  function recorded(): { readonly transport: Transport; readonly calls: readonly string[] } {
    const calls: string[] = [];
    const way = site.server.transport();
    const isOfKeepers = ({ path, method }: ApiRequest): boolean =>
      /objectkeepers|manifestcapturerequests/u.test(path) && (method !== 'GET' || !path.includes('?'));
    const transport: Transport = {
      request(request) {
        if (isOfKeepers(request)) calls.push(`${request.method} ${request.path}`);
        return way.request(request);
      },
      close: () => way.close(),
    };
    return { transport, calls };
  }

  test('CAP-D18 only the leader reads, writes and deletes', async () => {
    await createFollowed();
    const [leader, standby] = [recorded(), recorded()];
    const clock = createManualClock();
    run({ transport: leader.transport, election: election('leader'), clock });
    while (leader.calls.length === 0) await clock.advance(100);
    const { manager } = run({ transport: standby.transport, election: election('standby') });
    await manager.cache.waitForSync();
    await site.admin.delete(MANIFEST_CAPTURE_REQUESTS, FOLLOWED);
    while ((await live()) !== undefined) await clock.advance(100);
    expect(leader.calls.some((call) => call.startsWith('DELETE'))).toBe(true);
    expect(standby.calls).toEqual([]);
  });
});
