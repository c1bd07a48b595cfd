import { ApiError } from '@kubewright/client';
import { getOwn, isJsonObject } from '@kubewright/kube';
import type { ActOutcome, Io } from '@kubewright/runtime';
import { ENFORCER, FIELD_MANAGER } from './api.ts';
import type { LiveDeployment, ScaleAction } from './decide/observed-class.ts';
import { fieldConflicts } from './field-conflicts.ts';
import { DEPLOYMENTS } from './observe.ts';

const OURS: readonly (string | undefined)[] = [ENFORCER, FIELD_MANAGER];

/**
 * Sets the replicas of a Deployment under a field manager of its own, so that later applies of the template leave them
 * alone. Takes them from the template's manager only, never from another one.
 */
export async function scale({ object, replicas }: ScaleAction, { client }: Io): Promise<ActOutcome> {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const wanted = {
    apiVersion: 'apps/v1' as const,
    kind: 'Deployment' as const,
    metadata: { name, namespace, uid, resourceVersion },
    spec: { replicas },
  };
  const force = replicaManagers(object).every((manager) => OURS.includes(manager));
  try {
    await client.apply(DEPLOYMENTS, wanted, { fieldManager: ENFORCER, force });
    return 'done';
  } catch (error) {
    return outcomeOf(error);
  }
}

function replicaManagers({
  metadata: { managedFields = [] },
}: LiveDeployment): readonly (string | undefined)[] {
  return managedFields
    .filter(({ fieldsV1 }) => {
      const spec = isJsonObject(fieldsV1) ? getOwn(fieldsV1, 'f:spec') : undefined;
      return isJsonObject(spec) && getOwn(spec, 'f:replicas') !== undefined;
    })
    .map(({ manager }) => manager);
}

/** A version conflict, or a Deployment that is gone, leads to another reconcile; transient errors are retried. */
function outcomeOf(error: unknown): ActOutcome {
  if (!(error instanceof ApiError) || error.code === 0 || error.retryable) throw error;
  const { code, message } = error;
  if (fieldConflicts(error) !== undefined) {
    const text = 'Field manager ownership conflict applying enforcement.';
    return { reason: 'EnforceConflict', code, message: `${text} ${message}` };
  }
  if (code === 409 || code === 404) return 'conflict';
  if (code === 400 || code === 422)
    return { reason: 'EnforceInvalid', code, message: `Invalid enforcement value ${message}.` };
  return { reason: 'EnforceFailed', code, message };
}
