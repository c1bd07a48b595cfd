import { type Client, ignoreNotFound, isAlreadyExists, isConflict, keyOf } from '@kubewright/client';
import { type appsv1, corev1, errorText, type Named, type Stored } from '@kubewright/kube';
import { slowStart } from '../workloads/slow-start.ts';
import { createClaims, updateClaims } from './create-claims.ts';
import type { PodAction, StatefulSetDecision } from './decide/stateful-set-decision.ts';
import type { StatefulSetEvents } from './stateful-set-events.ts';

export type Tools = { readonly client: Client; readonly events: StatefulSetEvents };
type StatefulSet = Stored<appsv1.StatefulSet>;
type ActionOf<T extends PodAction['type']> = Extract<PodAction, { readonly type: T }>;

/** Carries out a decision, stage by stage. Rejects with the first failure, after the event for it. */
export async function act(
  tools: Tools,
  set: StatefulSet,
  { stages, parallel }: Pick<StatefulSetDecision, 'stages' | 'parallel'>,
): Promise<void> {
  for (const stage of stages) {
    const one = async (index: number): Promise<void> => {
      for (const action of stage[index] ?? []) await perform(tools, set, action);
    };
    if (parallel) await slowStart(stage.length, one);
    else for (const index of stage.keys()) await one(index);
  }
}

function perform(tools: Tools, set: StatefulSet, action: PodAction): Promise<void> {
  switch (action.type) {
    case 'create':
      return create(tools, set, action);
    case 'supply':
      return supply(tools, set, action);
    case 'repair':
      return repair(tools, set, action);
    case 'retain':
      return updateClaims(tools, { set, pod: action.pod }, action.claims);
    case 'delete':
      return remove(tools, set, action.pod);
  }
}

/** Runs one part of an action; when it fails, an event reports that for the pod. */
async function withFailureEvent(
  { events }: Tools,
  set: StatefulSet,
  { verb, pod }: { readonly verb: 'Create' | 'Update' | 'Delete'; readonly pod: Named<corev1.Pod> },
  work: Promise<unknown>,
): Promise<void> {
  try {
    await work;
  } catch (error) {
    events.pod(set, verb, pod, errorText(error));
    throw error;
  }
}

async function create(tools: Tools, set: StatefulSet, { pod, claims }: ActionOf<'create'>): Promise<void> {
  const owner = { set, pod };
  await withFailureEvent(tools, set, { verb: 'Create', pod }, createClaims(tools, owner, claims));
  const made = await settled(tools.client.create(corev1.pods, pod));
  // The name exists already: it may be ours, which a lagging cache does not show.
  if (isAlreadyExists(made.error)) throw made.error;
  await withFailureEvent(tools, set, { verb: 'Update', pod }, updateClaims(tools, owner, claims));
  tools.events.pod(set, 'Create', pod, made.error === undefined ? undefined : errorText(made.error));
  if (made.error !== undefined) throw made.error;
}

async function settled(work: Promise<unknown>): Promise<{ readonly error?: unknown }> {
  try {
    await work;
    return {};
  } catch (error) {
    return { error };
  }
}

async function supply(tools: Tools, set: StatefulSet, { pod, claims }: ActionOf<'supply'>): Promise<void> {
  await createClaims(tools, { set, pod }, claims);
  await withFailureEvent(tools, set, { verb: 'Update', pod }, updateClaims(tools, { set, pod }, claims));
}

async function repair(
  tools: Tools,
  set: StatefulSet,
  { pod, claims, change }: ActionOf<'repair'>,
): Promise<void> {
  const about = { verb: 'Update', pod } as const;
  await withFailureEvent(tools, set, about, createClaims(tools, { set, pod }, claims));
  await withFailureEvent(tools, set, about, updateClaims(tools, { set, pod }, claims));
  if (change !== undefined) {
    const { error } = await settled(tools.client.update(corev1.pods, change));
    // A conflict is a cache that lags behind: the next try, a moment later, knows better.
    if (error !== undefined && !isConflict(error)) tools.events.pod(set, 'Update', change, errorText(error));
    if (error !== undefined) throw error;
  }
  tools.events.pod(set, 'Update', change ?? pod);
}

async function remove(tools: Tools, set: StatefulSet, pod: Named<corev1.Pod>): Promise<void> {
  const { uid } = pod.metadata;
  const options = uid === undefined ? {} : { preconditions: { uid } };
  const deletion = ignoreNotFound(tools.client.delete(corev1.pods, keyOf(pod), options));
  await withFailureEvent(tools, set, { verb: 'Delete', pod }, deletion);
  tools.events.pod(set, 'Delete', pod);
}
