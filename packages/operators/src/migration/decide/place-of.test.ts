import { describe, expect, test } from 'vitest';
import { EPOCH_ANNOTATION, LABELS, type MigrationStatus, ROLES } from '../api.ts';
import { migrationOf, type PodFacts, podOf, REPLICA_SET, SOURCE } from '../testing/migration-bench.ts';
import type { LivePod } from './observed-migration.ts';
import { placeOf } from './place-of.ts';

const { uid: UID } = migrationOf().metadata;
const owner = { kind: 'ReplicaSet', uid: REPLICA_SET };

/** A pod of the ReplicaSet that was created in this second. */
function ofSet(uid: string, second: number, facts: PodFacts = {}): LivePod {
  const pod = podOf({ uid, name: `consumer-${uid}`, owner, ...facts });
  return { ...pod, metadata: { ...pod.metadata, creationTimestamp: `2026-01-01T00:00:0${second}Z` } };
}

/** One that the webhook has changed in this attempt. */
const made = (uid: string, second: number, epoch: number = 2, facts: PodFacts = {}): LivePod =>
  ofSet(uid, second, {
    labels: { [LABELS.migration]: UID, [LABELS.role]: ROLES.restored },
    annotations: { [EPOCH_ANNOTATION]: String(epoch) },
    ...facts,
  });

const source = ofSet(SOURCE, 0);
const ending = ofSet(SOURCE, 0, { ending: true });

/** By their UIDs. */
function placed(pods: readonly LivePod[], to?: string) {
  const handover = {
    epoch: 2,
    from: { pod: 'consumer-0', uid: SOURCE },
    to: { pod: 'consumer-0', ...(to !== undefined && { uid: to }) },
    mirror: 'm',
    committed: false,
  };
  const status: MigrationStatus = {
    handedOver: true,
    strategy: 'Sequential',
    replicaSetUID: REPLICA_SET,
    sourcePodUID: SOURCE,
    handover,
  };
  const { named, surplus = [], leaving } = placeOf(pods, migrationOf({}, status));
  return [named, ...surplus, leaving].map((pod) => pod?.metadata.uid);
}

describe('which pod of a ReplicaSet is in the place of the source', () => {
  test.each<readonly [string, readonly LivePod[], string | undefined, readonly (string | undefined)[]]>([
    ['the source, until it is to end', [made('a', 3), source], undefined, [SOURCE, 'a', undefined]],
    ['nobody, while the source ends and there is no other', [ending], undefined, [undefined, SOURCE]],
    ['the pod that was made for it', [ending, made('a', 3)], undefined, ['a', SOURCE]],
    ['the oldest of two', [made('b', 4), made('a', 5)], undefined, ['b', 'a', undefined]],
    [
      'of two of one second the first by name',
      [made('b', 3), made('a', 3)],
      undefined,
      ['a', 'b', undefined],
    ],
    ['not one of an earlier attempt', [made('a', 3, 1), made('b', 4)], undefined, ['b', 'a', undefined]],
    [
      'one without the change only if there is no other',
      [ofSet('x', 1), made('a', 3)],
      undefined,
      ['a', undefined],
    ],
    ['one that is to be replaced', [ofSet('x', 4)], undefined, ['x', undefined]],
    ['none that ends', [made('a', 3, 2, { ending: true })], undefined, [undefined, undefined]],
    [
      'none that has failed: there will be another',
      [made('a', 3, 2, { phase: 'Failed' })],
      undefined,
      [undefined, 'a', undefined],
    ],
    [
      'none of another ReplicaSet',
      [ofSet('x', 3, { owner: { kind: 'ReplicaSet', uid: 'new' } })],
      undefined,
      [undefined, undefined],
    ],
    ['the one on record, and no older one', [made('a', 3), made('b', 4)], 'b', ['b', 'a', undefined]],
    [
      'nobody, when the one on record is gone',
      [made('a', 3), ofSet('x', 4)],
      'b',
      [undefined, 'a', undefined],
    ],
    [
      'nobody, when the one on record has failed',
      [made('b', 3, 2, { phase: 'Failed' })],
      'b',
      [undefined, 'b', undefined],
    ],
  ])('%s', (_which, pods, to, uids) => {
    expect(placed(pods, to)).toEqual(uids);
  });
});
