import { ApiError, ignoreNotFound, keyOf } from '@kubewright/client';
import { type ActOutcome, applyOwned, type Io, removeFinalizer, RuntimeError } from '@kubewright/runtime';
import { CLASS_RUNTIMES, type ClassRuntime, FIELD_MANAGER, FINALIZER } from './api.ts';
import type { ClassAction, Live } from './decide/observed-class.ts';
import { DEPLOYMENTS, SERVICES } from './observe.ts';
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
  }
}

/** By server-side apply, guarded by the uid: the status was just written, so the resourceVersion is old. */
async function ensureFinalizer({ apiVersion, kind, metadata }: ClassRuntime, { client }: Io): Promise<void> {
  const { name, namespace, uid } = metadata;
  const wanted = { apiVersion, kind, metadata: { name, namespace, uid, finalizers: [FINALIZER] } };
  await client.apply(CLASS_RUNTIMES, wanted, { fieldManager: FIELD_MANAGER, force: true });
}

/** In the foreground: it stays until its pods are gone. */
async function remove(object: Live, { client }: Io): Promise<void> {
  const { uid } = object.metadata;
  const options = { preconditions: { uid }, propagationPolicy: 'Foreground' } as const;
  const key = keyOf(object);
  if (object.kind === 'Deployment') await ignoreNotFound(client.delete(DEPLOYMENTS, key, options));
  else await ignoreNotFound(client.delete(SERVICES, key, options));
}

/** Without force: who owns a field keeps it, and the class says who. */
async function applyChild(owner: ClassRuntime, object: Desired, io: Io): Promise<ActOutcome> {
  try {
    await apply(owner, object, io);
    return 'done';
  } catch (error) {
    const fields = conflictingFields(error);
    if (fields === undefined) return refusalOf(error);
    if (!fields.every((field) => field === '.spec.replicas')) return conflictOf(error, object);
  }
  // Somebody scales it: how many there are is that one's to say.
  await apply(owner, withoutReplicas(object), io);
  return 'done';
}

async function apply(owner: ClassRuntime, object: Desired, io: Io): Promise<void> {
  const options = { fieldManager: FIELD_MANAGER, force: false };
  if (object.kind === 'Deployment') await applyOwned(io, DEPLOYMENTS, owner, object, options);
  else await applyOwned(io, SERVICES, owner, object, options);
}

/** What other managers own of what was to be applied; `undefined`: that is not what is wrong. */
function conflictingFields(error: unknown): readonly string[] | undefined {
  if (!(error instanceof ApiError) || error.code !== 409) return undefined;
  const causes = error.status.details?.causes ?? [];
  const fields = causes.filter(({ reason }) => reason === 'FieldManagerConflict');
  return fields.length === 0 ? undefined : fields.map(({ field = '' }) => field);
}

function conflictOf(error: unknown, { kind, metadata }: Desired): ActOutcome {
  const detail = error instanceof ApiError ? error.message : '';
  const message = `Field manager ownership conflict applying ${kind}/${metadata.name}. ${detail}`;
  return { reason: 'Conflict', code: 409, message };
}

function refusalOf(error: unknown): ActOutcome {
  if (error instanceof RuntimeError && error.code === 'AlreadyOwned')
    return { reason: 'NotOwned', message: error.message };
  throw error;
}

function withoutReplicas(object: Desired): Desired {
  if (object.kind !== 'Deployment') return object;
  const { replicas: _theirs, ...spec } = object.spec ?? {};
  return { ...object, spec };
}
