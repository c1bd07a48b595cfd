import { describe, expect, test } from 'vitest';
import { ANNOTATIONS, EVICTED_POD, LABELS, type MigrationStatus, type StatefulMigration } from '../api.ts';
import { migrationOf, nodeOf, podOf, SOURCE } from '../testing/migration-bench.ts';
import { decideEviction, type EvictionDecision, type ObservedEviction } from './decide-eviction.ts';

const END = '2026-01-01T00:00:00Z';
const annotations = { [ANNOTATIONS.queue]: 'orders-$(POD_INDEX)', [ANNOTATIONS.exchange]: 'events' };
const MIGRATABLE = podOf({ annotations });
const B = nodeOf();
const node = (name: string, more: Parameters<typeof nodeOf> = []) => {
  const made = nodeOf(...more);
  return { ...made, metadata: { ...made.metadata, name } };
};

/** One that an eviction of the pod has begun. */
function move(status: Partial<MigrationStatus>, pod = SOURCE): StatefulMigration {
  const { metadata, ...rest } = migrationOf({}, { handedOver: false, ...status });
  return { ...rest, metadata: { ...metadata, labels: { [EVICTED_POD]: pod } } };
}

function decided(seconds: number, more: Partial<ObservedEviction> = {}): EvictionDecision {
  const now = new Date(Date.parse(END) + seconds * 1000);
  return decideEviction({ pod: MIGRATABLE, nodes: [B], migrations: [], ...more }, now);
}

describe('the eviction of a pod', () => {
  test.each([
    ['without annotations', podOf()],
    ['with a queue but no exchange', podOf({ annotations: { [ANNOTATIONS.queue]: 'orders' } })],
    ['that has not started', podOf({ annotations, phase: 'Pending' })],
    ['that is being deleted', podOf({ annotations, ending: true })],
  ])('%s is left alone', (_which, pod) => {
    expect(decided(0, { pod })).toEqual({ type: 'allow' });
  });

  test('MIG-72 that is migratable begins a migration to another node, named after the pod', () => {
    expect(decided(0)).toMatchObject({
      type: 'move',
      message: 'pod consumer-0 moves to node b, by migration evict-consumer-0-source-u-0',
      migration: {
        metadata: { namespace: 'shop', labels: { [EVICTED_POD]: SOURCE } },
        spec: {
          sourcePod: 'consumer-0',
          targetNode: 'b',
          messageQueueConfig: {
            queueName: 'orders-0',
            exchangeName: 'events',
            routingKey: 'orders-0',
            brokerUrl: '',
            brokerSecret: 'ms2m-broker',
          },
        },
      },
    });
  });

  test('MIG-72 that takes part in a migration waits, whichever part it has', () => {
    const open = move({ phase: 'Replaying', step: 'CatchUp', progress: 40 });
    const message = 'pod consumer-0 takes part in migration move (Replaying, 40%)';
    expect(decided(0, { migrations: [open] })).toEqual({ type: 'wait', message });
    const labels = { [LABELS.migration]: open.metadata.uid };
    const shadow = podOf({ annotations, labels, uid: 'shadow', name: 'consumer-0-shadow' });
    expect(decided(0, { pod: shadow, migrations: [open] })).toMatchObject({ type: 'wait' });
    const elsewhere = { ...open, metadata: { ...open.metadata, namespace: 'bank' } };
    expect(decided(0, { migrations: [elsewhere] })).toMatchObject({ type: 'move' });
  });

  test('MIG-72 that a migration has brought to its node is over, until that node is drained too', () => {
    const to = { pod: 'consumer-0', uid: 'new' };
    const handover = { epoch: 2, from: to, to, mirror: '', committed: true };
    const migrations = [move({ phase: 'Completed', completionTime: END, handover })];
    const pod = podOf({ annotations, uid: 'new', spec: { nodeName: 'b' } });
    const nodes = [B, node('a')];
    expect(decided(5, { pod, migrations, nodes })).toEqual({
      type: 'moved',
      message: 'pod consumer-0 has moved to node b',
    });
    const drained = [node('b', ['True', true]), node('a')];
    expect(decided(5, { pod, migrations, nodes: drained })).toMatchObject({ type: 'move' });
  });

  test('whose migration has failed keeps its state, and is tried again after a while, with another node first', () => {
    const message = 'the target is gone';
    const migrations = [move({ phase: 'Failed', completionTime: END, message })];
    const nodes = [B, node('c')];
    expect(decided(29, { migrations, nodes })).toEqual({
      type: 'wait',
      message: 'pod consumer-0 is kept with its state: migration move (Failed, the target is gone)',
    });
    expect(decided(30, { migrations, nodes })).toMatchObject({
      type: 'move',
      migration: { metadata: { name: 'evict-consumer-0-source-u-1' }, spec: { targetNode: 'c' } },
    });
  });

  test.each([
    ['is not ready', [node('b', ['False'])]],
    ['is cordoned', [node('b', ['True', true])]],
    ['is the one that it is on', [node('a')]],
  ])('waits where the only node %s', (_why, nodes) => {
    const message = 'pod consumer-0 is kept with its state: no other node is ready for it';
    expect(decided(0, { nodes })).toEqual({ type: 'wait', message });
  });
});
