import type { Client } from '@kubewright/client';
import { appsv1, corev1, jsonEqual, type Stored } from '@kubewright/kube';
import { matchesLabels } from '@kubewright/kube/selectors';
import {
  type CacheEvent,
  type Manager,
  type Reconciler,
  requestFor,
  type Result,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import { nextNumber, planRevision } from '../history/plan-revision.ts';
import { byRevision } from '../history/revisions-of.ts';
import { deleteRevision, settleRevision, type Settled } from '../history/settle-revision.ts';
import { soonest } from '../workloads/undone-wait.ts';
import { indexByController, watchControlled, workloadSelector } from '../workloads/watch-controlled.ts';
import { claimOwned } from '../workloads/claim-owned.ts';
import { createPodControl } from '../workloads/pod-control.ts';
import { act, removeDuplicates } from './act.ts';
import { decide } from './decide/decide.ts';
import { duplicatesOf, hashOf, snapshot, surplusHistory, withHash } from './decide/surplus-history.ts';
import { createFailureBackoff } from '../workloads/failure-backoff.ts';
import { observe, type Seen } from './observe.ts';
import { writeStatus } from './write-status.ts';

/** The service account of `kube-system` that it acts as. */
export const DAEMONSET_CONTROLLER = 'daemon-set-controller';

/** Who its events are from. */
const COMPONENT = 'daemonset-controller';
const CONCURRENT = 2;

/** Keeps a pod on each node that a DaemonSet asks for. */
export function addDaemonSetController(manager: Manager): void {
  const { cache } = manager;
  indexByController(cache, corev1.pods, appsv1.controllerrevisions);
  manager.addController({
    name: 'daemonset',
    reconciler: reconcilerOf(manager),
    sources: [
      watchKind(appsv1.daemonsets),
      watchControlled(cache, corev1.pods, appsv1.daemonsets),
      watchControlled(cache, appsv1.controllerrevisions, appsv1.daemonsets),
      watchMapped(corev1.nodes, () => cache.list(appsv1.daemonsets).map(requestFor), {
        predicates: [placementChanged],
      }),
    ],
    maxConcurrentReconciles: CONCURRENT,
  });
}

/** Whether an event can change which pods belong on a node. */
function placementChanged(event: CacheEvent<corev1.Node>): boolean {
  if (event.type !== 'Update') return true;
  const { old, object } = event;
  return !(
    jsonEqual(old.metadata.labels ?? {}, object.metadata.labels ?? {}) &&
    jsonEqual(old.spec.taints ?? [], object.spec.taints ?? [])
  );
}

function reconcilerOf(manager: Manager): Reconciler {
  const { cache, client } = manager;
  const sync = syncOf(manager);
  return {
    async reconcile(request) {
      const seen = observe(cache, request);
      // The garbage collector may have begun with what a set that is being deleted owns.
      if (seen === undefined || seen.set.metadata.deletionTimestamp !== undefined) return {};
      const own = await claim(client, seen);
      return own === undefined ? {} : sync(own);
    },
  };
}

/** `seen` with the pods and revisions that are its own; undefined where a change of the set is on its way to the cache. */
async function claim(client: Client, seen: Seen): Promise<Seen | undefined> {
  const { set } = seen;
  const selector = workloadSelector(set);
  const claimant = { ref: appsv1.daemonsets, object: set };
  const matches = ({ metadata }: Pick<corev1.Pod, 'metadata'>): boolean =>
    matchesLabels(selector, metadata.labels);
  const { revisions: history, pods: candidates } = seen;
  const revisions = await claimOwned(
    client,
    appsv1.controllerrevisions,
    { objects: history, matches },
    claimant,
  );
  const pods = await claimOwned(client, corev1.pods, { objects: candidates, matches }, claimant);
  if (revisions === undefined || pods === undefined) return undefined;
  return { ...seen, revisions: [...revisions].sort(byRevision), pods };
}

/** The revision of the present template; undefined if a duplicate was deleted, for which an event follows. */
async function settle(client: Client, { set, pods, ...seen }: Seen): Promise<Settled | undefined> {
  const revisions = await Promise.all(
    seen.revisions.map(async (one) =>
      hashOf(one) === '' ? client.update(appsv1.controllerrevisions, withHash(one)) : one,
    ),
  );
  const collisions = set.status?.collisionCount ?? 0;
  const plan = planRevision(snapshot(set, nextNumber(revisions), collisions), revisions);
  const named = ({ revision }: appsv1.ControllerRevision, count: number): appsv1.ControllerRevision =>
    snapshot(set, revision, count);
  const settled = await settleRevision(client, { plan, collisions, named });
  const duplicates = duplicatesOf(settled.revision, revisions);
  await removeDuplicates({ client }, pods, settled.revision, duplicates);
  return duplicates.length > 0 ? undefined : settled;
}

function syncOf(manager: Manager): (seen: Seen) => Promise<Result> {
  const { client, clock } = manager;
  const recorder = manager.recorderFor(COMPONENT);
  const pods = createPodControl(client, recorder);
  const failures = createFailureBackoff();
  return async (seen) => {
    const { set } = seen;
    const settled = await settle(client, seen);
    if (settled === undefined) return {};
    const now = clock.now();
    const hash = hashOf(settled.revision);
    const keyOf = (node: string): string =>
      `${set.metadata.uid}/${set.status?.observedGeneration ?? 0}/${node}`;
    const failureWait = (node: string): number => failures.wait(keyOf(node), now);
    const observed = { ...seen, hash, collisions: settled.collisions, failureWait };
    const { events, failedOn, status, requeueAfter, ...work } = decide(observed, now);
    for (const node of failedOn) failures.note(keyOf(node), now);
    for (const note of events) recorder.record(set, note);
    let undone: number | undefined;
    try {
      await act({ pods }, { set, hash }, work);
      await truncateHistory(client, seen, settled.revision);
    } finally {
      undone = await writeStatus(client, set, status);
    }
    return soonest(requeueAfter, undone);
  };
}

async function truncateHistory(
  client: Client,
  { set, pods, revisions }: Seen,
  current: Stored<appsv1.ControllerRevision>,
): Promise<void> {
  const old = revisions.filter(({ metadata }) => metadata.name !== current.metadata.name);
  for (const revision of surplusHistory(old, pods, set.spec.revisionHistoryLimit ?? 10))
    await deleteRevision(client, revision);
}
