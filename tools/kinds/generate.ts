/**
 * Writes the TypeScript types of the built-in kinds, `packages/kube/src/builtin/*.data.ts`, from the catalogue. Plurals
 * and scopes come from the discovery of a real server, which KUBECONFIG names. At the repository's root:
 *
 *   KUBECONFIG=... node --conditions=@kubewright/source --import tsx tools/kinds/generate.ts && npm run format
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compareText, isJsonArray, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import { loadCatalogue } from '@kubewright/kube/schema';

const OUT = fileURLToPath(new URL('../../packages/kube/src/builtin/', import.meta.url));
const SCHEMAS = '#/components/schemas/';
const KUBE = '../object/kube-object.ts';

/** Types that are written by hand, or are no objects: OpenAPI name → its replacement, and the module that exports it. */
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const BY_HAND: Readonly<Record<string, { readonly type: string; readonly from?: string }>> = {
  [`${META}ObjectMeta`]: { type: 'ObjectMeta', from: KUBE },
  [`${META}OwnerReference`]: { type: 'OwnerReference', from: KUBE },
  [`${META}ManagedFieldsEntry`]: { type: 'ManagedFieldsEntry', from: KUBE },
  [`${META}Status`]: { type: 'Status', from: KUBE },
  [`${META}Time`]: { type: 'string' },
  [`${META}MicroTime`]: { type: 'string' },
  [`${META}FieldsV1`]: { type: 'JsonObject', from: '../json/json.ts' },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: 'string' },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: 'number | string' },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': { type: 'JsonObject', from: '../json/json.ts' },
};

type Schema = JsonObject;
type Resource = {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
};
type Found = Resource & { readonly group: string; readonly version: string; readonly definition: string };
type Module = {
  readonly types: string[];
  readonly refs: string[];
  readonly imports: Map<string, Set<string>>;
};

const catalogue = loadCatalogue();
const definitions = catalogue.data.definitions as Readonly<Record<string, Schema>>;
const modules = new Map<string, Module>();
const written = new Set<string>();
/** Definitions of the kinds whose objects live in a namespace. */
const namespacedKinds = new Set<string>();

function discover(document: string): readonly Resource[] {
  const list = JSON.parse(
    execFileSync('kubectl', ['get', '--raw', `/${document}`], { encoding: 'utf8' }),
  ) as {
    readonly resources: readonly Resource[];
  };
  return list.resources.filter(({ name }) => !name.includes('/'));
}

/** `io.k8s.api.apps.v1.Deployment` → `appsv1` and `Deployment`. */
function placeOf(definition: string): { readonly module: string; readonly name: string } {
  const parts = definition.split('.');
  return { module: `${parts.at(-3)}${parts.at(-2)}`, name: parts.at(-1) ?? '' };
}

function moduleOf(name: string): Module {
  const known = modules.get(name);
  if (known !== undefined) return known;
  const made: Module = { types: [], refs: [], imports: new Map() };
  modules.set(name, made);
  return made;
}

function importInto(module: Module, from: string, name: string): void {
  module.imports.set(from, (module.imports.get(from) ?? new Set()).add(name));
}

function named(definition: string, user: string): string {
  const byHand = BY_HAND[definition];
  const module = moduleOf(user);
  if (byHand !== undefined) {
    if (byHand.from !== undefined) importInto(module, byHand.from, byHand.type);
    return byHand.type;
  }
  const place = placeOf(definition);
  if (definitions[definition]?.['properties'] === undefined) {
    importInto(module, '../json/json.ts', 'Json');
    return 'Json';
  }
  writeType(definition);
  if (place.module !== user) importInto(module, `./${place.module}.data.ts`, place.name);
  if (!namespacedKinds.has(definition)) return place.name;
  importInto(module, KUBE, 'TemplateOf');
  return `TemplateOf<${place.name}>`;
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
};

function referenceOf(schema: Schema): Json | undefined {
  const all = schema['allOf'];
  return schema['$ref'] ?? (isJsonArray(all) && isJsonObject(all[0]) ? all[0]['$ref'] : undefined);
}

function typeOf(schema: Json | undefined, user: string): string {
  if (!isJsonObject(schema)) return jsonIn(user, 'Json');
  const reference = referenceOf(schema);
  if (typeof reference === 'string') return named(reference.slice(SCHEMAS.length), user);
  const { type, items, additionalProperties: values, enum: choices } = schema;
  if (isJsonArray(choices)) return choices.map((choice) => `'${choice as string}'`).join(' | ');
  if (type === 'array') return arrayOf(typeOf(items, user));
  if (isJsonObject(values)) return `{ readonly [key: string]: ${typeOf(values, user)} }`;
  return PLAIN[type as string] ?? jsonIn(user, type === 'object' ? 'JsonObject' : 'Json');
}

