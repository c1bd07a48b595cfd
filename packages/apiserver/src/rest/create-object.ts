import type { KubeObject } from '@kubewright/kube';
import { createAttributes } from './admission-attributes.ts';
import { validateObjectMeta } from '../validation/validate-object-meta.ts';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import { collectionOf } from '../storage/collection-of.ts';
import { objectKey, type StoredObject } from '../storage/stored-object.ts';
import { admitMutating, admitValidating } from './admit-mutating.ts';
import { asRead } from '../model/as-read.ts';
import {
  alreadyExists,
  failure,
  generatedNameTaken,
  invalid,
  methodNotSupported,
  unknownResource,
} from '../api-server-error.ts';
import { type RestContext, strategyContext, timestamp } from './rest-context.ts';
import { inStorageVersion } from '../model/in-version.ts';
import { converting } from './converting.ts';
import type { ResourceRequest } from './resource-request.ts';
import { decodeBody } from './decode-body.ts';
import { uuid } from '../objects/uuid.ts';
import { generateName } from '../objects/generate-name.ts';
import { recordedUpdate } from './record-update.ts';
import {
  inRequestNamespace,
  withDistinctOwners,
  withGeneration,
  withMeta,
  withoutSystemFields,
} from './object-metadata.ts';
import { pathSegmentErrors } from './path-segment-errors.ts';
import { writeOptions } from './write-options.ts';
import type { Steps } from '../request/steps.ts';
import { nameOf, namespaceOf } from '../objects/name-of.ts';

/** What a write left behind: `stored` unless it was a dry run or the object is gone by it. */
export type Written = {
  readonly object: KubeObject;
  readonly stored?: StoredObject;
  readonly created: boolean;
};

/** Names that are tried for one `generateName`. */
const ATTEMPTS = 8;

/** POST on a collection. */
export function* createObject(context: RestContext, request: ResourceRequest): Steps<Written> {
  const { definition, query, header, warnings } = request;
  const { dryRun, ...options } = writeOptions('CreateOptions', query, header('user-agent'));
  const decoded = decodeBody(definition, request.body, header('content-type'), options, request);
  // The kinds of subresources name the object that they are about, by its uid too.
  const named = request.subresource === '' ? withoutSystemFields(decoded) : decoded;
  const scoped = inRequestNamespace(named, request);
  const object = withDistinctOwners(scoped, warnings);
  const recorded = yield* recordedUpdate(context, definition, undefined, object, {
    manager: options.manager,
    subresource: request.subresource,
    strategy: definition.strategy,
    now: context.now(),
  });
  if (definition.createOnly === true) return yield* handleCreate(context, request, recorded, dryRun);
  const admitted = yield* admitMutating(context, createAttributes(request, recorded, dryRun));
  return yield* insertObject(context, request, admitted, dryRun);
}

/** Nothing is stored, but admission sees it. Only subresources of an object need its namespace. */
function* handleCreate(
  context: RestContext,
  request: ResourceRequest,
  object: KubeObject,
  dryRun: boolean,
): Steps<Written> {
  const attributes = createAttributes(request, object, dryRun);
  const admitted =
    request.subresource === ''
      ? ((yield* context.admission.mutate(attributes)) ?? object)
      : yield* admitMutating(context, attributes);
  yield* admitValidating(context, createAttributes(request, admitted, dryRun));
  const handle = context.createHandlers[request.definition.kind];
  return { object: handle?.(request, admitted, { context, dryRun }) ?? admitted, created: true };
}

function* insertObject(
  context: RestContext,
  request: ResourceRequest,
  object: KubeObject,
  dryRun: boolean,
): Steps<Written> {
  const { definition } = request;
  const { generateName: prefix = '' } = object.metadata;
  const generated = nameOf(object) === '' && prefix !== '';
  for (let attempt = 1; ; attempt += 1) {
    const candidate = generated ? named(object, generateName(prefix, context.random)) : object;
    const complete = yield* completeNew(context, request, candidate, dryRun);
    const storable = yield* inStore(context, definition, complete);
    const existing = lookUp(context, request, nameOf(complete));
    if (existing === undefined) return storeNew(context, request, storable, dryRun);
    if (!generated) throw taken(definition, existing);
    if (attempt === ATTEMPTS) throw generatedNameTaken(definition, existing.name);
  }
}

function named(object: KubeObject, name: string): KubeObject {
  return withMeta(object, { ...object.metadata, name });
}

