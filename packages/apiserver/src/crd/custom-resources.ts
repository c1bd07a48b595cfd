import type { Catalogue, JsonObject, KubeObject } from '@kubewright/kube';
import { compileRules, compileSchema } from '@kubewright/kube';
import type { ResourceDefinition } from '../registry/resource-definition.ts';
import { isTrue, maybeObject, objectAt, objectsAt, specOf, stringAt } from '../kinds/shared/read.ts';
import { printerColumns } from '../tables/printer-columns.ts';
import {
  acceptedNames,
  groupOf,
  isDeleting,
  schemaOf,
  storageVersionOf,
  versionsOf,
} from './definition-view.ts';
import { customResourceSchema } from './resource-schema.ts';
import { customResourceStrategy, customResourceStatus, type CustomKind } from './resource-strategy.ts';
import { scaleMapping } from './scale-mapping.ts';
import { selectableFields } from './selectable-fields.ts';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** By what they were made of: many servers that begin from one snapshot share its objects, and what these mean. */
const made = new WeakMap<Catalogue, WeakMap<KubeObject, readonly ResourceDefinition[]>>();

/** The resources that an established definition makes: one per served version. `crd` is frozen, as stored objects are. */
export function customResources(crd: KubeObject, catalogue: Catalogue): readonly ResourceDefinition[] {
  const known = made.get(catalogue) ?? new WeakMap<KubeObject, readonly ResourceDefinition[]>();
  made.set(catalogue, known);
  const definitions = known.get(crd) ?? makeResources(crd, catalogue);
  known.set(crd, definitions);
  return definitions;
}

function makeResources(crd: KubeObject, catalogue: Catalogue): readonly ResourceDefinition[] {
  return versionsOf(crd)
    .filter((version) => isTrue(version, 'served'))
    .map((version) => customResource(crd, version, catalogue));
}

function customResource(crd: KubeObject, version: JsonObject, catalogue: Catalogue): ResourceDefinition {
  const names = acceptedNames(crd);
  const group = groupOf(crd);
  const namespaced = stringAt(specOf(crd), 'scope') === 'Namespaced';
  const subresources = objectAt(version, 'subresources');
  const scale = maybeObject(subresources, 'scale');
  const structural = compileSchema(schemaOf(version) ?? {});
  const kind: CustomKind = {
    group,
    version: stringAt(version, 'name'),
    kind: names.kind,
    namespaced,
    structural,
    rules: compileRules(structural),
    hasStatus: maybeObject(subresources, 'status') !== undefined,
    scale,
  };
  return {
    group,
    version: kind.version,
    resource: names.plural,
    singular: names.singular,
    kind: names.kind,
    shortNames: names.shortNames,
    categories: names.categories,
    namespaced,
    // What goes away takes nothing new in.
    verbs: isDeleting(crd) ? VERBS.filter((verb) => verb !== 'create') : VERBS,
    schema: customResourceSchema(kind, catalogue),
    structural: kind.structural,
    builtIn: false,
    strategy: customResourceStrategy(kind),
    hasGeneration: false,
    ...(kind.hasStatus ? { status: customResourceStatus(kind) } : {}),
    ...(scale === undefined ? {} : { scale: scaleMapping(scale) }),
    columns: printerColumns(objectsAt(version, 'additionalPrinterColumns')),
    selectableFields: selectableFields(version),
    storageVersion: storageVersionOf(crd),
  };
}
