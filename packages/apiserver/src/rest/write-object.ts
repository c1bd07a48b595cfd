import type { KubeObject, Stored } from '@kubewright/kube';
import { type WriteAttributes, updateAttributes } from './admission-attributes.ts';
import { accessForbidden } from '../auth/access-forbidden.ts';
import type { Strategy } from '../model/resource-definition.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../validation/validate-object-meta.ts';
import { collectionOf } from '../storage/collection-of.ts';
import { isUnsettled, objectKey, type StoredObject } from '../storage/stored-object.ts';
import { inVersion } from '../model/in-version.ts';
import { converting } from './converting.ts';
import { admitValidating } from './admit-mutating.ts';
import { conflict, failure, invalid, MODIFIED, notFound } from '../api-server-error.ts';
import { type RestContext, strategyContext } from './rest-context.ts';
import type { ResourceRequest } from './resource-request.ts';
import { completeNew, inStore, type Storable, storeNew, type Written } from './create-object.ts';
import { unlessUnchanged } from './record-update.ts';
import { isNamespace, namespaceFinalizers } from './namespace-lifecycle.ts';
import { contentDiffers, keepSystemFields, withGeneration, withMeta } from './object-metadata.ts';
import { pathSegmentErrors } from './path-segment-errors.ts';
import type { Steps } from '../request/steps.ts';

/** A write of one object: update, patch or apply, of the object or of a subresource. */
export type ObjectWrite = {
  readonly dryRun: boolean;
  /** Of the object itself or of the subresource that is written. */
  readonly strategy: Strategy;
  /** An object that is not there is created. */
  readonly creates: boolean;
  /** A precondition; absent or empty: any uid. */
  readonly uid?: string | undefined;
  /**
   * The object as it is to be, made of what is there now: in the request's version, with managedFields recorded, after
   * mutating admission. Called again where the object changed while admission waited.
   */
  readonly updatedObject: (live: KubeObject | undefined) => Steps<KubeObject>;
  /** What validating admission sees; absent: the objects themselves. */
  readonly attributes?: (object: KubeObject, live: KubeObject) => WriteAttributes;
};

/** The strategy of the object, or of the subresource, that a request writes. */
export function strategyOf({ definition, subresource }: ResourceRequest): Strategy {
  if (subresource === '') return definition.strategy;
  if (subresource === 'status' && definition.status !== undefined) return definition.status;
  return definition.subresources?.[subresource] ?? definition.strategy;
}

/**
 * Reads, changes, checks and stores one object: every write but create and delete. Where the object changed while
 * admission waited, it begins again with what is there then: nothing comes between reading and storing.
 */
export function* writeObject(
  context: RestContext,
  request: ResourceRequest,
  write: ObjectWrite,
): Steps<Written> {
  const { definition, namespace, name } = request;
  const key = objectKey(definition.namespaced ? namespace : '', name);
  const collection = collectionOf(context.store, definition);
  for (;;) {
    const stored = collection.get(key);
    const next =
      stored === undefined
        ? yield* create(context, request, write)
        : yield* update(context, request, write, stored);
    const storable =
      next === stored?.object && !isUnsettled(stored)
        ? unchanged(next)
        : yield* inStore(context, definition, next);
    if (collection.get(key) !== stored) continue;
    return stored === undefined
      ? storeNew(context, request, storable, write.dryRun)
      : commit(context, request, write, stored, storable);
  }
}

function* create(context: RestContext, request: ResourceRequest, write: ObjectWrite): Steps<KubeObject> {
  if (!write.creates) throw notFound(request.definition, request.name);
  const wanted = yield* write.updatedObject(undefined);
  const mayCreate = (): void => checkMayCreate(context, request);
  if (write.dryRun) return yield* completeNew(context, request, wanted, true, mayCreate);
  const { resourceVersion: _, ...metadata } = wanted.metadata;
  return yield* completeNew(context, request, withMeta(wanted, metadata), false, mayCreate);
}

/** Who may update or patch may not yet create (`withAuthorization`): after the object is valid, before the last admission. */
function checkMayCreate({ authorize }: RestContext, request: ResourceRequest): void {
  const { definition, user, namespace, name, subresource } = request;
  const { group, resource } = definition;
  const access = { verb: 'create', path: '', resource: { group, resource, subresource, namespace, name } };
  const { allowed, reason } = authorize({ user, info: access });
  if (!allowed) throw accessForbidden(user, access, reason);
}

