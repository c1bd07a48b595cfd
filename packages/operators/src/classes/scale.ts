import { type Client, ignoreNotFound } from '@kubewright/client';
import type { ActOutcome, Io } from '@kubewright/runtime';
import { ANNOTATIONS, ENFORCER, FIELD_MANAGER } from './api.ts';
import { hasOwnMinimum, isRaised, ownMinimum } from './decide/autoscaler-of.ts';
import { otherManagers } from './decide/replicas-owner.ts';
import type { LiveAutoscaler, LiveDeployment, LiveWorkload, ScaleAction } from './decide/observed-class.ts';
import { enforcementOutcome } from './enforcement-outcome.ts';
import { managersOf } from './managers-of.ts';
import { MIN_SCALE } from './knative-api.ts';
import { AUTOSCALERS, DEPLOYMENTS, KNATIVE } from './observe.ts';

/**
 * Sets the replicas of a Deployment, or, where an autoscaler scales it, the autoscaler's minimum; of a Service of Knative
 * the minimum of its next Revision.
 */
export async function scale(action: ScaleAction, { client }: Io): Promise<ActOutcome> {
  const { object, autoscaler, replicas } = action;
  try {
    if (autoscaler === undefined) await setReplicas(object, replicas, client);
    else if ((await ignoreNotFound(raise(autoscaler, replicas, client))) === undefined)
      return await fallBack(object, replicas, client);
    return 'done';
  } catch (error) {
    return enforcementOutcome(error);
  }
}

/**
 * Before a template asks for fewer replicas than there are, the enforcer takes them as they are: what is enforced becomes less by the
 * load, in steps. Who else has them keeps them.
 */
export async function holdReplicas(
  live: LiveDeployment,
  wanted: number,
  { client }: Pick<Io, 'client'>,
): Promise<void> {
  const { replicas = 1 } = live.spec ?? {};
  const owners = managersOf(live, 'replicas');
  const isTemplates = owners.length > 0 && owners.every((manager) => manager === FIELD_MANAGER);
  if (isTemplates && replicas > wanted) await setReplicas(live, replicas, client);
}

/** Gives an autoscaler the minimum again that it had. */
export async function release(autoscaler: LiveAutoscaler, { client }: Io): Promise<void> {
  const wanted = { ...identityOf(autoscaler), spec: { minReplicas: ownMinimum(autoscaler) } };
  await ignoreNotFound(client.apply(AUTOSCALERS, wanted, { fieldManager: ENFORCER, force: true }));
}

/** The autoscaler is gone since it was observed. */
async function fallBack(object: LiveWorkload, replicas: number, client: Client): Promise<ActOutcome> {
  try {
    await setReplicas(object, replicas, client);
    return 'done';
  } catch (error) {
    const outcome = enforcementOutcome(error);
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
 * template's manager, and from autoscalers that are gone, never from another one.
 */
async function setReplicas(object: LiveWorkload, replicas: number, client: Client): Promise<void> {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, uid, resourceVersion } = metadata;
  const identity = { name, namespace, uid, resourceVersion };
  const path = kind === 'Deployment' ? ['replicas'] : ['template', 'metadata', 'annotations', MIN_SCALE];
  const force = otherManagers(object, ...path).length === 0;
  const options = { fieldManager: ENFORCER, force };
  if (kind === 'Deployment') {
    const wanted = { apiVersion, kind, metadata: identity, spec: { replicas } };
    await client.apply(DEPLOYMENTS, wanted, options);
    return;
  }
  const template = { metadata: { annotations: { [MIN_SCALE]: String(replicas) } } };
  await client.apply(KNATIVE, { apiVersion, kind, metadata: identity, spec: { template } }, options);
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
