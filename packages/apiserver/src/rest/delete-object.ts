import { formatTime, type KubeObject } from '@kubewright/kube';
import { deleteAttributes } from './admission-attributes.ts';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import { collectionOf } from '../storage/collection-of.ts';
import { isUnsettled, objectKey, type StoredObject } from '../storage/stored-object.ts';
import { inVersion } from '../model/in-version.ts';
import { converting } from './converting.ts';
import { admitDelete } from './admit-mutating.ts';
import { conflict, notFound } from '../api-server-error.ts';
import { type RestContext } from './rest-context.ts';
import type { ResourceRequest } from './resource-request.ts';
import type { DeleteOptions } from './delete-options.ts';
import { checkMayDelete, isNamespace, namespaceFinalizers, terminating } from './namespace-lifecycle.ts';
import { withMeta } from './object-metadata.ts';
import type { Steps } from '../request/steps.ts';

/** What a deletion came to. `object` is the last state, or the state in which it waits for its end. */
export type Deleted = { readonly object: KubeObject; readonly stored?: StoredObject; readonly gone: boolean };

/** What of a resource decides how its objects are deleted. */
export type DeletionRules = Pick<
  ResourceDefinition,
  'group' | 'resource' | 'gracePeriod' | 'firstDelete' | 'defaultPropagation'
>;

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** DELETE of one object, alone or with its collection. Begins again where the object changed while admission waited. */
export function* deleteObject(
  context: RestContext,
  request: ResourceRequest,
  options: DeleteOptions,
): Steps<Deleted> {
  checkMayDelete(request);
  const { definition, namespace, name } = request;
  const key = objectKey(definition.namespaced ? namespace : '', name);
  const collection = collectionOf(context.store, definition);
  for (;;) {
    const stored = collection.get(key);
    if (stored === undefined) throw notFound(definition, name);
    checkPreconditions(request, stored, options);
    if (!isUnderWay(definition, stored.object, options))
      yield* admit(context, request, stored.object, options);
    if (collection.get(key) !== stored) continue;
    const next = afterDelete(definition, stored.object, options, context.now());
    return next === undefined
      ? remove(context, request, stored, options)
      : yield* keep(context, request, stored, next, options);
  }
}

/** The object is being deleted already: this request changes nothing, and admission does not see it. */
function isUnderWay(rules: DeletionRules, object: KubeObject, options: DeleteOptions): boolean {
  if (object.metadata.deletionTimestamp === undefined) return false;
  if (isNamespace(rules)) return namespaceFinalizers(object) > 0;
  return rules.gracePeriod !== undefined && outlasts(object, options);
}

/** An object that is being deleted gracefully, and no later than requested. */
function outlasts(object: KubeObject, { gracePeriodSeconds: requested }: DeleteOptions): boolean {
  const left = graceOf(object);
  return left > 0 && (requested === undefined || requested >= left);
}

function* admit(
  context: RestContext,
  request: ResourceRequest,
  object: KubeObject,
  options: DeleteOptions,
): Steps<void> {
  const live = yield* converting(context, () => inVersion(object, request.definition));
  const { dryRun } = options;
  const attributes = {
    dryRun,
    name: request.inCollection === true ? '' : request.name,
    options: options.asObject,
  };
  yield* admitDelete(context, deleteAttributes(request, live, attributes));
}

function remove(
  { store }: RestContext,
  { definition }: ResourceRequest,
  stored: StoredObject,
  { dryRun }: DeleteOptions,
): Deleted {
  if (dryRun) return { object: stored.object, stored, gone: true };
  const last = collectionOf(store, definition).remove(stored.key) ?? stored;
  return { object: last.object, stored: last, gone: true };
}

