import { appsv1, getCondition, type Stored } from '@kubewright/kube';
import {
  applyOwned,
  asReconciler,
  conditionsWith,
  generationChanged,
  type Manager,
  updateStatus,
  watchKind,
  watchOwned,
} from '@kubewright/runtime';
import { type Sample, samples } from './sample.ts';

const fieldManager = 'sample';

/** Runs each Sample as a Deployment, and says in its status how far that is. */
export function addSampleController(manager: Manager): void {
  const events = manager.recorderFor(fieldManager);
  manager.addController({
    name: 'sample',
    sources: [
      watchKind(samples, { predicates: [generationChanged] }),
      watchOwned(appsv1.deployments, samples),
    ],
    reconciler: asReconciler(manager, samples, {
      async reconcile(object) {
        const wanted = deploymentFor(object);
        const deployment = await applyOwned(manager, appsv1.deployments, object, wanted, { fieldManager });
        const { readyReplicas = 0 } = deployment.status ?? {};
        const isRunning = readyReplicas >= object.spec.replicas;
        const reason = isRunning ? 'Running' : 'Starting';
        const message = `${readyReplicas} of ${object.spec.replicas} pods are ready`;
        const ready = { type: 'Ready', status: isRunning ? 'True' : 'False', reason, message } as const;
        const before = getCondition(object.status?.conditions, 'Ready');
        const conditions = conditionsWith(manager, object, ready);
        await updateStatus(manager, samples, object, { readyReplicas, conditions });
        if (before?.reason !== reason) events.record(object, { type: 'Normal', reason, message });
      },
    }),
  });
}

/** What the operator decides of the Deployment; everything else is left to others. */
function deploymentFor({ spec, metadata: { name, namespace } }: Stored<Sample>): appsv1.Deployment {
  const labels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/managed-by': fieldManager };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      replicas: spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: spec.image }] } },
    },
  };
}
