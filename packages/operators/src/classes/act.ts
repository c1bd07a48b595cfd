import { ApiError, ignoreNotFound, keyOf, type Ref } from '@kubewright/client';
import { type ActOutcome, applyOwned, type Io, removeFinalizer, RuntimeError } from '@kubewright/runtime';
import { defined, type KubeObject } from '@kubewright/kube';
import {
  CLASS_RUNTIMES,
  type ClassRuntime,
  type Dimension,
  ENFORCER,
  FIELD_MANAGER,
  FINALIZER,
  RESOURCE_ENFORCERS,
} from './api.ts';
import { resourceIn } from './size-of.ts';
import type { ClassAction, Live } from './decide/observed-class.ts';
import { isEnforced } from './enforcement-mode.ts';
import { type FieldConflict, fieldConflicts } from './field-conflicts.ts';
import { KNATIVE_API, MIN_SCALE } from './knative-api.ts';
import { DEPLOYMENTS, KNATIVE, SERVICES, STATEFUL_SETS } from './observe.ts';
import { resize, unsize } from './resize.ts';
import { holdReplicas, release, scale } from './scale.ts';
import type { Desired } from './templates/rendering.ts';
import { odgmNames } from './templates/safe-name.ts';
import { withoutDimensions } from './without-dimensions.ts';

/** The fields that say how many pods there are. */
const SCALES: readonly string[] = ['.spec.replicas', `.spec.template.metadata.annotations.${MIN_SCALE}`];

function refOf({ apiVersion, kind }: Desired | Live): Ref {
  if (apiVersion === KNATIVE_API) return KNATIVE;
  if (kind === 'StatefulSet') return STATEFUL_SETS;
  return apiVersion === 'v1' ? SERVICES : DEPLOYMENTS;
}

/** Carries one action out. */
export async function act(action: ClassAction, io: Io): Promise<ActOutcome> {
  switch (action.type) {
    case 'ensureFinalizer':
      await ensureFinalizer(action.runtime, io);
      return 'done';
    case 'removeFinalizer':
      await removeFinalizer(io, CLASS_RUNTIMES, action.runtime, FINALIZER, { fieldManager: FIELD_MANAGER });
      return 'done';
    case 'delete':
      await remove(action.object, io);
      return 'done';
    case 'apply':
      return applyChild(action.runtime, action.object, io);
    case 'scale':
      return scale(action, io);
    case 'resize':
      return resize(action, io);
    case 'unsize':
      await unsize(action.object, action.resource, io);
      return 'done';
    case 'release':
      await release(action.autoscaler, io);
      return 'done';
  }
}

/** By server-side apply, guarded by the uid: the status was just written, so the resourceVersion is stale. */
async function ensureFinalizer({ apiVersion, kind, metadata }: ClassRuntime, { client }: Io): Promise<void> {
  const { name, namespace, uid } = metadata;
  const wanted = { apiVersion, kind, metadata: { name, namespace, uid, finalizers: [FINALIZER] } };
  await client.apply(CLASS_RUNTIMES, wanted, { fieldManager: FIELD_MANAGER, force: true });
}

/** Foreground deletion: the object stays until its pods are gone. */
async function remove(object: Live, { client }: Io): Promise<void> {
  const { uid } = object.metadata;
  const options = { preconditions: { uid }, propagationPolicy: 'Foreground' } as const;
  const key = keyOf(object);
  await ignoreNotFound(client.delete(refOf(object), key, options));
}

/** Without force: other field managers keep their fields, and the status names them. */
async function applyChild(owner: ClassRuntime, object: Desired, io: Io): Promise<ActOutcome> {
  try {
    await hold(owner, object, io);
    await apply(owner, object, io);
    return 'done';
  } catch (error) {
    const conflicts = fieldConflicts(error);
    if (conflicts === undefined) return refusalOf(error);
    const theirs = conflicts.filter((conflict) => !isGivenUp(owner, conflict));
    if (!theirs.every((conflict) => isLeft(conflict))) return conflictOf(error, object);
    const left = withoutDimensions(object, new Set(theirs.map(({ field }) => dimensionIn(field))));
    // What is no longer enforced belongs to the template again.
    if (theirs.length < conflicts.length) await apply(owner, atVersion(left, io), io, true);
    else await apply(owner, left, io);
  }
  return 'done';
}

/** The replicas of a function that are enforced; those of the data grid are what its class says. */
async function hold(owner: ClassRuntime, object: Desired, io: Io): Promise<void> {
  const { name = '', namespace } = object.metadata;
  if (!isEnforced(owner, 'replicas') || object.apiVersion !== 'apps/v1' || object.kind !== 'Deployment')
    return;
  const live = io.cache.get(DEPLOYMENTS, { name, namespace });
  if (live === undefined || name === odgmNames(owner.metadata.name).deployment) return;
  await holdReplicas(live, object.spec?.replicas ?? 1, io);
}

/** Who scales a Deployment keeps its replicas, whoever it is; what it asks for is left to our enforcers only. */
function isLeft({ manager, field }: FieldConflict): boolean {
  const dimension = dimensionIn(field);
  return dimension === 'replicas' || (dimension !== undefined && manager === enforcerOf(dimension));
}

function isGivenUp(owner: ClassRuntime, { manager, field }: FieldConflict): boolean {
  const dimension = dimensionIn(field);
  return dimension !== undefined && manager === enforcerOf(dimension) && !isEnforced(owner, dimension);
}

function enforcerOf(dimension: Dimension): string {
  return dimension === 'replicas' ? ENFORCER : RESOURCE_ENFORCERS[dimension];
}

function dimensionIn(field: string): Dimension | undefined {
  return SCALES.includes(field) ? 'replicas' : resourceIn(field);
}

async function apply(owner: ClassRuntime, object: Desired, io: Io, force = false): Promise<void> {
  const options = { fieldManager: FIELD_MANAGER, force };
  if (object.kind === 'StatefulSet') await applyOwned(io, STATEFUL_SETS, owner, object, options);
  else if (object.apiVersion === 'apps/v1') await applyOwned(io, DEPLOYMENTS, owner, object, options);
  else if (object.apiVersion === 'v1') await applyOwned(io, SERVICES, owner, object, options);
  else await applyOwned(io, KNATIVE, owner, object, options);
}

/** Guarded by the resourceVersion, because it takes over a field: any change since the observation is a conflict. */
function atVersion(object: Desired, { cache }: Io): Desired {
  const { name = '', namespace } = object.metadata;
  const live = cache.get<KubeObject>(refOf(object), { name, namespace });
  return {
    ...object,
    metadata: { ...object.metadata, ...defined({ resourceVersion: live?.metadata.resourceVersion }) },
  };
}

function conflictOf(error: unknown, { kind, metadata }: Desired): ActOutcome {
  const detail = error instanceof ApiError ? error.message : '';
  const message = `Field manager ownership conflict applying ${kind}/${metadata.name}. ${detail}`;
  return { reason: 'Conflict', code: 409, message };
}

function refusalOf(error: unknown): ActOutcome {
  if (error instanceof RuntimeError && error.code === 'AlreadyOwned')
    return { reason: 'NotOwned', message: error.message };
  // The server responded that it cannot process the apply now, perhaps because of somebody's webhook.
  if (error instanceof ApiError && error.retryable && error.code > 0)
    return { reason: 'ApplyFailed', code: error.code, message: error.message };
  throw error;
}
