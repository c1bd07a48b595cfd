import { expect, test } from 'vitest';
import { EPOCH_ANNOTATION, type MigrationStatus } from '../api.ts';
import { marked, migrationOf, type PodFacts, podOf, REPLICA_SET } from '../testing/migration-bench.ts';
import { replacement } from './replacement.ts';

const OF_REPLICAS = { kind: 'ReplicaSet', uid: REPLICA_SET };
const OF_SET = { kind: 'StatefulSet', uid: 'set-uid' };
const SEQUENTIAL = { strategy: 'Sequential', replicaSetUID: REPLICA_SET } as const;
const LOST = { phase: 'Failed', reason: 'StateLost', message: '' } as const;

function statusOf(more: Partial<MigrationStatus>, to: string | undefined): MigrationStatus {
  const handover = {
    epoch: 3,
    from: { pod: 'consumer-0' },
    to: { pod: 'consumer-0', ...(to !== undefined && { uid: to }) },
    mirror: 'm',
    committed: false,
  };
  return { handedOver: true, handover, ...more };
}

type Owner = NonNullable<PodFacts['owner']>;

test.each<readonly [string, boolean, Owner, Partial<MigrationStatus>, string | undefined]>([
  ['of the StatefulSet', true, OF_SET, { statefulSetUID: 'set-uid' }, undefined],
  ['of the StatefulSet, when one was made before', true, OF_SET, { statefulSetUID: 'set-uid' }, 'gone'],
  ['of another StatefulSet', false, OF_SET, { statefulSetUID: 'other' }, undefined],
  ['of the ReplicaSet', true, OF_REPLICAS, SEQUENTIAL, undefined],
  ['of the ReplicaSet, when another one takes over', false, OF_REPLICAS, SEQUENTIAL, 'other'],
  ['of the ReplicaSet, which gets a shadow', false, OF_REPLICAS, { replicaSetUID: REPLICA_SET }, undefined],
  [
    'of the ReplicaSet, before the state was taken',
    false,
    OF_REPLICAS,
    { ...SEQUENTIAL, handedOver: false },
    undefined,
  ],
  [
    'of the ReplicaSet, when the state is lost',
    false,
    OF_REPLICAS,
    { ...SEQUENTIAL, outcome: LOST },
    undefined,
  ],
  ['of a new ReplicaSet', false, { kind: 'ReplicaSet', uid: 'new' }, SEQUENTIAL, undefined],
  ['of nobody', false, 'nobody', { strategy: 'Sequential' }, undefined],
])('a pod %s takes over: %s', (_whose, isWanted, owner, more, to) => {
  const changed = replacement(podOf({ owner }), migrationOf({}, statusOf(more, to)));
  const labels = marked('restored');
  const metadata = { labels: { app: 'consumer', ...labels }, annotations: { [EPOCH_ANNOTATION]: '3' } };
  if (isWanted) expect(changed).toMatchObject({ metadata });
  else expect(changed).toBeUndefined();
});
