import type { JsonObject, KubeObject, Stored } from '@kubewright/kube';
import { loadCatalogue } from '@kubewright/kube/schema';
import { expect, test } from 'vitest';
import { serviceRanges } from '../model/service-ranges.ts';
import type { ExtensionHost, ObjectChange, ObjectRef } from '../registry/server-extension.ts';
import { createRegistry } from '../registry/registry.ts';
import { customResourceDefinition, firstDelete } from './custom-resource-definition.ts';
import { conditionsOf, GROUP, RESOURCE } from './definition-view.ts';
import { serveCustomResources } from './serve-custom-resources.ts';

const now = new Date('2026-01-01T00:00:00Z');

/** The part of a server that an extension sees, with objects in a map. */
function fakeServer() {
  const objects = new Map<string, { ref: ObjectRef; object: Stored }>();
  const listeners: { group: string; resource: string; listener: (change: ObjectChange) => void }[] = [];
  const queue: (() => void)[] = [];
  const key = (ref: ObjectRef) => `${ref.group}/${ref.resource}/${ref.namespace}/${ref.name}`;
  const tell = (ref: ObjectRef, change: ObjectChange) => {
    for (const { group, resource, listener } of listeners) {
      if (group === ref.group && resource === ref.resource) queue.push(() => listener(change));
    }
  };
  const put = (ref: ObjectRef, written: KubeObject) => {
    const identity = { name: ref.name, uid: key(ref), resourceVersion: '1' };
    const object = { ...written, metadata: { ...written.metadata, ...identity } };
    const type = objects.has(key(ref)) ? 'MODIFIED' : 'ADDED';
    const gone = object.metadata.deletionTimestamp !== undefined && !object.metadata.finalizers?.length;
    if (gone) objects.delete(key(ref));
    else objects.set(key(ref), { ref, object });
    tell(ref, { type: gone ? 'DELETED' : type, object });
  };
  const host: ExtensionHost = {
    registry: createRegistry(),
    now: () => now,
    observe(group, resource, listener) {
      const entry = { group, resource, listener };
      listeners.push(entry);
      return () => void listeners.splice(listeners.indexOf(entry), 1);
    },
    reread: () => undefined,
    get: (ref) => objects.get(key(ref))?.object,
    list: (group, resource) =>
      [...objects.values()]
        .filter(({ ref }) => ref.group === group && ref.resource === resource)
        .map(({ object }) => object),
    update(ref, change) {
      const object = objects.get(key(ref))?.object;
      const next = object && change(object);
      if (next !== undefined && next !== object) put(ref, next);
    },
    delete(ref) {
      const object = objects.get(key(ref))?.object;
      if (object === undefined) return;
      put(ref, { ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
    },
  };
  const settle = () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) next();
  };
  serveCustomResources(loadCatalogue())(host);
  return { host, put, settle };
}

const crdRef = (name: string): ObjectRef => ({ group: GROUP, resource: RESOURCE, namespace: '', name });

function definition(plural: string, names: JsonObject = {}): KubeObject {
  const versions = ['v1', 'v2'].map((name) => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
    subresources: { status: {} },
  }));
  const object = {
    apiVersion: `${GROUP}/v1`,
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.ex.io` },
    spec: { group: 'ex.io', scope: 'Namespaced', names: { plural, kind: 'Widget', ...names }, versions },
  };
  const context = {
    user: { username: 'alice', groups: [] },
    services: serviceRanges(),
    now,
    random: () => new Uint8Array(),
    dryRun: false,
    list: () => [],
    withValue: () => [],
  };
  const defaulted = customResourceDefinition.default?.(object) ?? object;
  return customResourceDefinition.prepareForCreate?.(defaulted, context) ?? defaulted;
}

test('a definition is accepted, established and served in all its versions', () => {
  const { host, put, settle } = fakeServer();
  put(crdRef('widgets.ex.io'), definition('widgets'));
  settle();
  const crd = host.get(crdRef('widgets.ex.io'));
  expect(crd && conditionsOf(crd)).toEqual([
    {
      type: 'NamesAccepted',
      status: 'True',
      reason: 'NoConflicts',
      message: 'no conflicts found',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
    {
      type: 'Established',
      status: 'True',
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ]);
  expect(crd?.status).toMatchObject({
    acceptedNames: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    storedVersions: ['v1'],
  });
  expect(host.registry.versions('ex.io', 'widgets').map(({ version }) => version)).toEqual(['v1', 'v2']);
});

test('a kind that another definition of the group has is not accepted, until that one goes', () => {
  const { host, put, settle } = fakeServer();
  put(crdRef('widgets.ex.io'), definition('widgets'));
  settle();
  put(crdRef('gadgets.ex.io'), definition('gadgets', { singular: 'gadget' }));
  settle();
  const refused = host.get(crdRef('gadgets.ex.io'));
  expect(refused && conditionsOf(refused)).toMatchObject([
    {
      type: 'NamesAccepted',
      status: 'False',
      reason: 'ListKindConflict',
      message: '"WidgetList" is already in use',
    },
    { type: 'Established', status: 'False', reason: 'NotAccepted' },
  ]);
  expect(host.registry.versions('ex.io', 'gadgets')).toEqual([]);
  host.update(crdRef('widgets.ex.io'), (crd) => firstDelete(crd, now));
  settle();
  expect(host.registry.versions('ex.io', 'widgets')).toEqual([]);
  expect(host.registry.versions('ex.io', 'gadgets')).toHaveLength(2);
});

test('a version that is served no more is withdrawn', () => {
  const { host, put, settle } = fakeServer();
  const crd = definition('widgets');
  put(crdRef('widgets.ex.io'), crd);
  settle();
  host.update(crdRef('widgets.ex.io'), (current) => {
    const spec = current.spec as JsonObject & { versions: readonly JsonObject[] };
    return {
      ...current,
      spec: { ...spec, versions: spec.versions.map((v) => ({ ...v, served: v.name === 'v1' })) },
    };
  });
  settle();
  expect(host.registry.versions('ex.io', 'widgets').map(({ version }) => version)).toEqual(['v1']);
});

test('a definition goes after its last instance', () => {
  const { host, put, settle } = fakeServer();
  put(crdRef('widgets.ex.io'), definition('widgets'));
  settle();
  const instance = { group: 'ex.io', resource: 'widgets', namespace: 't', name: 'w' };
  const held = {
    apiVersion: 'ex.io/v1',
    kind: 'Widget',
    metadata: { name: 'w', namespace: 't', finalizers: ['a/b'] },
  };
  put(instance, held);
  settle();
  host.update(crdRef('widgets.ex.io'), (crd) => firstDelete(crd, now));
  settle();
  const waiting = host.get(crdRef('widgets.ex.io'));
  expect(waiting && conditionsOf(waiting).at(-1)).toMatchObject({ reason: 'InstanceDeletionInProgress' });
  expect(host.get(instance)?.metadata.deletionTimestamp).toBeDefined();
  expect(host.registry.find('ex.io', 'v1', 'widgets')?.verbs).not.toContain('create');
  host.update(instance, (object) => ({ ...object, metadata: { ...object.metadata, finalizers: [] } }));
  settle();
  expect(host.get(crdRef('widgets.ex.io'))).toBeUndefined();
  expect(host.registry.versions('ex.io', 'widgets')).toEqual([]);
});
