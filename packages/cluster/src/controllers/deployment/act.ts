import { type Client, ignoreNotFound, isAlreadyExists, keyOf } from '@kubewright/client';
import { appsv1, controllerOf, errorText, jsonEqual, type Stored } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import type { FailureBackoff } from '../workloads/failure-backoff.ts';
import { isNamespaceTerminating } from '../workloads/pod-control.ts';
import { REVISION } from './constants.ts';
import type { DeploymentAction, DeploymentDecision } from './decide/deployment-decision.ts';
import { sameTemplate } from './decide/find-generations.ts';
import { creationFailure } from './decide/rollout-conditions.ts';
import { sizeOf } from './decide/replica-counts.ts';

type Deployment = Stored<appsv1.Deployment>;

export type Tools = {
  readonly client: Client;
  readonly emit: (deployment: Deployment, note: EventNote) => void;
  /** Of writes that did not hold, by the uid of what was written. */
  readonly renewals: FailureBackoff;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/** Carries out the actions of a decision in order. Rejects with the first failure, after the event for it. */
export async function act(
  tools: Tools,
  deployment: Deployment,
  actions: readonly DeploymentAction[],
): Promise<void> {
  const { client } = tools;
  for (const action of actions) {
    if (action.type === 'create') await create(tools, deployment, action.replicaSet);
    if (action.type === 'update') await write(tools, action.replicaSet);
    if (action.type === 'scale') await scale(tools, deployment, action);
    if (action.type === 'delete') await remove(client, action.replicaSet);
  }
}

/** What a webhook changes each time would be written for ever: each time that it does not hold, the next try is later. */
async function write({ client, renewals, now }: Tools, replicaSet: Stored<appsv1.ReplicaSet>): Promise<void> {
  const live = await client.update(appsv1.replicasets, replicaSet);
  const held =
    sizeOf(live) === sizeOf(replicaSet) &&
    jsonEqual(live.metadata.annotations ?? {}, replicaSet.metadata.annotations ?? {});
  if (!held) renewals.note(replicaSet.metadata.uid, now());
}

async function remove(client: Client, replicaSet: Stored<appsv1.ReplicaSet>): Promise<void> {
  const preconditions = { uid: replicaSet.metadata.uid };
  await ignoreNotFound(client.delete(appsv1.replicasets, keyOf(replicaSet), { preconditions }));
}

async function scale(
  tools: Tools,
  deployment: Deployment,
  { replicaSet, from }: Extract<DeploymentAction, { type: 'scale' }>,
): Promise<void> {
  await write(tools, replicaSet);
  const to = sizeOf(replicaSet);
  if (to !== from) tools.emit(deployment, scaled(replicaSet, from, to));
}

function scaled({ metadata }: appsv1.ReplicaSet, from: number, to: number): EventNote {
  const direction = from < to ? 'up' : 'down';
  const message = `Scaled ${direction} replica set ${metadata.name} from ${from} to ${to}`;
  return { type: 'Normal', reason: 'ScalingReplicaSet', message };
}

async function create(tools: Tools, deployment: Deployment, replicaSet: appsv1.ReplicaSet): Promise<void> {
  try {
    await tools.client.create(appsv1.replicasets, replicaSet);
  } catch (error) {
    if (isAlreadyExists(error)) return resolveCollision(tools, deployment, replicaSet, error);
    if (!isNamespaceTerminating(error)) await emitFailure(tools, deployment, replicaSet, error);
    throw error;
  }
  if (sizeOf(replicaSet) > 0) tools.emit(deployment, scaled(replicaSet, 0, sizeOf(replicaSet)));
}

/** The name is taken: by what was to be made (the response to its creation was lost), or by another template. */
async function resolveCollision(
  { client }: Tools,
  deployment: Deployment,
  replicaSet: appsv1.ReplicaSet,
  error: unknown,
): Promise<void> {
  const live = await client.get(appsv1.replicasets, keyOf(replicaSet));
  const ours = controllerOf(live)?.uid === deployment.metadata.uid;
  if (ours && sameTemplate(live.spec.template, deployment.spec.template)) return;
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
  await writeDeployment(client, deployment, { status: { ...deployment.status, collisionCount } });
  throw error;
}

async function emitFailure(
  { client, emit, now }: Tools,
  deployment: Deployment,
  { metadata }: appsv1.ReplicaSet,
  error: unknown,
): Promise<void> {
  const message = `Failed to create new replica set "${metadata.name}": ${errorText(error)}`;
  emit(deployment, { type: 'Warning', reason: 'ReplicaSetCreateError', message });
  const conditions = creationFailure(deployment, message, now());
  // What is to be reported is the failure to create, not one to say so.
  await writeDeployment(client, deployment, { status: { ...deployment.status, conditions } }).catch(
    () => undefined,
  );
}

/** Writes status and revision, which go in one call, if they are not what they should be. False where that did not hold. */
export async function writeDeployment(
  client: Client,
  deployment: Deployment,
  { status, revision }: NonNullable<DeploymentDecision['write']>,
): Promise<boolean> {
  const { metadata } = deployment;
  const sameRevision = revision === undefined || metadata.annotations?.[REVISION] === revision;
  if (sameRevision && jsonEqual(status, deployment.status ?? {})) return true;
  const annotations = {
    ...metadata.annotations,
    ...(revision === undefined ? {} : { [REVISION]: revision }),
  };
  const next = { ...deployment, metadata: { ...metadata, annotations }, status };
  const live = await client.update(appsv1.deployments, next, { subresource: 'status' });
  return jsonEqual(live.metadata.annotations ?? {}, annotations) && jsonEqual(live.status ?? {}, status);
}
