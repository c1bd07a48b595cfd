import { type Gen, mapOf, mostly, oneOf, some } from '../gen.ts';
import { type FuzzKind, metadata } from './fuzz-kind.ts';

const KEYS = ['a', 'b', 'c.d', 'e_f'];

const body: Gen = some(0.6, {
  metadata,
  data: mostly(
    mapOf(KEYS, mostly(oneOf('1', '2', '', 'text\nlines'), null, 5, { x: 1 }), 0.5),
    null,
    [],
    'x',
  ),
  binaryData: mapOf(['bin', 'a'], mostly(oneOf('AAEC', 'Zm9v'), '***'), 0.2),
  immutable: (random) => (random.chance(0.05) ? random.pick([false, null]) : undefined),
  unknown: (random) => (random.chance(0.03) ? 1 : undefined),
});

export const configMap: FuzzKind = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  group: '',
  collection: (namespace) => `/api/v1/namespaces/${namespace}/configmaps`,
  body,
  base: {},
  scale: false,
  strategic: true,
};
