import { createManualClock } from '@kubewright/client';
import { type ApiRequest, formatTime } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { OBJECT_KEEPERS } from '../api/object-keeper.ts';
import { VOLUME_RESTORE_REQUESTS } from '../api/volume-restore-request.ts';
import { useServer } from '../testing/use-server.ts';
import { addVolumeRestore } from '../volumes/restore/add-volume-restore.ts';

const KEY = { namespace: 'default', name: 'data' };
/** The field manager of the new leader. */
const LEADER = 'new-leader';
const COMPLETED = {
  completionTimestamp: '2026-01-01T00:00:00Z',
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Completed',
      message: 'by the new leader',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
} as const;

const SUCCESS = /reconcile_total\{controller="volumerestorerequest",result="success"\} [1-9]/;

describe('the write that ends a request', () => {
  const site = useServer([OBJECT_KEEPERS.definition, VOLUME_RESTORE_REQUESTS.definition]);

  /** A request that ends as InvalidSource with one write, and what happens while that is on its way. */
  async function endWhile(meanwhile: (nth: number) => Promise<unknown>) {
    await site.admin.create(VOLUME_RESTORE_REQUESTS, {
      apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
      kind: 'VolumeRestoreRequest',
      metadata: KEY,
      spec: { sourceRef: { kind: 'Pod', name: 'any' }, pvcTemplate: { metadata: { name: 'restored' } } },
    });
    const recording = site.server.recordRequests();
    let count = 0;
    const transport = site.slow('PATCH', async ({ path }: ApiRequest) => {
      if (path.includes('/status')) await meanwhile(++count);
    });
    const { manager } = site.run(addVolumeRestore, { transport });
    return {
      statuses: () =>
        recording.requests
          .filter(
            ({ verb, subresource, path }) =>
              verb === 'patch' && subresource === 'status' && !path.includes(LEADER),
          )
          .map(({ status }) => status),
      metrics: () => manager.registry.metrics(),
    };
  }

  const live = () => site.admin.get(VOLUME_RESTORE_REQUESTS, KEY);
  const writeStatus = () =>
    site.admin.patch(
      VOLUME_RESTORE_REQUESTS,
      KEY,
      { type: 'merge', body: { status: COMPLETED } },
      { subresource: 'status', fieldManager: LEADER },
    );
  const label = (value: string) =>
    site.admin.patch(VOLUME_RESTORE_REQUESTS, KEY, {
      type: 'merge',
      body: { metadata: { labels: { value } } },
    });
  const ended = async () => (await live()).status?.conditions?.[0]?.reason;

  test('CAP-36 CAP-D16 comes too late: what the new leader has written stays', async () => {
    const { statuses, metrics } = await endWhile(writeStatus);
    await expect.poll(metrics).toMatch(SUCCESS);
    expect(statuses()).toEqual([409]);
    expect((await live()).status).toEqual(COMPLETED);
  });

  test('CAP-38 of a second manager, by another clock, changes nothing: the time of the first stays', async () => {
    const clock = createManualClock();
    await clock.advance(3_600_000);
    let first: unknown;
    const { statuses, metrics } = await endWhile(async () => {
      if (first !== undefined) return;
      site.run(addVolumeRestore, { clock });
      await expect.poll(async () => (await live()).status?.completionTimestamp).toBeDefined();
      first = (await live()).status;
    });
    await expect.poll(metrics).toMatch(SUCCESS);
    expect(first).toMatchObject({ completionTimestamp: formatTime(new Date(clock.now())) });
    expect((await live()).status).toEqual(first);
    expect(new Set(statuses())).toEqual(new Set([200, 409]));
    expect(statuses()).toHaveLength(2);
  });

  test('CAP-37 meets two conflicts, and the third attempt wins', async () => {
    const { statuses } = await endWhile(async (nth) => (nth < 3 ? label(`change-${nth}`) : undefined));
    await expect.poll(ended).toBe('InvalidSource');
    expect(statuses()).toEqual([409, 409, 200]);
    expect((await live()).metadata.labels).toEqual({ value: 'change-2' });
  });

  test('CAP-37 finds the request gone, which is no error', async () => {
    const { statuses, metrics } = await endWhile(() => site.admin.delete(VOLUME_RESTORE_REQUESTS, KEY));
    await expect.poll(metrics).toMatch(SUCCESS);
    expect(statuses()).toEqual([404]);
    expect(await metrics()).toContain('reconcile_errors_total{controller="volumerestorerequest"} 0');
  });
});
