import { defined, type OwnerReference, type Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { type Action, decide } from './decide.ts';
import { type Dependent, NOTHING_KNOWN, type NodeState, type NodeWithDependents } from './graph-node.ts';
import type { Observation } from './observe.ts';

const place = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ns', name, uid: name });

const node = (state: Partial<NodeState> = {}, dependents: readonly Dependent[] = []): NodeWithDependents => ({
  ...NOTHING_KNOWN,
  ...state,
  identity: place('item'),
  observed: true,
  dependents,
});

const dependent = (blocks: boolean, deletingDependents = false): Dependent => ({
  ...NOTHING_KNOWN,
  identity: place('dependent'),
  observed: true,
  blocks,
  deletingDependents,
});

const owner = (name: string, blockOwnerDeletion?: boolean): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid: name,
  ...defined({ blockOwnerDeletion }),
});

const object = (name: string, owners: readonly OwnerReference[], finalizers: readonly string[]): Stored => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, uid: name, resourceVersion: '7', ownerReferences: owners, finalizers },
});

type Standing = 'solid' | 'dangling' | 'waiting';
const live = (
  owners: readonly (readonly [OwnerReference, Standing])[],
  finalizers: readonly string[] = [],
  dependents: readonly Stored[] = [],
): Observation => ({
  type: 'live',
  object: object(
    'item',
    owners.map(([reference]) => reference),
    finalizers,
  ),
  references: owners.map(([reference, standing]) => ({ reference, owner: standing })),
  dependents: dependents.map((one) => ({ identity: place(one.metadata.name), object: one })),
});

const remove = (propagation: string): unknown => ({
  type: 'delete',
  identity: place('item'),
  resourceVersion: '7',
  propagation,
});
const patch = (name: string, metadata: object): unknown => ({
  type: 'patch',
  identity: place(name),
  metadata: { uid: name, resourceVersion: '7', ...metadata },
});

test.each<[string, NodeWithDependents, Observation, string, readonly unknown[]]>([
  ['nobody owns it', node(), live([]), 'NoOwner', []],
  ['its owner lives', node(), live([[owner('a'), 'solid']]), 'Owned', []],
  ['its owner is gone', node(), live([[owner('a'), 'dangling']]), 'NoOwnerLeft', [remove('Background')]],
  [
    'its owners are gone, and it wants its own dependents kept',
    node(),
    live([[owner('a'), 'dangling']], ['orphan']),
    'NoOwnerLeft',
    [remove('Orphan')],
  ],
  [
    'or waited for',
    node(),
    live([[owner('a'), 'dangling']], ['foregroundDeletion']),
    'NoOwnerLeft',
    [remove('Foreground')],
  ],
  [
    'one owner lives, others are gone or wait',
    node(),
    live([
      [owner('a'), 'solid'],
      [owner('b'), 'dangling'],
      [owner('c'), 'waiting'],
    ]),
    'Owned',
    [patch('item', { ownerReferences: [owner('a')] })],
  ],
  ['its owner waits', node(), live([[owner('a'), 'waiting']]), 'NoOwnerLeft', [remove('Background')]],
  [
    'its owner waits, and it has dependents',
    node({}, [dependent(false)]),
    live([[owner('a'), 'waiting']]),
    'NoOwnerLeft',
    [remove('Foreground')],
  ],
  [
    'its owner waits, and its dependent too: perhaps for each other',
    node({}, [dependent(true, true)]),
    live([
      [owner('a', true), 'waiting'],
      [owner('b'), 'dangling'],
    ]),
    'Circle',
    [patch('item', { ownerReferences: [owner('a', false), owner('b')] })],
  ],
  [
    'the same, and nothing blocks any more',
    node({}, [dependent(true, true)]),
    live([[owner('a', false), 'waiting']]),
    'NoOwnerLeft',
    [remove('Foreground')],
  ],
  [
    'it waits for a dependent',
    node({ deleting: true, deletingDependents: true }, [dependent(true), dependent(false)]),
    live([], ['foregroundDeletion']),
    'WaitingForDependents',
    [{ type: 'attempt', uids: ['dependent'] }],
  ],
  [
    'it waits for nobody any more',
    node({ deleting: true, deletingDependents: true }, [dependent(false)]),
    live([], ['mine', 'foregroundDeletion']),
    'DependentsGone',
    [patch('item', { finalizers: ['mine'] })],
  ],
  [
    'it lets its dependents go',
    node({ deleting: true, orphaning: true }),
    live([], ['orphan'], [object('child', [owner('item'), owner('b')], [])]),
    'Orphan',
    [patch('child', { ownerReferences: [owner('b')] }), patch('item', { finalizers: [] })],
  ],
  [
    'it has another wish by now',
    node({ deleting: true, orphaning: true }),
    live([], ['foregroundDeletion'], [object('child', [owner('item')], [])]),
    'NoLongerOrphaning',
    [],
  ],
  [
    'it does not exist',
    node(),
    { type: 'absent', identity: place('asked') },
    'Absent',
    [{ type: 'confirmAbsent', identity: place('asked') }],
  ],
  ['it cannot exist', node(), { type: 'unplaceable' }, 'Unplaceable', []],
])('%s', (_title, item, observation, reason, actions) => {
  const decision = decide(item, observation);
  expect(decision.reason).toBe(reason);
  expect(decision.actions).toEqual(actions as readonly Action[]);
});
