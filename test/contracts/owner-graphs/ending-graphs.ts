import type { OwnerGraph } from './graph.ts';
import { blocked, kept, object, OWN } from './graph-parts.ts';

/** What holds an end up, and ends of many at once. */
export const ENDING_GRAPHS: readonly OwnerGraph[] = [
  {
    name: 'a finalizer on the dependent',
    objects: [object('a'), kept(object('b', 'a'))],
    steps: [{ delete: 'a' }],
    left: [`b!(gone)[${OWN}]`],
  },
  {
    name: 'a finalizer on a blocking dependent, in the foreground',
    objects: [object('a'), kept(object('b', blocked('a')))],
    steps: [{ delete: 'a', propagation: 'Foreground' }],
    left: ['a![foregroundDeletion]', `b!(a)[${OWN}]`],
  },
  {
    name: 'the same, and it is released',
    objects: [object('a'), kept(object('b', blocked('a')))],
    steps: [{ delete: 'a', propagation: 'Foreground' }, { release: 'b' }],
    left: [],
  },
  {
    name: 'a finalizer on a dependent that does not block',
    objects: [object('a'), kept(object('b', 'a'))],
    steps: [{ delete: 'a', propagation: 'Foreground' }],
    left: [`b!(gone)[${OWN}]`],
  },
  {
    name: 'a dependent that blocks no longer',
    objects: [object('a'), kept(object('b', blocked('a')))],
    steps: [
      { delete: 'a', propagation: 'Foreground' },
      { own: 'b', by: [{ to: 'a', block: false }] },
    ],
    left: [`b!(gone)[${OWN}]`],
  },
  {
    name: 'a finalizer on the owner',
    objects: [kept(object('a')), object('b', 'a')],
    steps: [{ delete: 'a' }],
    left: [`a![${OWN}]`, 'b(a)'],
  },
  {
    name: 'a finalizer on the owner, in the foreground',
    objects: [kept(object('a')), object('b', blocked('a'))],
    steps: [{ delete: 'a', propagation: 'Foreground' }],
    left: [`a![${OWN}]`],
  },
  {
    name: 'a finalizer on the owner, orphaning',
    objects: [kept(object('a')), object('b', 'a')],
    steps: [{ delete: 'a', propagation: 'Orphan' }],
    left: [`a![${OWN}]`, 'b'],
  },
  {
    name: 'foreground within foreground',
    objects: [object('a'), object('b', blocked('a')), kept(object('c', blocked('b')))],
    steps: [{ delete: 'a', propagation: 'Foreground' }],
    left: ['a![foregroundDeletion]', 'b!(a)[foregroundDeletion]', `c!(b)[${OWN}]`],
  },
  {
    name: 'two that own each other',
    objects: [object('a'), object('b', 'a')],
    steps: [{ own: 'a', by: ['b'] }, { delete: 'a' }],
    left: [],
  },
  {
    name: 'two that own and block each other, in the foreground',
    objects: [object('a'), object('b', blocked('a'))],
    steps: [
      { own: 'a', by: [blocked('b')] },
      { delete: 'a', propagation: 'Foreground' },
    ],
    left: [],
  },
  {
    name: 'three in a blocking circle, in the foreground',
    objects: [object('a'), object('b', blocked('a')), object('c', blocked('b'))],
    steps: [
      { own: 'a', by: [blocked('c')] },
      { delete: 'b', propagation: 'Foreground' },
    ],
    left: [],
  },
  {
    name: 'one that owns itself',
    objects: [object('a')],
    steps: [{ own: 'a', by: ['a'] }, { delete: 'a' }],
    left: [],
  },
  {
    name: 'one that blocks itself, in the foreground',
    objects: [object('a')],
    steps: [
      { own: 'a', by: [blocked('a')] },
      { delete: 'a', propagation: 'Foreground' },
    ],
    left: ['a!(a)[foregroundDeletion]'],
  },
  {
    name: 'custom resources among others',
    objects: [
      { name: 'a', kind: 'Widget' },
      object('b', 'a'),
      { ...object('c', 'b'), kind: 'Widget' },
      { ...object('d', 'c'), kind: 'Secret' },
    ],
    steps: [{ delete: 'a' }],
    left: [],
  },
  {
    name: 'a custom owner without a namespace, in the foreground',
    objects: [
      { name: 'a', kind: 'Gadget' },
      { ...object('b', blocked('a')), kind: 'Widget' },
      { ...object('c', blocked('a')), kind: 'Widget', namespace: 'b' },
    ],
    steps: [{ delete: 'a', propagation: 'Foreground' }],
    left: [],
  },
  {
    name: 'custom dependents, orphaned',
    objects: [
      { name: 'a', kind: 'Widget' },
      { name: 'x', kind: 'Widget' },
      { ...object('b', 'a', 'x'), kind: 'Widget' },
    ],
    steps: [{ delete: 'a', propagation: 'Orphan' }],
    left: ['b(x)', 'x'],
  },
  {
    name: 'owners deleted with their collection',
    objects: [object('a'), object('b'), object('c', 'a'), object('d', 'b')],
    steps: [{ deleteCollection: 'roots' }],
    left: [],
  },
  {
    name: 'owners deleted with their collection, in the foreground',
    objects: [object('a'), object('b'), kept(object('c', blocked('a'))), object('d', blocked('b'))],
    steps: [{ deleteCollection: 'roots', propagation: 'Foreground' }],
    left: ['a![foregroundDeletion]', `c!(a)[${OWN}]`],
  },
  {
    name: 'owners deleted with their collection, orphaning',
    objects: [object('a'), object('b'), object('c', 'a', 'b')],
    steps: [{ deleteCollection: 'roots', propagation: 'Orphan' }],
    left: ['c'],
  },
  {
    name: 'a namespace with everything in it',
    objects: [
      object('a'),
      { ...object('b', blocked('a')), kind: 'Secret' },
      { ...object('c', 'b'), kind: 'Widget' },
      { name: 'd', kind: 'Pod' },
      { name: 'e', namespace: 'b' },
    ],
    steps: [{ deleteNamespace: 'a' }],
    left: ['e'],
  },
  {
    name: 'a namespace that a finalizer keeps',
    objects: [object('a'), kept(object('b', 'a')), { ...kept(object('c')), kind: 'Secret' }],
    steps: [{ deleteNamespace: 'a' }],
    left: [`b!(gone)[${OWN}]`, `c![${OWN}]`],
    ending: ['a'],
  },
  {
    name: 'a namespace that is released',
    objects: [kept(object('a'))],
    steps: [{ deleteNamespace: 'a' }, { release: 'a' }],
    left: [],
  },
  {
    name: 'a namespace whose pod takes its time',
    objects: [object('a'), { name: 'b', kind: 'Pod', node: 'node' }],
    steps: [{ deleteNamespace: 'a' }],
    left: ['a', 'b!'],
    ending: ['a'],
  },
  {
    name: 'a namespace deleted in the foreground',
    objects: [object('a'), object('b', 'a')],
    steps: [{ deleteNamespace: 'a', propagation: 'Foreground' }],
    left: [],
  },
  {
    name: 'a Job, whose default is to orphan',
    objects: [
      { name: 'a', kind: 'Job' },
      { ...object('b', 'a'), kind: 'Pod' },
    ],
    steps: [{ delete: 'a' }],
    left: ['b'],
  },
  {
    name: 'a Deployment with what it made',
    objects: [
      { name: 'a', kind: 'Deployment' },
      { ...object('b', blocked('a')), kind: 'ReplicaSet' },
      { ...object('c', blocked('b')), kind: 'Pod' },
    ],
    steps: [{ delete: 'a', propagation: 'Foreground' }],
    left: [],
  },
  {
    name: 'a pod that dies gracefully, in the foreground',
    objects: [
      { name: 'a', kind: 'ReplicaSet' },
      { ...object('b', blocked('a')), kind: 'Pod', node: 'node' },
    ],
    steps: [{ delete: 'a', propagation: 'Foreground' }],
    left: ['a![foregroundDeletion]', 'b!(a)'],
  },
  {
    name: 'a dependent that comes when its owner is gone',
    objects: [object('a')],
    steps: [{ delete: 'a' }, { create: object('b', 'a') }],
    left: [],
  },
  {
    name: 'a dependent that comes when its owner waits',
    objects: [object('a'), kept(object('b', blocked('a')))],
    steps: [{ delete: 'a', propagation: 'Foreground' }, { create: object('c', blocked('a')) }],
    left: ['a![foregroundDeletion]', `b!(a)[${OWN}]`, 'c(a)'],
  },
  {
    name: 'orphanDependents, as it was said once',
    objects: [object('a'), object('b', 'a'), object('c'), object('d', 'c')],
    steps: [
      { delete: 'a', orphanDependents: true },
      { delete: 'c', orphanDependents: false },
    ],
    left: ['b'],
  },
  {
    name: 'a dependent that wants its own dependents kept',
    objects: [object('a'), { ...object('b', 'a'), finalizers: ['orphan'] }, object('c', 'b')],
    steps: [{ delete: 'a' }],
    left: ['c'],
  },
  {
    name: 'a dependent that wants to be deleted in the foreground',
    objects: [
      object('a'),
      { ...object('b', 'a'), finalizers: ['foregroundDeletion'] },
      kept(object('c', blocked('b'))),
    ],
    steps: [{ delete: 'a' }],
    left: ['b!(gone)[foregroundDeletion]', `c!(b)[${OWN}]`],
  },
];
