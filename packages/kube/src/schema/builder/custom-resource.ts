import type { CustomObject, KubeObject, Named, ResourceRef, Scope } from '../../object/kube-object.ts';
import { crd, type CrdOptions, type CrdVersion } from './crd.ts';
import type { SchemaType } from './schema-type.ts';

/** The definition of a custom resource of one version; `F` has its fields: `spec`, `status` and others. */
export type CustomResourceOptions<F, I = F, S extends Scope = Scope> = Omit<
  CrdOptions,
  'versions' | 'scope'
> &
  Omit<CrdVersion, 'name' | 'served' | 'storage' | 'deprecated' | 'schema'> & {
    /** `v1alpha1` */
    readonly version: string;
    readonly scope: S;
    readonly schema: SchemaType<F, I>;
  };

/**
 * A reference for all calls, watches and reads of the resource, and the definition that makes a server serve it. Readers
 * get a `T`; writers may send an `I`, which leaves out what has a default.
 */
export type CustomResource<T extends KubeObject, I extends KubeObject = KubeObject> = ResourceRef<T> & {
  readonly definition: Named;
  /** Never set: carries `I`. */
  readonly input?: I;
};

/**
 * A custom resource from one schema: its CustomResourceDefinition, and the reference that gives its objects their type.
 *
 * @example
 * const schema = s.object({ spec: s.object({ host: s.string() }) });
 * const sites = customResource({ group: 'example.com', version: 'v1', kind: 'Site', plural: 'sites', scope: 'Namespaced', schema });
 */
export function customResource<F extends object, I extends object, const S extends Scope>(
  options: CustomResourceOptions<F, I, S>,
): CustomResource<CustomObject<F, S>, CustomObject<I, S>> {
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