function lookUp({ store }: RestContext, request: ResourceRequest, name: string): StoredObject | undefined {
  const { definition, namespace } = request;
  const key = objectKey(definition.namespaced ? namespace : '', name);
  return collectionOf(store, definition).get(key);
}

/**
 * A new object as it is to be stored: prepared by its kind, valid and admitted; `authorize` throws where its user may
 * not create it.
 */
export function* completeNew(
  context: RestContext,
  request: ResourceRequest,
  object: KubeObject,
  dryRun: boolean,
  authorize?: () => void,
): Steps<KubeObject> {
  context.authorizeWrite(request, object, undefined);
  const complete = prepare(context, request, object, dryRun);
  authorize?.();
  yield* admitValidating(context, createAttributes(request, complete, dryRun));
  // The store rejects one, and a dry run does not get there.
  if (!dryRun && isRevision(complete.metadata.resourceVersion)) {
    throw failure(500, '', 'resourceVersion should not be set on objects to be created');
  }
  return complete;
}

/** True of what the store takes for the revision of an object that is there: nothing else, and no 0, keeps an object from being new. */
function isRevision(resourceVersion: string | undefined): boolean {
  return resourceVersion !== undefined && /^\d+$/.test(resourceVersion) && Number(resourceVersion) !== 0;
}

/** An object as it goes into the store. */
export type Storable = {
  /** As it was written. */
  readonly written: KubeObject;
  /** As it will be read, in any version. */
  readonly read: KubeObject;
  /** In the storage version. */
  readonly object: KubeObject;
  readonly unsettled: boolean;
};

export function* inStore(
  context: RestContext,
  definition: ResourceDefinition,
  object: KubeObject,
): Steps<Storable> {
  const read = asRead(definition, object);
  const kept = yield* converting(context, () => inStorageVersion(definition, read));
  // A webhook may lose something on the way: a dry run is to show it as well.
  const shown = definition.conversion === undefined ? read : kept;
  return { written: object, read: shown, object: kept, unsettled: read !== object };
}

/** Stores what {@link completeNew} made, which nothing may have taken the place of meanwhile. */
export function storeNew(
  { store, registry }: RestContext,
  { definition }: ResourceRequest,
  { read, object, unsettled }: Storable,
  dryRun: boolean,
): Written {
  checkStillTaken(registry, definition);
  if (dryRun) return { object: read, created: true };
  const collection = collectionOf(store, definition);
  const stored = collection.put(objectKey(namespaceOf(object), nameOf(object)), object, unsettled);
  return { object: stored.object, stored, created: true };
}

/** A definition that was deleted while webhooks were called has been emptied: an object of it would be there for ever. */
function checkStillTaken(registry: RestContext['registry'], definition: ResourceDefinition): void {
  if (definition.builtIn) return;
  const { group, version, resource } = definition;
  const now = registry.find(group, version, resource);
  if (now === undefined) throw unknownResource();
  if (!now.verbs.includes('create')) throw methodNotSupported(now, 'create');
}

function taken(definition: ResourceDefinition, existing: StoredObject): Error {
  const error = alreadyExists(definition, existing.name);
  if (existing.object.metadata.deletionTimestamp === undefined) return error;
  const { code, status } = error;
  return failure(code, status.reason ?? '', `object is being deleted: ${status.message}`, status.details);
}

function prepare(
  context: RestContext,
  request: ResourceRequest,
  object: KubeObject,
  dryRun: boolean,
): KubeObject {
  const { definition, warnings } = request;
  const { strategy } = definition;
  const strategist = strategyContext(context, request, dryRun);
  const identified = identify(context, definition, object);
  const prepared = strategy.prepareForCreate?.(identified, strategist) ?? identified;
  const name = nameOf(prepared);
  const errors = strategy.validateCreate?.(prepared, strategist) ?? [];
  if (errors.length > 0) throw invalid(definition, name, errors);
  const rules = { namespaced: definition.namespaced, name: pathSegmentErrors, anyFinalizer: true };
  const generic = validateObjectMeta(prepared, rules);
  if (generic.length > 0) throw invalid(definition, name, generic);
  warnings.push(...(strategy.warnings?.(prepared) ?? []));
  return prepared;
}

function identify(
  context: RestContext,
  { hasGeneration }: ResourceDefinition,
  object: KubeObject,
): KubeObject {
  const system = { creationTimestamp: timestamp(context), uid: uuid(context.random) };
  const identified = withMeta(object, { ...object.metadata, ...system });
  return hasGeneration ? withGeneration(identified, 1) : identified;
}
