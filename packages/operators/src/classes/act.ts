import { ApiError, ignoreNotFound, keyOf } from '@kubewright/client';
import { type ActOutcome, applyOwned, type Io, removeFinalizer, RuntimeError } from '@kubewright/runtime';
import { defined } from '@kubewright/kube';
import { CLASS_RUNTIMES, type ClassRuntime, ENFORCER, FIELD_MANAGER, FINALIZER } from './api.ts';
import type { ClassAction, Live } from './decide/observed-class.ts';
import { isEnforced } from './enforcement-mode.ts';
import { fieldConflicts } from './field-conflicts.ts';
import { DEPLOYMENTS, SERVICES } from './observe.ts';
import { release, scale } from './scale.ts';
import type { Desired } from './templates/rendering.ts';

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
  if (object.kind === 'Deployment') await ignoreNotFound(client.delete(DEPLOYMENTS, key, options));
  else await ignoreNotFound(client.delete(SERVICES, key, options));
}

/** Without force: other field managers keep their fields, and the status names them. */
async function applyChild(owner: ClassRuntime, object: Desired, io: Io): Promise<ActOutcome> {
  try {
    await apply(owner, object, io);
    return 'done';
  } catch (error) {
    const conflicts = fieldConflicts(error);
    if (conflicts === undefined) return refusalOf(error);
    if (!conflicts.every(({ field }) => field === '.spec.replicas')) return conflictOf(error, object);
    if (!isEnforced(owner) && conflicts.every(({ manager }) => manager === ENFORCER)) {
      // Replicas are no longer enforced: the template owns them again.
      await apply(owner, atVersion(object, io), io, true);
      return 'done';
    }
  }
  // Another field manager scales the Deployment: its replicas stay.
  await apply(owner, withoutReplicas(object), io);
  return 'done';
}

async function apply(owner: ClassRuntime, object: Desired, io: Io, force = false): Promise<void> {
  const options = { fieldManager: FIELD_MANAGER, force };
  if (object.kind === 'Deployment') await applyOwned(io, DEPLOYMENTS, owner, object, options);
  else await applyOwned(io, SERVICES, owner, object, options);
}

/** Guarded by the resourceVersion, because it takes over a field: any change since the observation is a conflict. */
function atVersion(object: Desired, { cache }: Io): Desired {
  const { name = '', namespace } = object.metadata;
  const live = cache.get(DEPLOYMENTS, { name, namespace });
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

function withoutReplicas(object: Desired): Desired {
  if (object.kind !== 'Deployment') return object;
  const { replicas: _theirs, ...spec } = object.spec ?? {};
  return { ...object, spec };
}