function* keep(
  context: RestContext,
  request: ResourceRequest,
  stored: StoredObject,
  next: KubeObject,
  options: DeleteOptions,
): Steps<Deleted> {
  const { definition } = request;
  if (next === stored.object && !isUnsettled(stored)) return { object: next, stored, gone: false };
  if (options.dryRun) return { object: next, gone: false };
  const collection = collectionOf(context.store, definition);
  const written = collection.put(stored.key, next);
  if (!endsAtOnce(definition, next)) return { object: written.object, stored: written, gone: false };
  // A grace period of 0: watchers see a MODIFIED with the deletion timestamp, and then the DELETED.
  yield* admit(context, request, written.object, options);
  const last = collection.remove(stored.key) ?? written;
  return { object: last.object, stored: last, gone: true };
}

/** Deletes one object without admission, which has seen the eviction that the deletion is part of. */
export function deleteWithoutAdmission(
  { store, now }: Pick<RestContext, 'store' | 'now'>,
  request: Pick<ResourceRequest, 'definition' | 'name'>,
  stored: StoredObject,
  options: DeleteOptions,
): void {
  const { definition } = request;
  checkPreconditions(request, stored, options);
  const next = afterDelete(definition, stored.object, options, now());
  if (options.dryRun || (next === stored.object && !isUnsettled(stored))) return;
  const collection = collectionOf(store, definition);
  if (next !== undefined) collection.put(stored.key, next);
  if (next === undefined || endsAtOnce(definition, next)) collection.remove(stored.key);
}

function endsAtOnce({ gracePeriod }: ResourceDefinition, { metadata }: KubeObject): boolean {
  const { finalizers = [], deletionGracePeriodSeconds } = metadata;
  return gracePeriod !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0;
}

export function checkPreconditions(
  { definition, name }: Pick<ResourceRequest, 'definition' | 'name'>,
  { object, revision }: StoredObject,
  { uid, resourceVersion }: DeleteOptions,
): void {
  const kind = { group: definition.group, resource: definition.kind };
  const reject = (what: string, wanted: string, is: string, how: string): never => {
    if (isNamespace(definition)) {
      const why = `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${is}`;
      throw conflict(definition, name, why);
    }
    const why = `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${is})`;
    throw conflict(kind, name, `${why}. The object might have been ${how}`);
  };
  if (uid !== undefined && uid !== object.metadata.uid) {
    reject('UID', uid, object.metadata.uid, 'deleted and then recreated');
  }
  if (resourceVersion !== undefined && resourceVersion !== String(revision)) {
    reject('ResourceVersion', resourceVersion, String(revision), 'modified');
  }
}

/**
 * The object as the deletion leaves it: itself when nothing changes, undefined when it is to be removed at once.
 * Written after `Store.Delete` of `k8s.io/apiserver/pkg/registry/generic/registry`.
 */
export function afterDelete(
  definition: DeletionRules,
  object: KubeObject,
  options: DeleteOptions,
  now: Date,
): KubeObject | undefined {
  if (isNamespace(definition)) return afterNamespaceDelete(definition, object, options, now);
  const { firstDelete } = definition;
  if (firstDelete !== undefined && object.metadata.deletionTimestamp === undefined)
    return firstDelete(object, now);
  return afterGenericDelete(definition, object, options, now);
}

function afterGenericDelete(
  definition: DeletionRules,
  object: KubeObject,
  options: DeleteOptions,
  now: Date,
): KubeObject | undefined {
  const graceful = gracefully(definition, object, options, now);
  if (graceful === 'pending') return object;
  const finalizers = finalizersFor(definition, graceful ?? object, options);
  const marked = withFinalizers(graceful ?? object, finalizers);
  if (graceful !== undefined) return marked;
  if (finalizers.length === 0) return undefined;
  return markDeleting(marked, now);
}

function graceOf(object: KubeObject): number {
  return object.metadata.deletionGracePeriodSeconds ?? 0;
}

/** `pending`: it is being deleted already, and this changes nothing. Undefined: no grace period. */
function gracefully(
  { gracePeriod }: DeletionRules,
  object: KubeObject,
  { gracePeriodSeconds: requested }: DeleteOptions,
  now: Date,
): KubeObject | 'pending' | undefined {
  if (gracePeriod === undefined) return undefined;
  const { deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined) {
    const left = graceOf(object);
    if (left === 0) return undefined;
    if (requested === undefined || requested >= left) return 'pending';
    return shortened(object, Date.parse(deletionTimestamp) + (requested - left) * 1000, requested, now);
  }
  const period = Math.max(gracePeriod(object, requested), 0);
  return dyingAt(raised(object), now.getTime() + period * 1000, period);
}

