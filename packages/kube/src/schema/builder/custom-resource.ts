import type { KubeObject, ResourceRef } from '../../object/types.ts';
import { crd, type CrdOptions, type CrdVersion } from './crd.ts';
import type { SchemaType } from './schema-type.ts';

/** What a custom resource of one version is made of; `T` is `spec`, `status` and whatever else its objects have. */
export type CustomResourceOptions<T> = Omit<CrdOptions, 'versions'> &
  Omit<CrdVersion, 'name' | 'served' | 'storage' | 'deprecated' | 'schema'> & {
    /** `v1alpha1` */
    readonly version: string;
    readonly schema: SchemaType<T>;
  };

/** A reference for all calls, watches and reads of the resource, and the definition that makes a server serve it. */
export type CustomResource<T> = ResourceRef<KubeObject & T> & { readonly definition: KubeObject };

/**
 * A custom resource from one schema: its CustomResourceDefinition, and the reference that gives its objects their type.
 *
 * @example
 * const schema = s.object({ spec: s.object({ host: s.string() }) });
 * const sites = customResource({ group: 'example.com', version: 'v1', kind: 'Site', plural: 'sites', scope: 'Namespaced', schema });
 */
export function customResource<T>(options: CustomResourceOptions<T>): CustomResource<T> {
  const { version, schema, status, scale, columns, selectableFields, ...names } = options;
  const parts = { status, scale, columns, selectableFields };
  const said = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
  return {
    group: options.group,
    version,
    resource: options.plural,
    kind: options.kind,
    namespaced: options.scope === 'Namespaced',
    definition: crd({ ...names, versions: [{ name: version, schema, ...said }] }),
  };
}
