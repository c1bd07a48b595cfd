import { expect, test } from 'vitest';
import { classOf, statusOf } from '../testing/class-bench.ts';
import { environmentHealth } from './environment-health.ts';

const CLASS = classOf();
const available = { ...CLASS, status: statusOf(CLASS, 'available', 'Ready', 0) };
const withReasons = (...reasons: readonly string[]) => ({
  ...CLASS,
  status: statusOf(CLASS, 'degraded', reasons[0] ?? '', 0, { reasons }),
});

function node(name: string, ready: boolean) {
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
  const metadata = { name, uid: name, resourceVersion: '1' };
  return { apiVersion: 'v1', kind: 'Node', metadata, spec: {}, status: { conditions } } as const;
}

const NODES = [node('a', true), node('b', true)];

test.each([
  ['all is well', NODES, [available], 'Healthy', 1],
  ['no classes yet', NODES, [], 'Healthy', 1],
  ['a class finds no room', NODES, [available, withReasons('Unschedulable')], 'Saturated', 0.5],
  ['a quota is full', NODES, [available, withReasons('CrashLoop', 'ReplicaFailure')], 'Saturated', 0.5],
  ['a class crashes, which says nothing of the room', NODES, [withReasons('CrashLoop')], 'Healthy', 1],
  ['half of the nodes are ready', [node('a', true), node('b', false)], [available], 'Healthy', 0.5],
  ['fewer are', [node('a', false), node('b', false), node('c', true)], [available], 'Degraded', 1 / 3],
  ['no nodes', [], [available], 'Degraded', 0],
])('CRT-D40 %s', (_title, nodes, classes, status, availability) => {
  expect(environmentHealth({ nodes, classes })).toMatchObject({ status, availability });
});

test('CRT-D40 classes are counted by phase and by each of their reasons', () => {
  const classes = [available, available, withReasons('CrashLoop', 'Unschedulable')];
  expect(environmentHealth({ nodes: NODES, classes, availability: 0.99 })).toMatchObject({
    node_count: 2,
    ready_nodes: 2,
    availability: 0.99,
    classes_by_phase: { available: 2, degraded: 1 },
    classes_by_reason: { CrashLoop: 1, Unschedulable: 1 },
  });
});
