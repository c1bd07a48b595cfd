import type { ScalarKind } from './schema-node.ts';

/** How a definition with its own JSON form is compiled, whatever its schema. */
export type KnownDefinition =
  | { readonly kind: 'scalar'; readonly scalar: ScalarKind }
  | { readonly kind: 'any'; readonly atomic?: boolean };

/** Definitions whose Go type reads and writes its own JSON; `/openapi/v3` says too little about them. */
const definitions: ReadonlyMap<string, KnownDefinition> = new Map<string, KnownDefinition>([
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', { kind: 'scalar', scalar: 'quantity' }],
  ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', { kind: 'scalar', scalar: 'int-or-string' }],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.Time', { kind: 'scalar', scalar: 'time' }],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime', { kind: 'scalar', scalar: 'micro-time' }],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.Duration', { kind: 'scalar', scalar: 'duration' }],
  ['io.k8s.apimachinery.pkg.runtime.RawExtension', { kind: 'any', atomic: true }],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1', { kind: 'any' }],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.Patch', { kind: 'any' }],
]);

/** The definition called `name`, when its JSON form is known by name. */
export function knownDefinition(name: string): KnownDefinition | undefined {
  return definitions.get(name);
}
