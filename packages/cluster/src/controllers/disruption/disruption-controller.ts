import { appsv1, corev1, policyv1, type Stored } from '@kubewright/kube';
import { matchesLabels, selectorFromLabelSelector } from '@kubewright/kube/selectors';
import {
  type Manager,
  type Reconciler,
  type Request,
  requestFor,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import { soonest } from '../workloads/undone-wait.ts';
import { decide, needsScale } from './decide.ts';
import { addStaleDisruption } from './add-stale-disruption.ts';
import { wantedPods } from './wanted-pods.ts';
import { updateChangedStatus } from '../workloads/update-changed-status.ts';
import { keepCached } from '../workloads/watch-controlled.ts';

/** The service account of `kube-system` that it acts as. */
export const DISRUPTION_CONTROLLER = 'disruption-controller';

type Budget = Stored<policyv1.PodDisruptionBudget>;

const BY_NAMESPACE = 'budget-namespace';

/** Says of each PodDisruptionBudget how many of its pods may be disrupted now. */
export function addDisruptionController(manager: Manager): void {
  const { cache } = manager;
  cache.addIndex(corev1.pods, BY_NAMESPACE, namespaceOf);
  cache.addIndex(policyv1.poddisruptionbudgets, BY_NAMESPACE, namespaceOf);
  manager.addController({
    name: 'disruption',
    reconciler: reconcilerOf(manager),
    sources: [
      watchKind(policyv1.poddisruptionbudgets),
      watchMapped(corev1.pods, (pod) => budgetsFor(manager, pod)),
      // Read for how many pods they want; when that changes their pods do.
      keepCached(appsv1.deployments),
      keepCached(appsv1.replicasets),
      keepCached(appsv1.statefulsets),
    ],
  });
  addStaleDisruption(manager);
}

function namespaceOf({ metadata }: Stored<corev1.Pod> | Budget): readonly string[] {
  return [metadata.namespace];
}

function budgetsFor({ cache }: Manager, { metadata }: Stored<corev1.Pod>): readonly Request[] {
  return cache
    .byIndex(policyv1.poddisruptionbudgets, BY_NAMESPACE, metadata.namespace)
    .filter(({ spec }) => matchesLabels(selectorFromLabelSelector(spec.selector), metadata.labels))
    .map(requestFor);
}

function reconcilerOf(manager: Manager): Reconciler {
  const { cache, client, clock } = manager;
  const recorder = manager.recorderFor('controllermanager');
  return {
    async reconcile({ namespace = '', name }) {
      const budget = cache.get(policyv1.poddisruptionbudgets, { namespace, name });
      if (budget === undefined) return {};
      const selector = selectorFromLabelSelector(budget.spec.selector);
      const pods = cache
        .byIndex(corev1.pods, BY_NAMESPACE, namespace)
        .filter(({ metadata }) => matchesLabels(selector, metadata.labels));
      const scale = needsScale(budget) ? await wantedPods(manager, pods) : { wanted: 0, unmanaged: 0 };
      const { status, events, forgotten, requeueAfter } = decide({ budget, pods, scale }, clock.now());
      for (const event of events) recorder.record(budget, event);
      for (const pod of forgotten) {
        const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
        recorder.record(pod, { type: 'Warning', reason: 'NotDeleted', message });
      }
      return soonest(
        requeueAfter,
        await updateChangedStatus(client, policyv1.poddisruptionbudgets, budget, { status }),
      );
    },
  };
}
