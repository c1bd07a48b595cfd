import type { Client } from '@kubewright/client';
import { appsv1, corev1, type Stored } from '@kubewright/kube';
import {
  type Cache,
  type Manager,
  type Reconciler,
  type Request,
  requestFor,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import { newRevision, renamed } from '../history/new-revision.ts';
import { nextNumber, planRevision, surplusRevisions } from '../history/plan-revision.ts';
import { templateOf } from '../history/revision-data.ts';
import { deleteRevision, settleRevision } from '../history/settle-revision.ts';
import { soonest } from '../workloads/undone-wait.ts';
import { indexByController, isDelete, keepCached, watchControlled } from '../workloads/watch-controlled.ts';
import { claimAll } from '../workloads/claim-owned.ts';
import { act, type Tools } from './act.ts';
import { decide } from './decide/decide.ts';
import type { Observed } from './decide/stateful-set-decision.ts';
import { adoptRevisions, decideMembers } from './decide/decide-members.ts';
import { type PodSource, revisionOf } from './decide/missing-pod.ts';
import { observe, type Seen } from './observe.ts';
import { createStatefulSetEvents } from './stateful-set-events.ts';
import { writeStatus } from './write-status.ts';

/** The service account of `kube-system` that it acts as. */
export const STATEFULSET_CONTROLLER = 'statefulset-controller';

const CONCURRENT = 5;

/** Keeps pods with names, places and volumes of their own. */
export function addStatefulSetController(manager: Manager): void {
  const { cache } = manager;
  indexByController(cache, corev1.pods, appsv1.controllerrevisions);
  manager.addController({
    name: 'statefulset',
    reconciler: reconcilerOf(manager),
    sources: [
      watchKind(appsv1.statefulsets),
      watchControlled(cache, corev1.pods, appsv1.statefulsets),
      keepCached(appsv1.controllerrevisions),
      // A claim that is on its way out holds up the pod that is to have it.
      watchMapped(corev1.persistentvolumeclaims, (claim) => setsOfClaim(cache, claim), {
        predicates: [isDelete],
      }),
    ],
    maxConcurrentReconciles: CONCURRENT,
  });
}

function setsOfClaim(cache: Cache, { metadata: { namespace, name } }: Stored): readonly Request[] {
  return cache
    .list(appsv1.statefulsets, { namespace })
    .filter(({ metadata, spec }) =>
      spec.volumeClaimTemplates?.some((template) =>
        name.startsWith(`${template.metadata.name}-${metadata.name}-`),
      ),
    )
    .map(requestFor);
}

function reconcilerOf(manager: Manager): Reconciler {
  const { cache, client, clock } = manager;
  const tools = { client, events: createStatefulSetEvents(manager.recorderFor(STATEFULSET_CONTROLLER)) };
  return {
    async reconcile(request) {
      const seen = observe(cache, request);
      if (seen === undefined) return {};
      const pods = await claim(client, seen);
      if (pods === undefined) return {};
      const observed = await settle(client, seen, pods);
      try {
        return await step(tools, observed, clock.now());
      } finally {
        await truncateHistory(client, seen, observed);
      }
    },
  };
}

/** The pods of the set; undefined where a change of it is on its way to the cache. */
async function claim(
  client: Client,
  { set, candidates, revisions }: Seen,
): Promise<readonly Stored<corev1.Pod>[] | undefined> {
  const claimant = { ref: appsv1.statefulsets, object: set };
  await claimAll(client, appsv1.controllerrevisions, adoptRevisions(set, revisions), claimant);
  const { owned, actions } = decideMembers(set, candidates);
  const adopted = await claimAll(client, corev1.pods, actions, claimant);
  return adopted === undefined ? undefined : [...owned, ...adopted];
}

async function settle(client: Client, seen: Seen, pods: readonly Stored<corev1.Pod>[]): Promise<Observed> {
  const { set, revisions, findClaim } = seen;
  const before = set.status?.collisionCount ?? 0;
  const plan = planRevision(newRevision(set, nextNumber(revisions), before), revisions);
  const { revision: update, collisions } = await settleRevision(client, {
    plan,
    collisions: before,
    named: (revision, count) => renamed(set, revision, count),
  });
  const current = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
  const source = (revision: Stored<appsv1.ControllerRevision>): PodSource => ({
    revision: revision.metadata.name,
    template: templateOf(revision) ?? set.spec.template,
  });
  return { set, pods, findClaim, current: source(current), update: source(update), collisions };
}

/** Also when something failed, the status says how things stand. */
async function step(
  tools: Tools,
  observed: Observed,
  now: number,
): Promise<{ readonly requeueAfter?: number }> {
  const { set } = observed;
  const decision = decide(observed, now);
  const { requeueAfter } = decision;
  try {
    await act(tools, set, decision);
  } catch (error) {
    await writeStatus(tools.client, set, decision.status(false)).catch(() => undefined);
    throw error;
  }
  return soonest(requeueAfter, await writeStatus(tools.client, set, decision.status(true)));
}

async function truncateHistory(
  client: Client,
  { set, revisions }: Seen,
  { pods, current, update }: Observed,
): Promise<void> {
  const inUse = new Set([current.revision, update.revision, ...pods.map(revisionOf)]);
  const surplus = surplusRevisions(revisions, inUse, set.spec.revisionHistoryLimit ?? 10);
  for (const revision of surplus) await deleteRevision(client, revision);
}
