import { randomUUID } from 'node:crypto';
import { type Client, createClient, isInvalid, type ResourceRef } from '@kubewright/client';
import { apiextensionsv1, type JsonObject, type KubeObject, type Transport } from '@kubewright/kube';
import { OPERATORS } from '@kubewright/operators';
import { waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

type Server = { transport(): Transport };
type Definition = apiextensionsv1.CustomResourceDefinition & { readonly metadata: { readonly name: string } };

const DEFINITIONS = apiextensionsv1.customresourcedefinitions;
const NEXT = 'v9';
/** A server learns of a definition a little later. */
const SOON = { timeout: 30_000, interval: 50 };
/** A field that the next release adds. */
const ADDED = 'addedLater';

/** What users have of each operator, by kind. */
const SPECS: Readonly<Record<string, JsonObject>> = {
  ObjectKeeper: { mode: 'TTL', ttl: '720h' },
  ClassRuntime: {
    package_class_key: 'shop.cart',
    functions: [{ function_key: 'add', provision_config: { container_image: 'registry.example/add:1' } }],
  },
  Kausality: { mode: 'enforce', resources: [{ apiGroups: [''], resources: ['configmaps'] }] },
  StatefulMigration: { sourcePod: 'consumer-0', targetNode: 'node-2' },
  Composition: { synthesizer: { name: 'shop' } },
};

/** Definitions of this release and of the next one: docs/versioning.md says what a change has to do. */
export function definitionChangesContract(server: () => Server): void {
  // Their own group, so that no other suite sees the change.
  const suffix = `changes-${randomUUID().slice(0, 8)}.example.com`;
  let transport: Transport;
  let client: Client;
  let definitions: readonly Definition[];

  beforeAll(async () => {
    transport = server().transport();
    client = createClient(transport);
    const loaded = await Promise.all(OPERATORS.map((operator) => operator.load()));
    definitions = loaded
      .flatMap(({ resources }) => resources.map(({ definition }) => definition as Definition))
      .filter(({ spec }) => spec.names.kind in SPECS)
      .map((definition) => renamed(definition, suffix));
    expect(definitions).toHaveLength(Object.keys(SPECS).length);
    await Promise.all(definitions.map(install));
    for (const definition of definitions)
      await client.create<KubeObject>(refOf(definition), objectOf(definition));
  });
  afterAll(async () => {
    for (const { metadata } of definitions) await client.delete(DEFINITIONS, { name: metadata.name });
    await transport.close();
  });

  const each = (run: (definition: Definition) => Promise<void>): Promise<unknown> =>
    Promise.all(definitions.map(run));
  /** As an upgrade does; resolves when the versions are served. */
  async function install(definition: Definition): Promise<void> {
    const { name } = definition.metadata;
    await client.apply<KubeObject>(DEFINITIONS, definition, { fieldManager: 'kubewright', force: true });
    await waitForObject(client, DEFINITIONS, { name }, (live) =>
      (live?.status?.conditions ?? []).some(
        ({ type, status }) => type === 'Established' && status === 'True',
      ),
    );
    for (const version of definition.spec.versions)
      await vi.waitFor(() => client.list(refOf(definition, version.name)), SOON);
  }
  const read = (definition: Definition, version?: string) =>
    client.get<KubeObject>(refOf(definition, version), keyOf(definition));
  const storedVersions = async ({ metadata: { name } }: Definition): Promise<readonly string[]> =>
    (await client.get(DEFINITIONS, { name })).status?.storedVersions ?? [];

  test('objects of this release are read as before, in both versions, where the next one adds a field and a version', async () => {
    await each(async (definition) => {
      const { metadata, spec } = await read(definition);
      await install(nextOf(definition));
      for (const version of [undefined, NEXT]) {
        const now = await vi.waitFor(async () => {
          const live = await read(definition, version);
          expect(live['spec']).toEqual(spec);
          return live;
        }, SOON);
        expect(now.metadata).toMatchObject({ uid: metadata.uid, generation: metadata.generation });
      }
      await setAdded(definition, 'new');
      for (const version of [undefined, NEXT])
        expect(await read(definition, version)).toMatchObject({ spec: { [ADDED]: 'new' } });
    });
  });

  /** A field that the server does not know yet is dropped. */
  async function setAdded(definition: Definition, value: string, dryRun = false): Promise<void> {
    const body = { spec: { [ADDED]: value } };
    await vi.waitFor(async () => {
      const patch = { type: 'merge', body } as const;
      const live = await client.patch<KubeObject>(refOf(definition), keyOf(definition), patch, { dryRun });
      expect(live).toMatchObject(body);
    }, SOON);
  }

  test('a field is not seen while the definition lacks it, and lost with the next write', async () => {
    await each(async (definition) => {
      const next = nextOf(definition);
      const before = { ...next, spec: { ...next.spec, versions: next.spec.versions.map(withoutAdded) } };
      const seen = (value: string | undefined): Promise<void> =>
        vi.waitFor(async () => expect(addedIn(await read(definition))).toBe(value), SOON);
      await install(before);
      await seen(undefined);
      await install(next);
      await seen('new');
      await install(before);
      await seen(undefined);
      const body = { metadata: { labels: { written: 'true' } } };
      await client.patch<KubeObject>(refOf(definition), keyOf(definition), { type: 'merge', body });
      await install(next);
      // From then on the server knows the field again.
      await setAdded(definition, 'dry', true);
      await seen(undefined);
    });
  });

  test('a version may go when no object is stored in it any more, and not before', async () => {
    await each(async (definition) => {
      const { metadata } = definition;
      const [old = ''] = definition.spec.versions.map(({ name }) => name);
      const next = nextOf(definition);
      const versions = next.spec.versions.filter(({ name }) => name === NEXT);
      const only = { ...next, spec: { ...next.spec, versions } };
      expect(await storedVersions(definition)).toEqual([old, NEXT]);
      await expect(install(only)).rejects.toSatisfy(isInvalid);
      // Each write stores in the new version.
      await setAdded(definition, 'once more');
      const body = { status: { storedVersions: [NEXT] } };
      const subresource = 'status';
      await client.patch<KubeObject>(
        DEFINITIONS,
        { name: metadata.name },
        { type: 'merge', body },
        { subresource },
      );
      await install(only);
      expect(addedIn(await read(definition, NEXT))).toBe('once more');
    });
  });
}

function renamed({ metadata: _own, spec, ...rest }: Definition, suffix: string): Definition {
  const group = `${spec.group.split('.', 1)[0] ?? ''}.${suffix}`;
  return { ...rest, metadata: { name: `${spec.names.plural}.${group}` }, spec: { ...spec, group } };
}

/** As the next release may have it: an optional field more, and one version more, in which objects are stored from then on. */
function nextOf(definition: Definition): Definition {
  const [version] = definition.spec.versions;
  if (version === undefined) return definition;
  const grown = { ...version, schema: grownSchema(version.schema as JsonObject) };
  const versions = [
    { ...grown, storage: false },
    { ...grown, name: NEXT, storage: true },
  ];
  return {
    ...definition,
    spec: { ...definition.spec, versions, conversion: { strategy: 'None' } },
  };
}

function grownSchema(schema: JsonObject): JsonObject {
  return changedSpec(schema, (fields) => ({
    ...fields,
    [ADDED]: { type: 'string', description: 'What it adds.' },
  }));
}

function withoutAdded<T extends { readonly schema?: unknown }>(version: T): T {
  const schema = changedSpec(version.schema as JsonObject, ({ [ADDED]: _added, ...fields }) => fields);
  return { ...version, schema };
}

function changedSpec(schema: JsonObject, change: (fields: JsonObject) => JsonObject): JsonObject {
  const root = schema['openAPIV3Schema'] as JsonObject;
  const properties = root['properties'] as JsonObject;
  const spec = properties['spec'] as JsonObject;
  const changed = { ...spec, properties: change(spec['properties'] as JsonObject) };
  return { openAPIV3Schema: { ...root, properties: { ...properties, spec: changed } } };
}

function refOf({ spec }: Definition, version = spec.versions[0]?.name ?? ''): ResourceRef {
  const { group, names, scope } = spec;
  return { group, version, kind: names.kind, resource: names.plural, namespaced: scope === 'Namespaced' };
}

const keyOf = ({ spec }: Definition) =>
  spec.scope === 'Namespaced' ? { namespace: 'default', name: 'kept' } : { name: 'kept' };

function objectOf(definition: Definition): KubeObject {
  const { group, names, versions } = definition.spec;
  const apiVersion = `${group}/${versions[0]?.name ?? ''}`;
  return { apiVersion, kind: names.kind, metadata: keyOf(definition), spec: SPECS[names.kind] ?? {} };
}

function addedIn(object: KubeObject): unknown {
  return (object['spec'] as JsonObject)[ADDED];
}
