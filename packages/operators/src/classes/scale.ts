import { ApiError, type Client, ignoreNotFound } from '@kubewright/client';
import type { ActOutcome, Io } from '@kubewright/runtime';
import { ANNOTATIONS, ENFORCER, FIELD_MANAGER } from './api.ts';
import { hasOwnMinimum, isRaised, ownMinimum } from './decide/autoscaler-of.ts';
import type { LiveAutoscaler, LiveDeployment, ScaleAction } from './decide/observed-class.ts';
import { fieldConflicts } from './field-conflicts.ts';
import { managersOf } from './managers-of.ts';
import { AUTOSCALERS, DEPLOYMENTS } from './observe.ts';

const OURS: readonly (string | undefined)[] = [ENFORCER, FIELD_MANAGER];

/** Sets the replicas of a Deployment, or, where an autoscaler scales it, the autoscaler's minimum. */
export async function scale(action: ScaleAction, { client }: Io): Promise<ActOutcome> {
  const { object, autoscaler, replicas } = action;
  try {
    if (autoscaler === undefined) await setReplicas(object, replicas, client);
    else if ((await ignoreNotFound(raise(autoscaler, replicas, client))) === undefined)
      return await fallBack(object, replicas, client);
    return 'done';
  } catch (error) {
    return outcomeOf(error);
  }
}

/** Gives an autoscaler the minimum again that it had. */
export async function release(autoscaler: LiveAutoscaler, { client }: Io): Promise<void> {
  const wanted = { ...identityOf(autoscaler), spec: { minReplicas: ownMinimum(autoscaler) } };
  await ignoreNotFound(client.apply(AUTOSCALERS, wanted, { fieldManager: ENFORCER, force: true }));
}

/** The autoscaler is gone since it was observed. */
async function fallBack(object: LiveDeployment, replicas: number, client: Client): Promise<ActOutcome> {
  try {
    await setReplicas(object, replicas, client);
    return 'done';
  } catch (error) {
    const outcome = outcomeOf(error);
    if (typeof outcome === 'string') return outcome;
    return {
      ...outcome,
      reason: 'EnforceFallbackFailed',
      message: `Fallback path failed. ${outcome.message}`,
    };
  }
}

/**
 * Under a field manager of its own, so that later applies of the template leave replicas alone. Takes them from the
 * template's manager only, never from another one.
 */
async function setReplicas(object: LiveDeployment, replicas: number, client: Client): Promise<void> {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, uid, resourceVersion } = metadata;
  const wanted = {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion },
    spec: { replicas },
  };
  const force = managersOf(object, 'replicas').every((manager) => OURS.includes(manager));
  await client.apply(DEPLOYMENTS, wanted, { fieldManager: ENFORCER, force });
}

/** Takes the minimum from its owner once, and notes what it was; not again from whoever set it since. */
function raise(autoscaler: LiveAutoscaler, minReplicas: number, client: Client): Promise<unknown> {
  const identity = identityOf(autoscaler);
  const annotations = { [ANNOTATIONS.ownMinimum]: String(ownMinimum(autoscaler)) };
  const wanted = { ...identity, metadata: { ...identity.metadata, annotations }, spec: { minReplicas } };
  const force = !hasOwnMinimum(autoscaler) || isRaised(autoscaler);
  return client.apply(AUTOSCALERS, wanted, { fieldManager: ENFORCER, force });
}

function identityOf({ apiVersion, kind, metadata }: LiveAutoscaler) {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } };
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
