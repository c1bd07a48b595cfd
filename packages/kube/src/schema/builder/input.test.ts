import { expectTypeOf, test } from 'vitest';
import type { CustomObject, KubeObject, ResourceRef, Stored } from '../../object/kube-object.ts';
import { customResource } from './custom-resource.ts';
import { s } from './s.ts';
import type { Infer, Input } from './schema-type.ts';

const port = s.object({ number: s.integer(), protocol: s.string({ default: 'TCP' }) });
const schema = s.object({
  spec: s.object({
    host: s.string(),
    replicas: s.integer({ default: 1 }),
    note: s.optional(s.string()),
    ports: s.mapList(port, ['number']),
    extra: s.record(port, { default: {} }),
  }),
  status: s.optional(s.object({ ready: s.boolean() })),
});
const sites = customResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Site',
  plural: 'sites',
  scope: 'Namespaced',
  schema,
});
type Site = typeof sites extends ResourceRef<infer T> ? T : never;

test('readers find the fields that have a default', () => {
  expectTypeOf<Infer<typeof schema>['spec']>().toEqualTypeOf<{
    readonly host: string;
    readonly replicas: number;
    readonly note?: string;
    readonly ports: readonly { readonly number: number; readonly protocol: string }[];
    readonly extra: { readonly [key: string]: { readonly number: number; readonly protocol: string } };
  }>();
});

test('writers may leave them out, at every depth', () => {
  expectTypeOf<Input<typeof schema>['spec']>().toEqualTypeOf<{
    readonly host: string;
    readonly replicas?: number;
    readonly note?: string;
    readonly ports: readonly { readonly number: number; readonly protocol?: string }[];
    readonly extra?: { readonly [key: string]: { readonly number: number; readonly protocol?: string } };
  }>();
});
test('a custom resource is a Kubernetes object', () => {
  expectTypeOf<Site>().toExtend<KubeObject>();
  expectTypeOf<Site>().toEqualTypeOf<CustomObject<Infer<typeof schema>>>();
  expectTypeOf<Stored<Site>['metadata']['namespace']>().toBeString();
});