function* update(
  context: RestContext,
  request: ResourceRequest,
  write: ObjectWrite,
  stored: StoredObject,
): Steps<KubeObject> {
  const { definition } = request;
  const live = yield* converting(context, () => inVersion(stored.object, definition));
  checkUid(request, live, write);
  const wanted = atRevision(request, yield* write.updatedObject(live), live);
  context.authorizeWrite(request, wanted, live);
  const next = prepare(context, request, write, wanted, live);
  const attributes = write.attributes?.(next, live) ?? updateAttributes(request, next, live, write.dryRun);
  yield* admitValidating(context, attributes);
  return unlessUnchanged(next, live) === live ? stored.object : next;
}

function checkUid(
  { definition, name, namespace }: ResourceRequest,
  live: KubeObject,
  { uid, dryRun }: ObjectWrite,
): void {
  if (uid === undefined || uid === '' || uid === live.metadata.uid) return;
  const place = definition.builtIn ? definition.resource : `${definition.group}/${definition.resource}`;
  const key = `${dryRun ? '' : '/registry'}/${place}/${objectKey(definition.namespaced ? namespace : '', name)}`;
  throw conflict(
    definition,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ` +
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`,
  );
}

/** The object at the live one's resourceVersion; throws a conflict where it was made from another. */
function atRevision({ definition, name }: ResourceRequest, object: KubeObject, live: Stored): KubeObject {
  const wanted = object.metadata.resourceVersion ?? '';
  const { resourceVersion } = live.metadata;
  if (wanted === resourceVersion) return object;
  if (!/^\d*$/.test(wanted)) {
    throw failure(500, '', `strconv.ParseUint: parsing ${JSON.stringify(wanted)}: invalid syntax`);
  }
  if (wanted !== '' && wanted !== '0') throw conflict(definition, name, MODIFIED);
  if (definition.unconditionalUpdate ?? definition.builtIn) {
    return withMeta(object, { ...object.metadata, resourceVersion });
  }
  throw invalid({ group: definition.group, kind: definition.resource }, name, [
    {
      type: 'Invalid',
      field: 'metadata.resourceVersion',
      value: 0,
      detail: 'must be specified for an update',
    },
  ]);
}

function prepare(
  context: RestContext,
  request: ResourceRequest,
  { strategy, dryRun }: ObjectWrite,
  wanted: KubeObject,
  live: KubeObject,
): KubeObject {
  const { definition, warnings, name } = request;
  const strategist = strategyContext(context, request, dryRun);
  const sent = withGeneration(wanted, live.metadata.generation);
  const own = strategy.prepareForUpdate?.(sent, live, strategist) ?? sent;
  const prepared = keepSystemFields(counted(request, own, live), live);
  const errors = [
    ...validateObjectMeta(prepared, {
      namespaced: definition.namespaced,
      name: pathSegmentErrors,
      anyFinalizer: true,
    }),
    ...validateObjectMetaUpdate(prepared, live, { anyFinalizer: true }),
    ...(strategy.validateUpdate?.(prepared, live, strategist) ?? []),
  ];
  if (errors.length > 0) throw invalid(definition, name, errors);
  warnings.push(...(strategy.warnings?.(prepared, live) ?? []));
  return prepared;
}

/** Counts a change of what the generation counts, unless the strategy has counted already. */
function counted(
  { definition, subresource }: ResourceRequest,
  object: KubeObject,
  live: KubeObject,
): KubeObject {
  const { generation = 0 } = live.metadata;
  const raised = (object.metadata.generation ?? 0) > generation;
  if (!definition.hasGeneration || subresource === 'status' || raised) return object;
  return contentDiffers(definition, object, live) ? withGeneration(object, generation + 1) : object;
}

/** A stored object, which needs no write. */
function unchanged(object: KubeObject): Storable {
  return { written: object, read: object, object, unsettled: false };
}

function commit(
  { store }: RestContext,
  { definition }: ResourceRequest,
  { dryRun }: ObjectWrite,
  stored: StoredObject,
  { written: next, read, object, unsettled }: Storable,
): Written {
  const ends = endsNow(definition, next, stored.object);
  if (next === stored.object && !isUnsettled(stored) && !ends)
    return { object: next, stored, created: false };
  const collection = collectionOf(store, definition);
  if (ends) {
    if (!dryRun) collection.remove(stored.key);
    return { object: next, created: false };
  }
  if (dryRun) return { object: read, created: false };
  const now = collection.put(stored.key, object, unsettled);
  return { object: now.object, stored: now, created: false };
}

/** An object being deleted ends with its last finalizer (`ShouldDeleteDuringUpdate`). */
function endsNow(
  definition: { group: string; resource: string },
  next: KubeObject,
  old: KubeObject,
): boolean {
  if ((next.metadata.finalizers ?? []).length > 0 || old.metadata.deletionTimestamp === undefined)
    return false;
  if (isNamespace(definition) && namespaceFinalizers(next) > 0) return false;
  return (old.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}