function shortened(object: KubeObject, at: number, requested: number, now: Date): KubeObject {
  if (at >= now.getTime()) return dyingAt(object, at, requested);
  return dyingAt(object, now.getTime(), requested === 0 ? 0 : 1);
}

function dyingAt(object: KubeObject, at: number, deletionGracePeriodSeconds: number): KubeObject {
  const deletionTimestamp = formatTime(new Date(at));
  return withMeta(object, { ...object.metadata, deletionTimestamp, deletionGracePeriodSeconds });
}

/** Being deleted is a change that the generation counts, where there is one. */
function raised(object: KubeObject): KubeObject {
  const { generation = 0 } = object.metadata;
  return generation > 0 ? withMeta(object, { ...object.metadata, generation: generation + 1 }) : object;
}

function markDeleting(object: KubeObject, now: Date): KubeObject {
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  if (deletionTimestamp === undefined) return dyingAt(raised(object), now.getTime(), 0);
  if (Date.parse(deletionTimestamp) > now.getTime()) return dyingAt(object, now.getTime(), 0);
  if (deletionGracePeriodSeconds === 0) return object;
  return withMeta(object, { ...object.metadata, deletionGracePeriodSeconds: 0 });
}

/** The object's finalizers with those that the options' propagation policy adds for the garbage collector. */
function finalizersFor(
  rules: DeletionRules,
  { metadata }: KubeObject,
  options: DeleteOptions,
): readonly string[] {
  const own = metadata.finalizers ?? [];
  const wanted = collectorFinalizer(rules, own, options);
  const others = own.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  const next = wanted === undefined ? others : [...others, wanted];
  return own.every((name) => next.includes(name)) && next.every((name) => own.includes(name)) ? own : next;
}

const FINALIZER_OF: ReadonlyMap<string, string | undefined> = new Map([
  ['Orphan', ORPHAN],
  ['Foreground', FOREGROUND],
  ['Background', undefined],
]);

/** The caller's options decide, then the object's finalizers, then its kind's default. */
function collectorFinalizer(
  rules: DeletionRules,
  own: readonly string[],
  { orphanDependents, propagationPolicy = '' }: DeleteOptions,
): string | undefined {
  if (rules.defaultPropagation === 'Unsupported') return undefined;
  if (orphanDependents === true) return ORPHAN;
  // Of a Namespace, to keep no dependents has always meant to wait for their end.
  if (orphanDependents === false) return isNamespace(rules) ? FOREGROUND : undefined;
  if (FINALIZER_OF.has(propagationPolicy)) return FINALIZER_OF.get(propagationPolicy);
  const kept = own.find((name) => name === ORPHAN || name === FOREGROUND);
  return kept ?? FINALIZER_OF.get(rules.defaultPropagation ?? '');
}

function withFinalizers(object: KubeObject, finalizers: readonly string[]): KubeObject {
  if (finalizers === object.metadata.finalizers) return object;
  const { finalizers: _, ...metadata } = object.metadata;
  if (finalizers.length === 0 && _ === undefined) return object;
  return withMeta(object, finalizers.length === 0 ? metadata : { ...metadata, finalizers });
}

/** A Namespace is emptied by its controller first: it turns Terminating, and stays until `spec.finalizers` is empty. */
function afterNamespaceDelete(
  rules: DeletionRules,
  object: KubeObject,
  options: DeleteOptions,
  now: Date,
): KubeObject | undefined {
  if (object.metadata.deletionTimestamp === undefined) {
    const marked = withFinalizers(object, finalizersFor(rules, object, options));
    const metadata = { ...marked.metadata, deletionTimestamp: formatTime(now) };
    return terminating(withMeta(marked, metadata));
  }
  return namespaceFinalizers(object) > 0 ? object : afterGenericDelete(rules, object, options, now);
}
