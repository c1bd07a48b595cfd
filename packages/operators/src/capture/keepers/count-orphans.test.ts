import type { Client } from '@kubewright/client';
import type { ResourceRef } from '@kubewright/kube';
import { type Manager, Registry, waitForObject } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { MANIFEST_CAPTURE_REQUESTS, type ManifestCaptureRequest } from '../api/manifest-capture-request.ts';
import { type FollowObjectRef, OBJECT_KEEPERS, type ObjectKeeper } from '../api/object-keeper.ts';
import { VOLUME_CAPTURE_REQUESTS } from '../api/volume-capture-request.ts';
import { VOLUME_RESTORE_REQUESTS } from '../api/volume-restore-request.ts';
import { captureParts } from '../controller.ts';
import { newKeeper } from '../requests/keeper-state.ts';
import { readSettings } from '../settings.ts';
import { createManifestRequest, gone } from '../testing/make-requests.ts';
import { useServer } from '../testing/use-server.ts';
import { addKeepers } from './add-keepers.ts';
import { addOrphanMetric } from './add-orphan-metric.ts';

const site = useServer(captureParts.resources.map(({ definition }) => definition));
const namespace = 'default';
const CACHED: readonly ResourceRef[] = [
  OBJECT_KEEPERS,
  MANIFEST_CAPTURE_REQUESTS,
  VOLUME_CAPTURE_REQUESTS,
  VOLUME_RESTORE_REQUESTS,
];
const TARGET = { apiVersion: 'v1', kind: 'ConfigMap', name: 'one' };

async function createFollowed(admin: Client, name: string): Promise<ManifestCaptureRequest> {
  const request = await createManifestRequest({ admin, namespace }, name, [TARGET]);
  await admin.create(OBJECT_KEEPERS, newKeeper(request, `of-${name}`));
  return request;
}

async function createKeeper(admin: Client, name: string, spec: ObjectKeeper['spec']): Promise<void> {
  const object = { apiVersion: 'deckhouse.io/v1alpha1', kind: 'ObjectKeeper', metadata: { name }, spec };
  await admin.create(OBJECT_KEEPERS, object);
}

const refTo = (name: string): FollowObjectRef => ({ ...TARGET, namespace, name, uid: `uid-${name}` });

const orphansIn = (registry: Registry): Promise<string> =>
  registry.getSingleMetricAsString('capture_orphaned_keepers');

/** Deletes nothing. */
function watchOnly(manager: Manager): void {
  for (const ref of CACHED) manager.cache.informer(ref);
  addOrphanMetric(manager);
}

async function reported(): Promise<string> {
  const registry = new Registry();
  const { manager } = site.run(watchOnly, { registry });
  await manager.cache.waitForSync();
  return orphansIn(registry);
}

test('CAP-D24 keepers whose request is gone, or was made anew, are orphans', async () => {
  const { admin } = site;
  await createFollowed(admin, 'lives');
  await createFollowed(admin, 'gone');
  const { spec } = await createFollowed(admin, 'anew');
  for (const name of ['gone', 'anew']) await admin.delete(MANIFEST_CAPTURE_REQUESTS, { namespace, name });
  await createManifestRequest({ admin, namespace }, 'anew', spec.targets ?? []);
  expect(await reported()).toMatch(/capture_orphaned_keepers 2$/u);
});

test('CAP-D24 keepers of other kinds are orphans once their status says that their object is gone', async () => {
  const { admin } = site;
  await createKeeper(admin, 'tracks', { mode: 'FollowObject', followObjectRef: refTo('one') });
  await createKeeper(admin, 'invalid', {
    mode: 'FollowObject',
    followObjectRef: { ...refTo('one'), apiVersion: 'no/api/version' },
  });
  await createKeeper(admin, 'lost', { mode: 'FollowObject', followObjectRef: refTo('two') });
  const body = { status: { phase: 'Expiring', lostAt: new Date().toISOString() } };
  await admin.patch(OBJECT_KEEPERS, { name: 'lost' }, { type: 'merge', body }, { subresource: 'status' });
  expect(await reported()).toMatch(/capture_orphaned_keepers 1$/u);
});

test('CAP-D24 keepers with a TTL are orphans when it has passed', async () => {
  const { admin } = site;
  for (const ttl of ['1ns', '1h']) {
    await createKeeper(admin, `for-${ttl}`, { mode: 'TTL', ttl });
    const name = `gone-for-${ttl}`;
    await createKeeper(admin, name, { mode: 'FollowObjectWithTTL', ttl, followObjectRef: refTo('one') });
    const body = { status: { lostAt: new Date(Date.now() - 60_000).toISOString() } };
    await admin.patch(OBJECT_KEEPERS, { name }, { type: 'merge', body }, { subresource: 'status' });
  }
  expect(await reported()).toMatch(/capture_orphaned_keepers 2$/u);
});

test('CAP-D24 a keeper that a finalizer holds is an orphan until that is removed', async () => {
  const { admin } = site;
  const registry = new Registry();
  const text = (): Promise<string> => orphansIn(registry);
  await createFollowed(admin, 'held');
  const held = { metadata: { finalizers: ['example.com/hold'] } };
  await admin.patch(OBJECT_KEEPERS, { name: 'of-held' }, { type: 'merge', body: held });
  const { manager } = site.run((added) => addKeepers(added, readSettings({})), { registry });
  await manager.cache.waitForSync();
  expect(await text()).toMatch(/ 0$/u);
  await admin.delete(MANIFEST_CAPTURE_REQUESTS, { namespace, name: 'held' });
  const isDeleted = (live?: ObjectKeeper): boolean => live?.metadata.deletionTimestamp !== undefined;
  await waitForObject(admin, OBJECT_KEEPERS, { name: 'of-held' }, isDeleted);
  await expect.poll(text).toMatch(/ 1$/u);
  const released = { metadata: { finalizers: null } };
  await admin.patch(OBJECT_KEEPERS, { name: 'of-held' }, { type: 'merge', body: released });
  await gone(admin, OBJECT_KEEPERS, 'of-held');
  await expect.poll(text).toMatch(/ 0$/u);
});

test('CAP-D24 no keeper is an orphan while the requests are still being listed', async () => {
  const { admin } = site;
  await createFollowed(admin, 'lives');
  let listed: () => void = () => undefined;
  const isListed = new Promise<void>((resolve) => (listed = resolve));
  const transport = site.slow('GET', async ({ path }) => {
    if (path.includes('/manifestcapturerequests')) await isListed;
  });
  const registry = new Registry();
  const { manager } = site.run(watchOnly, { registry, transport });
  await manager.cache.informer(OBJECT_KEEPERS).waitForSync();
  const meanwhile = await orphansIn(registry);
  listed();
  expect(meanwhile).toMatch(/ 0$/u);
  await manager.cache.waitForSync();
  expect(await orphansIn(registry)).toMatch(/ 0$/u);
});
