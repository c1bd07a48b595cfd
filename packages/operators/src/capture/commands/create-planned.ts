import { type Client, isAlreadyExists, type ResourceRef } from '@kubewright/client';
import { canonicalJson, corev1, type JsonObject, type KubeObject, type Named } from '@kubewright/kube';
import type { CommandStage } from '../../kit/operator.ts';
import { readAhead } from '../../kit/read-ahead.ts';
import { weightOf } from '../../kit/weight-of.ts';
import { OperatorError } from '../../operator-error.ts';
import { VOLUME_RESTORE_REQUESTS, type VolumeRestoreRequest } from '../api/volume-restore-request.ts';
import type { Wanted } from '../manifests/read-checkpoint.ts';
import { sha256 } from '../requests/names.ts';
import { type ChangeMode, changeLive } from '../restore/change-live.ts';
import { sourceOf } from '../restore/claim-source.ts';
import { isDefaultAccount } from '../restore/default-account.ts';
import { linkOwners, RESTORE_FIELD_MANAGER } from '../restore/link-owners.ts';
import { RESTORE_ORDER, type RestoreOrder } from '../restore/order-of.ts';
import type { RestoreStep } from '../restore/plan-restore.ts';
import { type RestoreTarget, retargeted } from '../restore/retargeted.ts';
import { followRequest } from './follow-request.ts';
import { requestBoard } from './request-board.ts';
import { openRestores, restoreClaim } from './restore-claim.ts';
import { withProgress } from './with-progress.ts';

/** Calls under way. */
export const AT_ONCE = 48;
/** What they hold together, about: as a request each object is there several times. */
export const HELD: { readonly most: number; readonly weightOf: (object: JsonObject) => number } = {
  most: 2_097_152,
  weightOf,
};

/** Reads the captured objects from their beginning, or those that are wanted: they are not held. */
export type ReadSource = (wanted?: Wanted) => AsyncIterable<JsonObject>;

export type RestorePlan = {
  readonly target: RestoreTarget;
  /** `missing`: it does not exist, and is not among the captured objects. */
  readonly namespace: 'exists' | 'captured' | 'missing';
  /** One for each object, in the order in which they were captured. */
  readonly steps: readonly RestoreStep[];
};

/** Creates the namespace, if it does not exist. Resolves with how many objects were created. */
export async function createNamespace(
  stage: CommandStage,
  read: ReadSource,
  plan: RestorePlan,
): Promise<number> {
  if (plan.namespace !== 'missing') return createThose(stage, read, plan, 'namespace');
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: plan.target.to } };
  await stage.client.create<KubeObject>(corev1.namespaces, namespace);
  return 1;
}

/**
 * Creates what the plan says but the namespace, in the order of {@link RESTORE_ORDER}, and links what was created to its
 * owners. Resolves with how many objects were created. A restore that was interrupted continues when it is run again.
 */
export async function createPlanned(
  stage: CommandStage,
  read: ReadSource,
  plan: RestorePlan,
): Promise<number> {
  const { snapshots, to } = plan.target;
  const open = snapshots === undefined ? [] : await openRestores(stage.client, to);
  const more: Begun = { claims: [], open, count: 0, total: plan.steps.filter(isWritten).length };
  try {
    return await createInOrder(stage, read, plan, more);
  } catch (error) {
    throw stage.signal.aborted ? interrupted(more, error) : error;
  }
}

/** How far a restore is. */
type Begun = {
  /** The requests for claims that get the data of a snapshot. */
  readonly claims: VolumeRestoreRequest[];
  /** Those that were there before. */
  readonly open: readonly VolumeRestoreRequest[];
  /** Objects that were written, of all that are to be. */
  count: number;
  readonly total: number;
};

function interrupted({ count, total, claims }: Begun, cause: unknown): OperatorError {
  const ofClaims =
    claims.length === 0 ? '' : `, the requests for ${claims.length} claims go on in the cluster`;
  const message = `interrupted; ${count} of ${total} objects are written, and stay${ofClaims}; run the same command again to continue`;
  return new OperatorError('Interrupted', message, { cause });
}

