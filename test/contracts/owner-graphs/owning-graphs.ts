import type { OwnerGraph } from './graph.ts';
import { blocked, GHOST, object } from './graph-parts.ts';

const chain = [object('a'), object('b', 'a'), object('c', 'b'), object('d', 'c')];
const blockingChain = [object('a'), object('b', blocked('a')), object('c', blocked('b'))];
const diamond = [object('a'), object('b', 'a'), object('c', 'a'), object('d', 'b', 'c')];

/** Who owns whom, truly or not. */
export const OWNING_GRAPHS: readonly OwnerGraph[] = [
  { name: 'a chain', objects: chain, steps: [{ delete: 'a' }], left: [] },
  {
    name: 'a chain in the foreground, blocking',
    objects: blockingChain,
    steps: [{ delete: 'a', propagation: 'Foreground' }],
    left: [],
  },
  {
    name: 'a chain in the foreground, not blocking',
    objects: chain,
    steps: [{ delete: 'a', propagation: 'Foreground' }],
    left: [],
  },
  {
    name: 'a chain orphaned at its head',
    objects: chain,
    steps: [{ delete: 'a', propagation: 'Orphan' }],
    left: ['b', 'c(b)', 'd(c)'],
  },
  { name: 'a chain cut in the middle', objects: chain, steps: [{ delete: 'b' }], left: ['a'] },
  {
    name: 'a chain orphaned in the middle',
    objects: chain,
    steps: [{ delete: 'b', propagation: 'Orphan' }],
    left: ['a', 'c', 'd(c)'],
  },
  { name: 'a diamond', objects: diamond, steps: [{ delete: 'a' }], left: [] },
  {
    name: 'a diamond that loses one side',
    objects: diamond,
    steps: [{ delete: 'b' }],
    left: ['a', 'c(a)', 'd(c)'],
  },
  {
    name: 'a blocking diamond in the foreground',
    objects: [
      object('a'),
      object('b', blocked('a')),
      object('c', blocked('a')),
      object('d', blocked('b'), blocked('c')),
    ],
    steps: [{ delete: 'a', propagation: 'Foreground' }],
    left: [],
  },
  {
    name: 'two owners, one deleted',
    objects: [object('a'), object('b'), object('c', 'a', 'b')],
    steps: [{ delete: 'a' }],
    left: ['b', 'c(b)'],
  },
  {
    name: 'two owners, one deleted in the foreground',
    objects: [object('a'), object('b'), object('c', blocked('a'), 'b')],
    steps: [{ delete: 'a', propagation: 'Foreground' }],
    left: ['b', 'c(b)'],
  },
  {
    name: 'two owners, both deleted at once',
    objects: [object('a'), object('b'), object('c', 'a', 'b')],
    steps: [{ deleteAll: ['a', 'b'] }],
    left: [],
  },
  {
    name: 'two owners, one orphans and one collects',
    objects: [object('a'), object('b'), object('c', 'a', 'b')],
    steps: [{ delete: 'a', propagation: 'Orphan' }, { delete: 'b' }],
    left: [],
  },
  {
    name: 'one owner lives, one never did',
    objects: [object('a'), object('b', 'a', { to: 'a', uid: GHOST, name: 'ghost' })],
    steps: [],
    left: ['a', 'b(a)'],
  },
  {
    name: 'an owner under another uid',
    objects: [object('a'), object('b', { to: 'a', uid: GHOST })],
    steps: [],
    left: ['a'],
  },
  {
    name: 'the same owner under its own uid and another',
    objects: [object('a'), object('b', 'a', { to: 'a', uid: GHOST })],
    steps: [],
    left: ['a', 'b(a)'],
  },
  {
    name: 'an owner that never was',
    objects: [object('b', { to: 'b', uid: GHOST, name: 'ghost' })],
    steps: [],
    left: [],
  },
  {
    name: 'the uid of a living owner under another name',
    objects: [object('a'), object('b', { to: 'a', name: 'other' })],
    steps: [],
    left: ['a'],
  },
  {
    name: 'the uid of a living owner under another kind',
    objects: [object('a'), object('b', { to: 'a', kind: 'Secret' })],
    steps: [],
    left: ['a'],
  },
  {
    name: 'an owner of a kind that nobody serves',
    objects: [object('a', { to: 'a', uid: GHOST, kind: 'Nothing', apiVersion: 'nowhere.example.com/v1' })],
    steps: [],
    left: ['a(?)'],
  },
  {
    name: 'one owner of an unknown kind, one that is gone',
    objects: [
      object('a'),
      object('b', 'a', { to: 'b', uid: GHOST, kind: 'Nothing', apiVersion: 'nowhere.example.com/v1' }),
    ],
    steps: [{ delete: 'a' }],
    left: ['b(gone,?)'],
  },
  {
    name: 'an owner in another namespace',
    objects: [object('a'), { ...object('b', 'a'), namespace: 'b' }],
    steps: [],
    left: ['a'],
    reported: ['b'],
  },
  {
    name: 'an owner in another namespace beside one that counts',
    objects: [object('a'), { name: 'c', namespace: 'b' }, { ...object('b', 'a', 'c'), namespace: 'b' }],
    steps: [],
    left: ['a', 'b(c)', 'c'],
    reported: ['b'],
  },
  {
    name: 'an owner without a namespace',
    objects: [{ name: 'a', kind: 'ClusterRole' }, object('b', 'a'), { ...object('c', 'a'), namespace: 'b' }],
    steps: [{ delete: 'a' }],
    left: [],
  },
  {
    name: 'all without a namespace',
    objects: [
      { name: 'a', kind: 'ClusterRole' },
      { ...object('b', 'a'), kind: 'ClusterRole' },
      { ...object('c', 'b'), kind: 'Gadget' },
    ],
    steps: [{ delete: 'a' }],
    left: [],
  },
  {
    name: 'a namespaced owner of something without a namespace',
    objects: [object('a'), { ...object('b', 'a'), kind: 'ClusterRole' }],
    steps: [{ delete: 'a' }],
    left: ['b(gone)'],
    reported: ['b'],
  },
  {
    name: 'an owner without a namespace in the foreground',
    objects: [
      { name: 'a', kind: 'ClusterRole' },
      object('b', blocked('a')),
      { ...object('c', blocked('a')), namespace: 'b' },
    ],
    steps: [{ delete: 'a', propagation: 'Foreground' }],
    left: [],
  },
  {
    name: 'an owner without a namespace, orphaning',
    objects: [
      { name: 'a', kind: 'ClusterRole' },
      object('b', 'a'),
      { ...object('c', 'a'), namespace: 'b' },
      { ...object('d', 'a'), kind: 'Gadget' },
    ],
    steps: [{ delete: 'a', propagation: 'Orphan' }],
    left: ['b', 'c', 'd'],
  },
];
