import type { JsonObject, KubeObject } from '@kubewright/kube';
import type { Catalogue, SchemaNode } from '@kubewright/kube/schema';
import { compileRules } from '@kubewright/kube/cel';
import { compileSchema, decodeStructural, pruneStructural } from '@kubewright/kube/schema';
import { compareVersions } from '../model/compare-versions.ts';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import {
  isTrue,
  maybeObject,
  maybeString,
  objectAt,
  objectsAt,
  specOf,
  stringAt,
  stringsAt,
} from '../objects/read.ts';
import { Conversion } from '../model/conversion.ts';
import { readClient } from '../model/hook-client.ts';
import { asRead } from '../model/as-read.ts';
import { printerColumns } from '../tables/printer-columns.ts';
import {
  acceptedNames,
  groupOf,
  isDeleting,
  schemaOf,
  storageVersionOf,
  versionsOf,
} from './definition-view.ts';
import { customResourceSchema } from './custom-resource-schema.ts';
import { customResourceStrategy, customResourceStatus } from './custom-resource-strategy.ts';
import type { CustomKind } from './custom-kind.ts';
import { scaleMapping } from './scale-mapping.ts';
import { selectableFields } from './selectable-fields.ts';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** Cached by catalogue and definition: many servers that begin from one snapshot share both. */
const made = new WeakMap<Catalogue, WeakMap<KubeObject, readonly ResourceDefinition[]>>();

/** The resources that an established definition makes: one per served version. `crd` is frozen, as stored objects are. */
export function customResources(crd: KubeObject, catalogue: Catalogue): readonly ResourceDefinition[] {
  const known = made.get(catalogue) ?? new WeakMap<KubeObject, readonly ResourceDefinition[]>();
  made.set(catalogue, known);
  const definitions = known.get(crd) ?? makeResources(crd, catalogue);
  known.set(crd, definitions);
  return definitions;
}

/**
 * Reads stored objects of a definition: pruned and with defaults by the current schema of the version that they were
 * written in.
 */
export function storedReader(crd: KubeObject): (object: KubeObject) => KubeObject {
  const schemas = new Map(
    versionsOf(crd).map((version) => [
      `${groupOf(crd)}/${stringAt(version, 'name')}`,
      compileSchema(schemaOf(version) ?? {}),
    ]),
  );
  return (object) => {
    const schema = schemas.get(object.apiVersion);
    return schema === undefined ? object : asRead({ builtIn: false, schema }, object);
  };
}

function makeResources(crd: KubeObject, catalogue: Catalogue): readonly ResourceDefinition[] {
  let read: ((object: KubeObject) => KubeObject) | undefined;
  const conversion = conversionOf(crd);
  const storage = (): ((object: KubeObject) => KubeObject) => {
    const kept = versionsOf(crd).find((version) => isTrue(version, 'storage')) ?? {};
    read ??= reader(compileSchema(schemaOf(kept) ?? {}));
    return read;
  };
  return versionsOf(crd)
    .filter((version) => isTrue(version, 'served'))
    .map((version) => customResource(crd, version, catalogue, { storage, conversion }));
}

/** What the versions of a definition share. */
type Shared = {
  readonly storage: () => (object: KubeObject) => KubeObject;
  readonly conversion: Conversion | undefined;
};

function conversionOf(crd: KubeObject): Conversion | undefined {
  const conversion = objectAt(specOf(crd), 'conversion');
  if (stringAt(conversion, 'strategy') !== 'Webhook') return undefined;
  const webhook = objectAt(conversion, 'webhook');
  const client = readClient(objectAt(webhook, 'clientConfig'));
  return new Conversion({ client, reviewVersions: stringsAt(webhook, 'conversionReviewVersions') });
}

function customKind(crd: KubeObject, version: JsonObject, kind: string): CustomKind {
  const subresources = objectAt(version, 'subresources');
  const structural = compileSchema(schemaOf(version) ?? {});
  return {
    group: groupOf(crd),
    version: stringAt(version, 'name'),
    kind,
    namespaced: stringAt(specOf(crd), 'scope') === 'Namespaced',
    structural,
    rules: compileRules(structural),
    hasStatus: maybeObject(subresources, 'status') !== undefined,
    scale: maybeObject(subresources, 'scale'),
  };
}

/** Prunes and defaults by a schema. */
function reader(structural: SchemaNode): (object: KubeObject) => KubeObject {
  return (object) => decodeStructural(structural, object).object as KubeObject;
}

/** The definition's own warning, else one that names the best served version that is neither deprecated nor older. */
function deprecationOf(crd: KubeObject, { group, version, kind }: CustomKind, declared: JsonObject): string {
  const own = maybeString(declared, 'deprecationWarning');
  if (own !== undefined) return own;
  const [better] = versionsOf(crd)
    .filter((other) => isTrue(other, 'served') && !isTrue(other, 'deprecated'))
    .map((other) => stringAt(other, 'name'))
    .filter((name) => compareVersions(name, version) > 0)
    .sort((a, b) => compareVersions(b, a));
  const text = `${group}/${version} ${kind} is deprecated`;
  return better === undefined ? text : `${text}; use ${group}/${better} ${kind}`;
}

function customResource(
  crd: KubeObject,
  version: JsonObject,
  catalogue: Catalogue,
  { storage, conversion }: Shared,
): ResourceDefinition {
  const names = acceptedNames(crd);
  const kind = customKind(crd, version, names.kind);
  const { scale, structural, group, namespaced } = kind;
  return {
    group,
    version: kind.version,
    resource: names.plural,
    singular: names.singular,
    kind: names.kind,
    shortNames: names.shortNames,
    categories: names.categories,
    namespaced,
    // A definition that is being deleted takes no new objects.
    verbs: isDeleting(crd) ? VERBS.filter((verb) => verb !== 'create') : VERBS,
    schema: customResourceSchema(kind, catalogue),
    structural,
    builtIn: false,
    strategy: customResourceStrategy(kind),
    hasGeneration: false,
    ...(kind.hasStatus ? { status: customResourceStatus(kind) } : {}),
    ...(scale === undefined ? {} : { scale: scaleMapping(scale) }),
    columns: printerColumns(objectsAt(version, 'additionalPrinterColumns')),
    selectableFields: selectableFields(version),
    ...(isTrue(version, 'deprecated') ? { deprecation: deprecationOf(crd, kind, version) } : {}),
    storageVersion: storageVersionOf(crd),
    definedVersions: versionsOf(crd).map((each) => stringAt(each, 'name')),
    ...(conversion === undefined ? {} : { conversion }),
    fromOther: (object) => pruneStructural(structural, object).value as KubeObject,
    toStorage: (object) => storage()(object),
  };
}
