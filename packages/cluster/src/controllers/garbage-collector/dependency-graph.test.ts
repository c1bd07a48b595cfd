import type { KubeObject, ObjectMeta, OwnerReference } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { DependencyGraph, type GraphWork } from './dependency-graph.ts';
import { formatReference, type ObjectReference } from './object-reference.ts';

const at = (namespace: string, name: string, kind = 'ConfigMap'): ObjectReference => ({
  apiVersion: 'v1',
  kind,
  namespace,
  name,
  uid: name,
});
const ref = (name: string, kind = 'ConfigMap', blockOwnerDeletion = false): OwnerReference => ({
  apiVersion: 'v1',
  kind,
  name,
  uid: name,
  ...(blockOwnerDeletion ? { blockOwnerDeletion } : {}),
});
const object = (owners: readonly OwnerReference[] = [], metadata: ObjectMeta = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ownerReferences: owners, ...metadata },
});
const dying = (finalizer: string): ObjectMeta => ({
  deletionTimestamp: '2026-01-01T00:00:00Z',
  finalizers: [finalizer],
});
const attempts = (work: GraphWork): readonly string[] => [...work.attempts].toSorted();

describe('the dependency graph', () => {
  test('an owner that nobody has seen is to be looked at; one that was seen is not', () => {
    const graph = new DependencyGraph();
    expect(attempts(graph.observe(at('ns', 'child'), object([ref('owner')])))).toEqual(['owner']);
    expect(graph.get('owner')).toMatchObject({ observed: false, identity: at('ns', 'owner') });
    expect(attempts(graph.observe(at('ns', 'owner'), object()))).toEqual([]);
    expect(graph.get('owner')?.dependents.map(({ identity }) => identity.name)).toEqual(['child']);
    expect(attempts(graph.observe(at('ns', 'second'), object([ref('owner')])))).toEqual([]);
  });

  test('the end of an owner is believed when the server confirms it', () => {
    const graph = new DependencyGraph();
    graph.observe(at('ns', 'owner'), object());
    graph.observe(at('ns', 'child'), object([ref('owner')]));
    expect(attempts(graph.remove('owner'))).toEqual(['owner']);
    expect(graph.get('owner')?.observed).toBe(false);
    expect(attempts(graph.confirmAbsent(at('ns', 'owner')))).toEqual(['child']);
    expect(graph.get('owner')).toBeUndefined();
  });

  test('an owner that comes back keeps its dependents', () => {
    const graph = new DependencyGraph();
    graph.observe(at('ns', 'owner'), object());
    graph.observe(at('ns', 'child'), object([ref('owner')]));
    graph.remove('owner');
    graph.observe(at('ns', 'owner'), object());
    expect(graph.get('owner')?.dependents).toHaveLength(1);
  });

  test('what waits for its dependents is looked at when one of them goes, or no longer blocks it', () => {
    const graph = new DependencyGraph();
    graph.observe(at('ns', 'owner'), object());
    for (const name of ['a', 'b', 'c'])
      graph.observe(at('ns', name), object([ref('owner', 'ConfigMap', true)]));
    expect(attempts(graph.observe(at('ns', 'owner'), object([], dying('foregroundDeletion'))))).toEqual([
      'a',
      'b',
      'c',
      'owner',
    ]);
    expect(attempts(graph.remove('a'))).toEqual(['owner']);
    expect(attempts(graph.observe(at('ns', 'b'), object([ref('owner')])))).toEqual(['owner']);
    expect(attempts(graph.observe(at('ns', 'c'), object()))).toEqual(['owner']);
    expect(graph.get('owner')?.dependents.map(({ blocks }) => blocks)).toEqual([false]);
  });

  test('orphaning is reported once', () => {
    const graph = new DependencyGraph();
    graph.observe(at('ns', 'owner'), object());
    expect(attempts(graph.observe(at('ns', 'owner'), object([], dying('orphan'))))).toEqual(['owner']);
    expect(attempts(graph.observe(at('ns', 'owner'), object([], dying('orphan'))))).toEqual([]);
  });

  test('an owner in another namespace is none, whichever is seen first', () => {
    const graph = new DependencyGraph();
    graph.observe(at('one', 'owner'), object());
    const later = graph.observe(at('two', 'child'), object([ref('owner')]));
    expect(attempts(later)).toEqual(['child']);
    expect(later.misplaced.map(({ owner }) => formatReference(owner))).toEqual([
      '[v1/ConfigMap, namespace: two, name: owner, uid: owner]',
    ]);
    const other = new DependencyGraph();
    other.observe(at('two', 'child'), object([ref('owner')]));
    const seen = other.observe(at('one', 'owner'), object());
    expect([attempts(seen), seen.misplaced.length]).toEqual([['child'], 1]);
  });

  test('an owner without a namespace may be named from anywhere', () => {
    const graph = new DependencyGraph();
    graph.observe(at('', 'owner', 'Namespace'), object());
    expect(attempts(graph.observe(at('ns', 'child'), object([ref('owner', 'Namespace')])))).toEqual([]);
  });

  test('one uid, two meanings: both are asked for, and each dependent is judged by its own', () => {
    const graph = new DependencyGraph();
    graph.observe(at('one', 'a'), object([ref('owner')]));
    expect(attempts(graph.observe(at('two', 'b'), object([ref('owner')])))).toEqual(['b']);
    expect(attempts(graph.confirmAbsent(at('one', 'owner')))).toEqual(['a']);
    expect(graph.get('owner')?.identity.namespace).toBe('two');
    expect(attempts(graph.confirmAbsent(at('two', 'owner')))).toEqual(['b']);
    expect(graph.get('owner')?.identity.namespace).toBe('one');
    graph.remove('a');
    graph.confirmAbsent(at('two', 'owner'));
    expect(graph.get('owner')).toBeUndefined();
  });

  test('a wrong kind behind a known uid does not make the real one absent', () => {
    const graph = new DependencyGraph();
    graph.observe(at('ns', 'owner'), object());
    expect(attempts(graph.observe(at('ns', 'child'), object([ref('owner', 'Secret')])))).toEqual(['child']);
    expect(attempts(graph.confirmAbsent(at('ns', 'owner', 'Secret')))).toEqual(['child']);
    expect(graph.get('owner')?.observed).toBe(true);
  });

  test('what loses one reference is looked at for the others', () => {
    const graph = new DependencyGraph();
    graph.observe(at('ns', 'owner'), object());
    graph.observe(at('ns', 'child'), object([ref('owner'), ref('ghost')]));
    graph.confirmAbsent(at('ns', 'ghost'));
    expect(attempts(graph.observe(at('ns', 'child'), object([ref('ghost')])))).toEqual(['child']);
    expect(attempts(graph.observe(at('ns', 'child'), object([])))).toEqual([]);
  });

  test('an object may own itself', () => {
    const graph = new DependencyGraph();
    graph.observe(at('ns', 'self'), object([ref('self')]));
    expect(attempts(graph.remove('self'))).toEqual([]);
    expect(graph.get('self')).toBeUndefined();
  });
});
