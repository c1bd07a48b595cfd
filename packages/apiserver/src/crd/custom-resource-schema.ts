import type { JsonObject } from '@kubewright/kube';
import type { Catalogue, Field, SchemaNode, StructNode } from '@kubewright/kube/schema';
import { compileSchema } from '@kubewright/kube/schema';
import { objectAt } from '../objects/read.ts';
import type { CustomKind } from './custom-kind.ts';

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/**
 * The schema that objects of a custom kind are merged and published by: the author's, with the type and metadata
 * of every object in the place of its own.
 */
export function customResourceSchema(kind: CustomKind, catalogue: Catalogue): SchemaNode {
  const own = kind.structural;
  const source = published(kind);
  const metadata = catalogue.definition(OBJECT_META) ?? compileSchema({ type: 'object' });
  const text = compileSchema({ type: 'string' });
  const fields = new Map<string, Field>(own.kind === 'struct' ? own.fields : []);
  for (const [name, node] of [
    ['apiVersion', text],
    ['kind', text],
    ['metadata', metadata],
  ] as const) {
    fields.set(name, { name, node, required: false, zero: 'kept' });
  }
  const root: StructNode = {
    kind: 'struct',
    nullable: false,
    atomic: false,
    embeddedResource: false,
    ...(own.kind === 'struct' ? own : {}),
    preserveUnknown: own.kind === 'struct' ? own.preserveUnknown : own.kind === 'any',
    mergesUnknown: own.kind === 'struct' ? own.mergesUnknown : own.kind === 'any',
    source,
    fields,
  };
  return root;
}

/** As `/openapi/v3` shows it. */
function published({ group, version, kind, structural }: CustomKind): JsonObject {
  const schema = structural.source;
  return {
    ...schema,
    properties: {
      ...objectAt(schema, 'properties'),
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { allOf: [{ $ref: `#/components/schemas/${OBJECT_META}` }] },
    },
    'x-kubernetes-group-version-kind': [{ group, kind, version }],
  };
}
