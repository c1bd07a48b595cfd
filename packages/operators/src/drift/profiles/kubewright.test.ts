import { expect, test } from 'vitest';
import { ANNOTATIONS } from '../api.ts';
import { coverageOfCount } from '../learning/coverage-of.ts';
import { project } from '../webhook/project.ts';
import { child, create, decided, NOW, remove, site, update } from '../testing/objects.ts';

const KINDS = [
  ['eno.azure.io', 'Composition'],
  ['deckhouse.io', 'ObjectKeeper'],
  ['state-snapshotter.deckhouse.io', 'ManifestCheckpoint'],
] as const;

test.each(KINDS)('DRF-175 what a policy has counted below a kind of %s is covered: %s', (group, kind) => {
  const count = { group, kind, writes: 1, alarms: 0, since: '2026-01-01T10:00:00Z' };
  expect(coverageOfCount(count, NOW)).toMatchObject({ state: 'covered' });
});

/** As it is cached; nobody but its status says when it is ready. */
const parentOf = (apiVersion: string, kind: string, status: object, generation = 3) =>
  project(
    site({
      apiVersion,
      kind,
      status,
      metadata: { generation },
      annotations: { [ANNOTATIONS.phase]: '', [ANNOTATIONS.observedGeneration]: String(generation) },
    }),
  );
const composition = (status: object, generation?: number) =>
  parentOf('eno.azure.io/v1', 'Composition', status, generation);
const slice = (spec: object = { resources: [] }) => child({ kind: 'ResourceSlice', spec });
const reasonOf = (...write: Parameters<typeof decided>): string => decided(...write).reason;

test('DRF-175 slices of a synthesis that is under way are expected, also of the first', () => {
  const first = composition({ inFlightSynthesis: { uuid: 'a' }, simplified: { status: 'Synthesizing' } });
  expect(reasonOf(create(slice()), first)).toBe('Reconciling');
  const again = composition({
    inFlightSynthesis: { uuid: 'b' },
    currentSynthesis: { uuid: 'a', observedCompositionGeneration: 3 },
    simplified: { status: 'Ready' },
  });
  expect(reasonOf(create(slice()), again)).toBe('Reconciling');
});

test('DRF-175 a slice that changes although nothing is synthesized is drift, and earlier slices and pods go', () => {
  const status = { currentSynthesis: { uuid: 'a', observedCompositionGeneration: 3 } };
  const settled = composition({ ...status, simplified: { status: 'Ready' } });
  const changed = { ...slice(), spec: { resources: [{ manifest: '{}' }] } };
  expect(reasonOf(update(slice(), { object: changed }), settled)).toBe('Drift');
  expect(reasonOf(remove(slice()), settled)).toBe('ByProfile');
  expect(reasonOf(remove(child({ apiVersion: 'v1', kind: 'Pod' })), settled)).toBe('ByProfile');
  // Its controller has not seen what somebody has changed.
  expect(reasonOf(update(slice(), { object: changed }), composition(status, 4))).toBe('Reconciling');
});

const checkpoint = (status: 'True' | 'False') =>
  parentOf('state-snapshotter.deckhouse.io/v1alpha1', 'ManifestCheckpoint', {
    conditions: [{ type: 'Ready', status }],
  });
const chunk = child({ kind: 'ManifestCheckpointContentChunk', spec: { index: 0 } });

test('DRF-175 chunks are expected until their checkpoint is Ready, and then neither come nor go', () => {
  expect(reasonOf(create(chunk), checkpoint('False'))).toBe('Initializing');
  expect(reasonOf(create(chunk), checkpoint('True'))).toBe('Drift');
  expect(reasonOf(remove(chunk), checkpoint('True'))).toBe('Drift');
});

test('DRF-175 a keeper gets its artifact after it tracks its request, and a snapshot does not change by itself', () => {
  const keeper = parentOf('deckhouse.io/v1alpha1', 'ObjectKeeper', { phase: 'Tracking' });
  const content = child({ kind: 'VolumeSnapshotContent', spec: { deletionPolicy: 'Retain' } });
  expect(reasonOf(create(content), keeper)).toBe('ByProfile');
  const deleted = { ...content, spec: { deletionPolicy: 'Delete' } };
  expect(reasonOf(update(content, { object: deleted }), keeper)).toBe('Drift');
  const volume = child({ apiVersion: 'v1', kind: 'PersistentVolume', spec: { claimRef: { name: 'a' } } });
  const kept = { ...volume, spec: { claimRef: { name: 'b' } } };
  expect(reasonOf(update(volume, { object: kept }), keeper)).toBe('ByProfile');
});
