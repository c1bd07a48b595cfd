import type { KubeObject, Stored } from '@kubewright/kube';
import type { WriteAttributes } from './admission.ts';
import { createAttributes, updateAttributes } from './admission-attributes.ts';
import { refused } from '../auth/refused.ts';
import type { Strategy } from '../model/resource-definition.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../validation/validate-object-meta.ts';
import { isUnsettled, objectKey, type StoredObject } from '../storage/stored-object.ts';
import { inVersion, inStorageVersion } from '../model/in-version.ts';
import { admitMutating, admitValidating } from './admit.ts';
import { asRead } from '../model/as-read.ts';
import { conflict, failure, invalid, MODIFIED, notFound } from '../api-server-error.ts';
import { type RestContext, strategyContext } from './rest-context.ts';
import type { ResourceRequest } from './resource-request.ts';
import { completeNew, storeNew, type Written } from './create.ts';
import { decodeBody } from './decode.ts';
import { recordUpdate, unlessUnchanged } from './managed-fields.ts';
import { isNamespace, namespaceFinalizers } from './namespace-lifecycle.ts';
import {
  checkName,
  contentDiffers,
  inRequestNamespace,
  keepSystemFields,
  withDistinctOwners,
  withGeneration,
  withMeta,
} from './object-metadata.ts';
import { pathSegmentErrors } from './path-segment.ts';
import { writeOptions } from './request-options.ts';
import type { Steps } from '../request/steps.ts';

/** One change of one object, whichever verb asks for it. */
export type Change = {
  readonly dryRun: boolean;
  /** Of the object itself or of the subresource that is written. */
  readonly strategy: Strategy;
  /** The object may come into being by this change. */
  readonly creates: boolean;
  /** The uid that the caller believes to change; absent or empty: any. */
  readonly uid?: string | undefined;
  /**
   * The wanted state, from what is there now, in the request's version, with managedFields recorded and admitted.
   * It is asked again where the object changed while admission waited.
   */
  readonly apply: (live: KubeObject | undefined) => Steps<KubeObject>;
  /** What the last admission sees of the change; absent: the objects themselves. */
  readonly attributes?: (object: KubeObject, live: KubeObject) => WriteAttributes;
};

/** The strategy behind a request's door. */
export function strategyOf({ definition, subresource }: ResourceRequest): Strategy {
  if (subresource === '') return definition.strategy;
  if (subresource === 'status' && definition.status !== undefined) return definition.status;
  return definition.subresources?.[subresource] ?? definition.strategy;
}

/** PUT of an object or of a subresource that has its shape. */
export function* replaceObject(context: RestContext, request: ResourceRequest): Steps<Written> {
  const { definition, query, header, warnings, subresource } = request;
  const options = writeOptions('UpdateOptions', query, header('user-agent'));
  const decoded = decodeBody(definition, request.body, header('content-type'), options, request);
  const object = withDistinctOwners(inRequestNamespace(decoded, request), warnings);
  checkName(object, request.name);
  const strategy = strategyOf(request);
  return yield* changeObject(context, request, {
    dryRun: options.dryRun,
    strategy,
    creates: subresource === '' && definition.createOnUpdate === true,
    uid: object.metadata.uid,
    apply: (live) => {
      const recorded = recordUpdate(context.registry, definition, live, object, {
        manager: options.manager,
        subresource,
        strategy,
        now: context.now(),
      });
      return admitChange(context, request, recorded, live, options.dryRun);
    },
  });
}

/** What admission makes of an object that shall stand where `live` does, or where nothing is. */
export function admitChange(
  context: RestContext,
  request: ResourceRequest,
  object: KubeObject,
  live: KubeObject | undefined,
  dryRun: boolean,
): Steps<KubeObject> {
  const attributes =
    live === undefined
      ? createAttributes(request, object, dryRun)
      : updateAttributes(request, object, live, dryRun);
  return admitMutating(context, attributes);
}

/**
 * Reads, changes, checks and stores one object. Where admission waits and the object changed meanwhile, all of it is
 * done again from what is there then: nothing comes between reading and storing.
 */
export function* changeObject(
  context: RestContext,
  request: ResourceRequest,
  change: Change,
): Steps<Written> {
  const { definition, namespace, name } = request;
  const key = objectKey(definition.namespaced ? namespace : '', name);
  const collection = context.store.collection(definition.group, definition.resource);
  for (;;) {
    const stored = collection.get(key);
    const next =
      stored === undefined
        ? yield* createdBy(context, request, change)
        : yield* changedBy(context, request, change, stored);
    if (collection.get(key) !== stored) continue;
    return stored === undefined
      ? storeNew(context, request, next, change.dryRun)
      : commit(context, request, change, stored, next);
  }
}

function* createdBy(context: RestContext, request: ResourceRequest, change: Change): Steps<KubeObject> {
  if (!change.creates) throw notFound(request.definition, request.name);
  const wanted = yield* change.apply(undefined);
  const mayCreate = (): void => checkMayCreate(context, request);
  if (change.dryRun) return yield* completeNew(context, request, wanted, true, mayCreate);
  const { resourceVersion: _, ...metadata } = wanted.metadata;
  return yield* completeNew(context, request, withMeta(wanted, metadata), false, mayCreate);
}

/** Who may update or patch may not yet create (`withAuthorization`): after the object is valid, before the last admission. */
function checkMayCreate({ authorize }: RestContext, request: ResourceRequest): void {
  const { definition, user, namespace, name, subresource } = request;
  const { group, resource } = definition;
  const access = { verb: 'create', path: '', resource: { group, resource, subresource, namespace, name } };
  const { allowed, reason } = authorize({ user, info: access });
  if (!allowed) throw refused(user, access, reason);
}

function* changedBy(
  context: RestContext,
  request: ResourceRequest,
  change: Change,
  stored: StoredObject,
): Steps<KubeObject> {
  const { definition } = request;
  const live = inVersion(stored.object, definition);
  checkUid(request, live, change);
  const wanted = atRevision(request, yield* change.apply(live), live);
  context.authorizeWrite(request, wanted, live);
  const next = prepare(context, request, change, wanted, live);
  const attributes = change.attributes?.(next, live) ?? updateAttributes(request, next, live, change.dryRun);
  yield* admitValidating(context, attributes);
  return unlessUnchanged(next, live) === live ? stored.object : next;
}

function checkUid(
  { definition, name, namespace }: ResourceRequest,
  live: KubeObject,
  { uid, dryRun }: Change,
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

/** The object at the live one's resourceVersion; refuses one that was made from another. */
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
  { strategy, dryRun }: Change,
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

function commit(
  { store }: RestContext,
  { definition }: ResourceRequest,
  { dryRun }: Change,
  stored: StoredObject,
  next: KubeObject,
): Written {
  const ends = endsNow(definition, next, stored.object);
  if (next === stored.object && !isUnsettled(stored) && !ends)
    return { object: next, stored, created: false };
  const collection = store.collection(definition.group, definition.resource);
  if (ends) {
    if (!dryRun) collection.remove(stored.key);
    return { object: next, created: false };
  }
  const read = asRead(definition, next);
  if (dryRun) return { object: read, created: false };
  const written = collection.put(stored.key, inStorageVersion(definition, read), read !== next);
  return { object: written.object, stored: written, created: false };
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
