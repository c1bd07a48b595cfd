import type { KubeObject, Stored } from '@kubewright/kube';
import { type RestContext } from './rest-context.ts';
import { inStorageVersion, inVersion } from '../model/in-version.ts';
import { afterDelete } from './delete-object.ts';
import { recordUpdate, unlessUnchanged } from './record-update.ts';
import { objectKey } from '../storage/stored-object.ts';
import type { ExtensionHost, ObjectRef, ServerWrite } from '../registry/server-extension.ts';
import type { ResourceDefinition } from '../model/resource-definition.ts';

/** What extensions see of the server; see {@link ExtensionHost}. */
export function extensionHost(context: RestContext): ExtensionHost {
  const { store, registry, now } = context;
  return {
    registry,
    now,
    observe(group, resource, listener) {
      let stopped = false;
      const stop = store.collection(group, resource).subscribe(({ type, object, previous }) => {
        const change = previous === undefined ? {} : { previous: previous.object };
        queueMicrotask(() => {
          if (!stopped) listener({ type, object: object.object, ...change });
        });
      });
      return () => {
        stopped = true;
        stop();
      };
    },
    reread: (group, resource, read) => store.collection(group, resource).reread(read),
    get: (ref) => store.collection(ref.group, ref.resource).get(objectKey(ref.namespace, ref.name))?.object,
    list: (group, resource) => store.collection(group, resource).entries.map(({ object }) => object),
    update: (ref, change, options) => update(context, ref, change, options),
    delete: (ref) => remove(context, ref),
  };
}

function definitionOf(
  { registry }: RestContext,
  { group, resource }: ObjectRef,
): ResourceDefinition | undefined {
  return registry.versions(group, resource)[0];
}

function update(
  context: RestContext,
  ref: ObjectRef,
  change: (object: Stored) => KubeObject | undefined,
  write: ServerWrite = {},
): void {
  const collection = context.store.collection(ref.group, ref.resource);
  const key = objectKey(ref.namespace, ref.name);
  const live = collection.get(key)?.object;
  if (live === undefined) return;
  const wanted = change(live);
  if (wanted === undefined || wanted === live) return;
  const next = recorded(context, ref, live, wanted, write);
  const { finalizers = [] } = next.metadata;
  if (live.metadata.deletionTimestamp !== undefined && finalizers.length === 0) collection.remove(key);
  else if (unlessUnchanged(next, live) !== live) collection.put(key, next);
}

/** The wanted object with the server's own write in its managedFields, in the storage version. */
function recorded(
  context: RestContext,
  ref: ObjectRef,
  live: KubeObject,
  wanted: KubeObject,
  { manager = 'kube-apiserver', subresource = '' }: ServerWrite,
): KubeObject {
  const definition = definitionOf(context, ref);
  if (definition === undefined) return wanted;
  const [before, after] = [inVersion(live, definition), inVersion(wanted, definition)];
  const writer = { manager, subresource, strategy: {}, now: context.now() };
  return inStorageVersion(definition, recordUpdate(context.registry, definition, before, after, writer));
}

function remove(context: RestContext, ref: ObjectRef): void {
  const collection = context.store.collection(ref.group, ref.resource);
  const key = objectKey(ref.namespace, ref.name);
  const live = collection.get(key)?.object;
  if (live === undefined) return;
  const options = { dryRun: false, propagationPolicy: 'Background', asObject: () => ({}) };
  // A resource that is no longer served is deleted by the rules that all have.
  const rules = definitionOf(context, ref) ?? { group: ref.group, resource: ref.resource };
  const next = afterDelete(rules, live, options, context.now());
  if (next === undefined) collection.remove(key);
  else if (next !== live) collection.put(key, next);
}
