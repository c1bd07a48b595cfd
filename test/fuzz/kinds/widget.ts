import type { JsonObject } from '@kubewright/kube';
import { type Gen, constant, listOf, mapOf, mostly, object, oneOf, some } from '../gen.ts';
import { type FuzzKind, metadata } from './fuzz-kind.ts';

const string = { type: 'string' };
const integer = { type: 'integer' };

const specSchema: JsonObject = {
  type: 'object',
  required: ['size'],
  'x-kubernetes-validations': [
    { rule: '!has(self.max) || self.size <= self.max', message: 'size must not exceed max' },
  ],
  properties: {
    size: { ...integer, minimum: 0, maximum: 10 },
    max: { ...integer, format: 'int32' },
    ratio: { type: 'number' },
    color: { ...string, enum: ['red', 'blue'], default: 'red' },
    name: { ...string, pattern: '^[a-z]+$', minLength: 1, maxLength: 5 },
    port: { 'x-kubernetes-int-or-string': true },
    maybe: { ...string, nullable: true },
    on: { type: 'boolean', default: true },
    when: { ...string, format: 'date-time' },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: string },
    plain: { type: 'array', items: integer, maxItems: 3 },
    atoms: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: { type: 'object', properties: { x: integer } },
    },
    parts: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name', 'kind'],
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: string,
          kind: { ...string, default: 'k' },
          n: { ...integer, default: 1 },
          set: { type: 'array', 'x-kubernetes-list-type': 'set', items: integer },
        },
      },
    },
    whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: string, b: string } },
    grain: {
      type: 'object',
      default: { a: 'd' },
      properties: {
        a: string,
        b: { type: 'object', properties: { c: integer, d: { ...string, default: 'dd' } } },
      },
    },
    map: { type: 'object', additionalProperties: integer },
    maps: {
      type: 'object',
      additionalProperties: { type: 'object', properties: { v: integer, w: { ...integer, default: 3 } } },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { known: string } },
    fixed: {
      ...string,
      'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed is immutable' }],
    },
  },
};

const VERSION = {
  served: true,
  subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: specSchema,
        status: {
          type: 'object',
          properties: {
            size: integer,
            phase: string,
            conditions: {
              type: 'array',
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['type'],
              items: { type: 'object', required: ['type'], properties: { type: string, status: string } },
            },
          },
        },
      },
    },
  },
};

/** The custom resource of the fuzzer: every list and map type, defaults, limits and rules. */
export const WIDGET_CRD: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.fuzz.example.com' },
  spec: {
    group: 'fuzz.example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', storage: true, ...VERSION }],
  },
};

const part = (name: string, kind: string | undefined): Gen =>
  object({ name: constant(name), ...(kind === undefined ? {} : { kind: constant(kind) }) }, 0.4, {
    n: mostly(oneOf(1, 2), 'x', null),
    set: listOf([1, 2, 3].map(constant)),
  });

const spec: Gen = some(0.3, {
  size: mostly(oneOf(0, 1, 2, 3), 11, -1, '3', 1.5, null),
  max: mostly(oneOf(3, 5), 0, 2_147_483_648),
  ratio: oneOf(1, 1.5, 0, 1e10),
  color: mostly(oneOf('red', 'blue'), 'green', null, 1),
  name: mostly(oneOf('abc', 'x'), 'ABC', '', 'toolong'),
  port: oneOf(80, 'http', '80'),
  maybe: oneOf('x', null),
  on: oneOf(true, false),
  when: mostly(constant('2020-01-02T03:04:05Z'), 'soon'),
  tags: mostly(listOf(['a', 'b', 'c'].map(constant)), null, 'x'),
  plain: listOf([1, 2, 3, 4].map(constant), 0.3),
  atoms: listOf([constant({ x: 1 }), constant({ x: 2 }), constant({ y: 1 })]),
  parts: listOf([part('p', 'k'), part('p', 'l'), part('p', undefined), part('q', undefined)], 0.3),
  whole: some(0.5, { a: oneOf('1', '2'), b: oneOf('1', '2') }),
  grain: some(0.5, {
    a: oneOf('1', '2'),
    b: some(0.5, { c: oneOf(1, 2), d: oneOf('1', '2'), gone: constant(1) }),
  }),
  map: mapOf(['x', 'y', 'dotted.key'], mostly(oneOf(1, 2), 'x', null)),
  maps: mapOf(['x', 'y'], some(0.5, { v: oneOf(1, 2), w: oneOf(1, 2) })),
  free: some(0.5, {
    known: oneOf('1', '2'),
    other: oneOf(1, 'x', { deep: [1, { a: 1 }] }, [1, 2]),
    more: some(0.5, { a: constant(1), b: oneOf(null, 'x') }),
  }),
  fixed: oneOf('one', 'one', 'two'),
  pruned: (random) => (random.chance(0.05) ? { a: 1 } : undefined),
});

const status = some(0.6, {
  size: oneOf(0, 1, 2),
  phase: mostly(oneOf('Up', 'Down'), 3),
  conditions: listOf(
    ['Ready', 'Live'].map((type) =>
      object({ type: constant(type) }, 0.6, { status: oneOf('True', 'False') }),
    ),
  ),
});

export const widget: FuzzKind = {
  apiVersion: 'fuzz.example.com/v1',
  kind: 'Widget',
  group: 'fuzz.example.com',
  collection: (namespace) => `/apis/fuzz.example.com/v1/namespaces/${namespace}/widgets`,
  body: some(0.7, { metadata, spec, status: (random) => (random.chance(0.1) ? status(random) : undefined) }),
  base: { spec: { size: 1 } },
  status,
  scale: true,
  strategic: false,
};
