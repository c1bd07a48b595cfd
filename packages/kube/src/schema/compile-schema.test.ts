import assert from 'node:assert/strict';
import { describe, expect, test } from 'vitest';
import { compileSchema } from './compile-schema.ts';
import type { SchemaNode, StructNode } from './schema-node.ts';

function struct(node: SchemaNode | undefined): StructNode {
  assert(node?.kind === 'struct', `expected a struct, got ${node?.kind}`);
  return node;
}

function fieldOf(schema: Parameters<typeof compileSchema>[0]): SchemaNode {
  const node = struct(compileSchema({ type: 'object', properties: { f: schema } })).fields.get('f')?.node;
  assert(node !== undefined, 'no field');
  return node;
}

describe('compileSchema', () => {
  test.each([
    [{ type: 'string' }, 'string'],
    [{ type: 'integer', format: 'int64' }, 'integer'],
    [{ type: 'number' }, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{ type: 'string', format: 'byte' }, 'bytes'],
    [{ 'x-kubernetes-int-or-string': true }, 'int-or-string'],
    [
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      'int-or-string',
    ],
  ])('%j is the scalar %s', (schema, scalar) => {
    expect(fieldOf(schema)).toMatchObject({ kind: 'scalar', scalar });
  });

  test('a list without a list type is atomic; map lists keep the order of their keys', () => {
    expect(fieldOf({ type: 'array', items: { type: 'string' } })).toMatchObject({
      kind: 'list',
      listType: 'atomic',
      keys: [],
    });
    const ports = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
    };
    expect(fieldOf(ports)).toMatchObject({ listType: 'map', keys: ['port', 'protocol'] });
  });

  test('additionalProperties make a map; beside properties they type the unnamed fields', () => {
    expect(fieldOf({ type: 'object', additionalProperties: { type: 'integer' } })).toMatchObject({
      kind: 'map',
      values: { scalar: 'integer' },
    });
    const both = fieldOf({
      type: 'object',
      properties: { a: { type: 'string' } },
      additionalProperties: { type: 'integer' },
    });
    expect(struct(both).values).toMatchObject({ scalar: 'integer' });
    expect(struct(fieldOf({ type: 'object', properties: {} })).values).toBeUndefined();
  });

  test('an object without fields is a struct that knows no field; no type at all is anything', () => {
    expect(struct(fieldOf({ type: 'object' })).fields.size).toBe(0);
    expect(fieldOf({ 'x-kubernetes-preserve-unknown-fields': true }).kind).toBe('any');
  });

  test('a $ref with a default beside it, as /openapi/v3 writes it, keeps the type and adds the default', () => {
    const schemas = { T: { type: 'object', properties: { name: { type: 'string' } } } };
    const resolve = (name: string) => schemas[name as 'T'];
    const node = compileSchema(
      {
        type: 'object',
        properties: {
          plain: { $ref: '#/components/schemas/T' },
          defaulted: { allOf: [{ $ref: '#/components/schemas/T' }], default: {} },
          granular: { allOf: [{ $ref: '#/components/schemas/T' }], 'x-kubernetes-map-type': 'atomic' },
        },
      },
      resolve,
    );
    const fields = struct(node).fields;
    expect(fields.get('plain')?.node.default).toBeUndefined();
    expect(fields.get('defaulted')?.node.default).toEqual({});
    expect(struct(fields.get('defaulted')?.node).fields.get('name')?.node).toMatchObject({
      scalar: 'string',
    });
    expect(struct(fields.get('plain')?.node).atomic).toBe(false);
    expect(struct(fields.get('granular')?.node).atomic).toBe(true);
  });

  test('schemas may recurse', () => {
    const schemas = { Tree: { type: 'object', properties: { left: { $ref: '#/x/Tree' } } } };
    const tree = compileSchema({ $ref: '#/x/Tree' }, (name) => schemas[name as 'Tree']);
    expect(struct(tree).fields.get('left')?.node).toBe(tree);
  });

  test('the same schema object compiles once', () => {
    const schema = { type: 'object', properties: {} };
    expect(compileSchema(schema)).toBe(compileSchema(schema));
  });

  test('a field called __proto__ is a field', () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}');
    expect(struct(compileSchema(schema)).fields.get('__proto__')?.node).toMatchObject({ scalar: 'string' });
  });
});
