import { describe, expect, expectTypeOf, test } from 'vitest';
import { compileSchema } from '../compile-schema.ts';
import { crd } from './crd.ts';
import { s } from './s.ts';
import type { Infer } from './schema-type.ts';

const spec = s.object({
  size: s.integer({ minimum: 1, maximum: 10 }),
  color: s.optional(s.oneOf(['red', 'blue'], { default: 'red' })),
  tags: s.optional(s.set(s.string({ maxLength: 5 }))),
  parts: s.mapList(s.object({ name: s.string(), weight: s.optional(s.number()) }), ['name']),
  labels: s.record(s.string()),
  note: s.string({ nullable: true }),
});

describe('the typed builder', () => {
  test('gives the TypeScript type', () => {
    expectTypeOf<Infer<typeof spec>>().toEqualTypeOf<{
      readonly size: number;
      readonly color?: 'red' | 'blue';
      readonly tags?: readonly string[];
      readonly parts: readonly { readonly name: string; readonly weight?: number }[];
      readonly labels: { readonly [key: string]: string };
      readonly note: string | null;
    }>();
  });

  test('refuses a merge key that the items do not have', () => {
    // @ts-expect-error weight is the only field
    s.mapList(s.object({ weight: s.number() }), ['name']);
    // @ts-expect-error a default has the type of the field
    s.integer({ default: 'x' });
  });

  test('gives the structural schema', () => {
    expect(spec.schema).toEqual({
      type: 'object',
      required: ['size', 'parts', 'labels', 'note'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 10 },
        color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
        tags: { type: 'array', items: { type: 'string', maxLength: 5 }, 'x-kubernetes-list-type': 'set' },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, weight: { type: 'number' } },
          },
        },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        note: { type: 'string', nullable: true },
      },
    });
    expect(compileSchema(spec.schema).kind).toBe('struct');
  });

  test('atomic objects and CEL rules', () => {
    const range = s.object(
      { min: s.integer(), max: s.integer() },
      { atomic: true, validations: [{ rule: 'self.min <= self.max', message: 'min is above max' }] },
    );
    expect(range.schema).toMatchObject({
      'x-kubernetes-map-type': 'atomic',
      'x-kubernetes-validations': [{ rule: 'self.min <= self.max', message: 'min is above max' }],
    });
    expect(range.schema).not.toHaveProperty('atomic');
  });
});

test('crd() makes a CustomResourceDefinition; status and storage follow from what is there', () => {
  const widget = crd({
    group: 'example.com',
    kind: 'Widget',
    plural: 'widgets',
    shortNames: ['wd'],
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        schema: s.object({ spec, status: s.optional(s.object({ conditions: s.optional(s.conditions()) })) }),
        columns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
      },
    ],
  });
  expect(widget).toMatchObject({
    metadata: { name: 'widgets.example.com' },
    spec: {
      names: {
        kind: 'Widget',
        listKind: 'WidgetList',
        singular: 'widget',
        plural: 'widgets',
        shortNames: ['wd'],
      },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
          schema: { openAPIV3Schema: { type: 'object', properties: { kind: { type: 'string' } } } },
        },
      ],
    },
  });
});
