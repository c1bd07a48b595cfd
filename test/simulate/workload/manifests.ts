import { appsv1, batchv1, corev1, type KubeObject, policyv1 } from '@kubewright/kube';
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
  const made = { apiVersion, kind, metadata: { name, namespace: NAMESPACE }, ...fields };
  return { ref, object: made };
};

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

export function daemonSet(name: string): Manifest {
  return object(appsv1.daemonsets, name, { spec: { selector: labelled(name), template: template(name) } });
}

/** One that ends well, or fails as often as it may. */
export function job(name: string, ends: 'well' | 'badly', completionMode = 'Indexed'): Manifest {
  const command = ['sh', '-c', ends === 'well' ? 'sleep 3' : 'exit 3'];
  const containers = [{ name: 'main', image: imageOf(1), command }];
  const spec = {
    completions: ends === 'well' ? 3 : 1,
    parallelism: 2,
    backoffLimit: 1,
    completionMode,
    template: { spec: { restartPolicy: 'Never', containers } },
  };
  return object(batchv1.jobs, name, { spec });
}

export function service(name: string): Manifest {
  const spec = { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }] };
  return object(corev1.services, name, { spec });
}

export function disruptionBudget(name: string): Manifest {
  return object(policyv1.poddisruptionbudgets, name, { spec: { minAvailable: 1, selector: labelled(name) } });
}
