import { appsv1, autoscalingv2, batchv1, corev1, type KubeObject, policyv1 } from '@kubewright/kube';
import type { ResourceRef } from '@kubewright/client';

/** Where people work. */
export const NAMESPACE = 'work';

const IMAGE = 'registry.example.com/app';

export type Manifest = { readonly ref: ResourceRef; readonly object: KubeObject };

const labelled = (app: string) => ({ matchLabels: { app } });

const template = (app: string, spec: Readonly<Record<string, unknown>> = {}) => ({
  metadata: { labels: { app } },
  spec: {
    terminationGracePeriodSeconds: 5,
    containers: [{ name: 'main', image: imageOf(1) }],
    ...spec,
  },
});

/** The image of a rollout. */
export function imageOf(version: number): string {
  return `${IMAGE}:v${version}`;
}

const object = (ref: ResourceRef, name: string, fields: Readonly<Record<string, unknown>>): Manifest => {
  const { group, version, kind } = ref;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const metadata = { name, ...(ref.namespaced ? { namespace: NAMESPACE } : {}), labels: { app: name } };
  return { ref, object: { apiVersion, kind, metadata, ...fields } };
};

export function namespace(name: string, annotations: Readonly<Record<string, string>> = {}): Manifest {
  const { ref, object: made } = object(corev1.namespaces, name, {});
  return { ref, object: { ...made, metadata: { ...made.metadata, annotations } } };
}

/** The same in another namespace. */
export function within(namespace: string, { ref, object: { metadata, ...rest } }: Manifest): Manifest {
  return { ref, object: { ...rest, metadata: { ...metadata, namespace } } };
}

export function deployment(name: string, replicas: number, strategy: 'RollingUpdate' | 'Recreate'): Manifest {
  const spec = { replicas, selector: labelled(name), strategy: { type: strategy }, template: template(name) };
  return object(appsv1.deployments, name, { spec });
}

const CLAIM = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

export function statefulSet(name: string, replicas: number, policy: 'OrderedReady' | 'Parallel'): Manifest {
  return object(appsv1.statefulsets, name, {
    spec: {
      serviceName: name,
      replicas,
      podManagementPolicy: policy,
      selector: labelled(name),
      template: template(name),
      volumeClaimTemplates: [CLAIM],
    },
  });
}

/** Each of its pods has a volume that comes and goes with it. */
export function daemonSet(name: string): Manifest {
  const { spec } = CLAIM;
  const volumes = [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec } } }];
  return object(appsv1.daemonsets, name, {
    spec: { selector: labelled(name), template: template(name, { volumes }) },
  });
}

const jobSpec = (command: string, fields: Readonly<Record<string, unknown>>) => ({
  template: {
    spec: {
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: imageOf(1), command: ['sh', '-c', command] }],
    },
  },
  ...fields,
});

/** One that ends well, or fails as often as it may. */
export function job(name: string, ends: 'well' | 'badly', completionMode = 'Indexed'): Manifest {
  const isWell = ends === 'well';
  const counts = { completions: isWell ? 3 : 1, parallelism: 2, backoffLimit: 1, completionMode };
  return object(batchv1.jobs, name, { spec: jobSpec(isWell ? 'sleep 3' : 'exit 3', counts) });
}

/** Of which nothing is left some seconds after its end. */
export function briefJob(name: string): Manifest {
  return object(batchv1.jobs, name, { spec: jobSpec('sleep 1', { ttlSecondsAfterFinished: 10 }) });
}

/** A node that is there in name only: it falls silent as soon as it has come. */
export const SILENT_NODE = 'silent';

export function silentNode(): Manifest {
  const taints = [{ key: 'example.com/silent', effect: 'NoSchedule' }];
  const conditions = [{ type: 'Ready', status: 'True' }];
  return object(corev1.nodes, SILENT_NODE, { spec: { taints }, status: { conditions } });
}

/** Its pod is on the silent node, and lost with it. */
export function lostJob(name: string): Manifest {
  const { template: pod } = jobSpec('sleep 3', {});
  const toleration = { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 10 };
  const spec = { ...pod.spec, nodeName: SILENT_NODE, tolerations: [toleration] };
  return object(batchv1.jobs, name, { spec: { backoffLimit: 0, template: { spec } } });
}

/** The last moment of a CronJob; it has two more before, in the first minutes of a world. */
export const LAST_MOMENT = '2026-01-01T00:03:00Z';

/** Its Jobs take longer than it is from one moment to the next. */
export function cronJob(name: string, concurrencyPolicy: 'Forbid' | 'Replace'): Manifest {
  const spec = {
    schedule: '1-3 0 1 1 *',
    concurrencyPolicy,
    successfulJobsHistoryLimit: 1,
    jobTemplate: { spec: jobSpec('sleep 70', {}) },
  };
  return object(batchv1.cronjobs, name, { spec });
}

/** An annotation of the namespace: how much waits there to be done. */
export const QUEUE = 'metrics.kubewright.dev/external.queue';
/** So much one pod can do. */
const SHARE = 10;
const BOUNDS = { minReplicas: 2, maxReplicas: 4 };

export function autoscaler(name: string): Manifest {
  const target = { type: 'AverageValue', averageValue: `${SHARE}` };
  const spec = {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
    ...BOUNDS,
    metrics: [{ type: 'External', external: { metric: { name: 'queue' }, target } }],
  };
  return object(autoscalingv2.horizontalpodautoscalers, name, { spec });
}

/** How many pods do it. */
export function replicasFor(queue: number): number {
  return Math.min(BOUNDS.maxReplicas, Math.max(BOUNDS.minReplicas, Math.ceil(queue / SHARE)));
}

export function service(name: string): Manifest {
  const spec = { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }] };
  return object(corev1.services, name, { spec });
}

/** Of everything more than people ask for: it counts, and rejects nothing. */
export function quota(name: string): Manifest {
  const hard = { pods: '100', 'count/jobs.batch': '100', 'requests.storage': '100Gi' };
  return object(corev1.resourcequotas, name, { spec: { hard } });
}

export function disruptionBudget(name: string): Manifest {
  return object(policyv1.poddisruptionbudgets, name, { spec: { minAvailable: 1, selector: labelled(name) } });
}