async function createInOrder(
  stage: CommandStage,
  read: ReadSource,
  plan: RestorePlan,
  begun: Begun,
): Promise<number> {
  let count = 0;
  for (const order of RESTORE_ORDER) {
    if (order === 'namespace') continue;
    count += await createThose(stage, read, plan, order, begun);
    // A controller that does not find a claim makes an empty one.
    if (order === 'data') await followClaims(stage, begun.claims, hasClaim);
  }
  // Some volumes are made only when a pod uses their claim, and all pods are there now.
  await followClaims(stage, begun.claims);
  const isThere = (step: RestoreStep): boolean => isWritten(step) || step.action === 'unchanged';
  const owned = plan.steps.filter(isThere).flatMap((step) => step.owned ?? []);
  const linked = readAhead(owned, AT_ONCE, (each) => linkOwners(stage.client, each));
  for await (const _link of withProgress(linked, stage, 'linked to their owners'));
  return count;
}

async function followClaims(
  stage: CommandStage,
  claims: readonly VolumeRestoreRequest[],
  isEnough: (live: VolumeRestoreRequest) => boolean = () => false,
): Promise<void> {
  const board = requestBoard(stage, claims.length);
  for (const request of claims)
    await followRequest(stage, VOLUME_RESTORE_REQUESTS, request, { board, isEnough });
}

type Writing = Pick<Begun, 'claims' | 'open'> & {
  readonly client: Client;
  readonly target: RestoreTarget;
};

function hasClaim({ status }: VolumeRestoreRequest): boolean {
  return status?.progress?.artifactUID !== undefined;
}

/** Writes what the plan says of the objects of this order, which are read again. Resolves with how many were created. */
async function createThose(
  stage: CommandStage,
  read: ReadSource,
  { target, steps }: RestorePlan,
  order: RestoreOrder,
  begun: Begun = { claims: [], open: [], count: 0, total: 1 },
): Promise<number> {
  const meant = [...steps.entries()].filter(([, step]) => isWritten(step) && step.write?.order === order);
  if (meant.length === 0) return 0;
  const writing = { client: stage.client, target, ...begun };
  let [next, count] = [0, 0];
  const write = (captured: JsonObject): Promise<boolean> => {
    const [, step] = meant[next++] ?? [];
    return writeObject(writing, captured, step);
  };
  const written = readAhead(read(new Set(meant.map(([place]) => place))), AT_ONCE, write, HELD);
  const places = { before: begun.count, total: begun.total };
  for await (const isNew of withProgress(written, stage, 'written', places)) {
    begun.count++;
    if (isNew) count++;
  }
  return count;
}

/** Resolves with whether it was created. */
async function writeObject(
  { client, target, claims, open }: Writing,
  captured: JsonObject,
  step: RestoreStep | undefined,
): Promise<boolean> {
  const object = retargeted(captured, target);
  if (object === undefined || sha256(canonicalJson(object)) !== step?.write?.sha256)
    throw new OperatorError('Failed', 'the captured objects have changed while they were restored');
  const { ref } = step.write;
  if (isChange(step.action)) {
    await changeLive(client, { ref, object, mode: step.action }, target.to);
    return false;
  }
  const source = sourceOf(object, target.snapshots);
  if (source === undefined) await create(client, ref, object, target.to);
  else claims.push(await restoreClaim(client, object, target.to, { source, open }));
  return true;
}

function isWritten({ action }: RestoreStep): boolean {
  return action === 'create' || isChange(action);
}

export function isChange(action: RestoreStep['action']): action is ChangeMode {
  return action === 'update' || action === 'replace';
}

/** A controller makes the default account of a namespace, maybe just now. */
async function create(client: Client, ref: ResourceRef, object: Named, namespace: string): Promise<void> {
  try {
    await client.create(ref, object, { fieldManager: RESTORE_FIELD_MANAGER });
  } catch (error) {
    if (!isAlreadyExists(error) || !isDefaultAccount(object)) throw error;
    await changeLive(client, { ref, object, mode: 'update' }, namespace);
  }
}