function jsonIn(user: string, name: string): string {
  importInto(moduleOf(user), '../json/json.ts', name);
  return name;
}

function arrayOf(item: string): string {
  return item.includes('|') ? `readonly (${item})[]` : `readonly ${item}[]`;
}

function writeType(definition: string): void {
  if (written.has(definition)) return;
  written.add(definition);
  const { module, name } = placeOf(definition);
  const schema = definitions[definition] ?? {};
  const [gvk] = (schema['x-kubernetes-group-version-kind'] ?? []) as readonly Gvk[];
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  const fields = Object.entries((schema['properties'] ?? {}) as JsonObject)
    .filter(([field]) => gvk === undefined || !['apiVersion', 'kind', 'metadata'].includes(field))
    .map(([field, value]) => {
      // A server always returns the spec of a kind that has one.
      const always = required.has(field) || (gvk !== undefined && field === 'spec');
      const key = /^\w+$/.test(field) ? field : `'${field}'`;
      return `  readonly ${key}${always ? '' : '?'}: ${typeOf(value, module)};\n`;
    });
  moduleOf(module).types.push(
    `export type ${name} = {\n${headOf(definition, gvk, module)}${fields.join('')}};\n`,
  );
}

type Gvk = { readonly group: string; readonly version: string; readonly kind: string };

function headOf(definition: string, gvk: Gvk | undefined, module: string): string {
  if (gvk === undefined) return '';
  const metadata = namespacedKinds.has(definition) ? 'NamespacedMeta' : 'ObjectMeta';
  importInto(moduleOf(module), KUBE, metadata);
  const { group, version, kind } = gvk;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return `  readonly apiVersion: '${apiVersion}';\n  readonly kind: '${kind}';\n  readonly metadata: ${metadata};\n`;
}

function find(document: string): readonly Found[] {
  const [, group = '', version = ''] = document.startsWith('apis/') ? document.split('/') : ['', '', 'v1'];
  return discover(document).flatMap((resource) => {
    const definition = catalogue.definitionName({ group, version, kind: resource.kind });
    return definition === undefined ? [] : [{ ...resource, group, version, definition }];
  });
}

function writeResource({ group, version, definition, name, kind, namespaced, verbs }: Found): void {
  writeType(definition);
  const { module } = placeOf(definition);
  importInto(moduleOf(module), KUBE, 'ResourceRef');
  const value = `{ group: '${group}', version: '${version}', resource: '${name}', kind: '${kind}', namespaced: ${namespaced}${verbs.includes('watch') ? '' : ', stored: false'} }`;
  moduleOf(module).refs.push(`export const ${name}: ResourceRef<${kind}> = ${value};\n`);
}

function fileOf(name: string, { types, refs, imports }: Module): string {
  const own = `./${name}.data.ts`;
  const head = [...imports]
    .filter(([from]) => from !== own)
    .sort(([a], [b]) => compareText(a, b))
    .map(([from, names]) => `import type { ${[...names].sort().join(', ')} } from '${from}';\n`);
  const made = '// Made by tools/kinds/generate.ts from the catalogue. Do not edit.\n';
  return [`${made}${head.join('')}`, ...(refs.length > 0 ? [refs.join('')] : []), ...types.sort()].join('\n');
}

const resources = Object.keys(catalogue.data.documents).flatMap(find);
for (const { namespaced, definition } of resources) if (namespaced) namespacedKinds.add(definition);
for (const resource of resources) writeResource(resource);
// Bodies of subresources and options, which are no resources of their own.
for (const name of [
  'policy.v1.Eviction',
  'core.v1.Binding',
  'autoscaling.v1.Scale',
  'authentication.v1.TokenRequest',
])
  writeType(`io.k8s.api.${name}`);
writeType(`${META}DeleteOptions`);
writeType(`${META}Condition`);

mkdirSync(OUT, { recursive: true });
for (const file of readdirSync(OUT)) if (file.endsWith('.data.ts')) rmSync(`${OUT}${file}`);
for (const [name, module] of modules) writeFileSync(`${OUT}${name}.data.ts`, fileOf(name, module));
const lines = [...modules.keys()].sort().map((name) => `export * as ${name} from './${name}.data.ts';\n`);
writeFileSync(
  `${OUT}builtin.data.ts`,
  `// Made by tools/kinds/generate.ts from the catalogue. Do not edit.\n${lines.join('')}`,
);
