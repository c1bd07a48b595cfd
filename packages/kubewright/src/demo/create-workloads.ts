import { createClient } from '@kubewright/client';
import { appsv1, batchv1, corev1, type JsonObject, type KubeObject, type Transport } from '@kubewright/kube';

const NAMESPACE = 'shop';

/** Something to look at with `kubectl get pods -A -w`: a shop, what it keeps, and a report that is written every minute. */
export async function createWorkloads(transport: Transport): Promise<void> {
  const client = createClient(transport, { fieldOwner: 'kubewright' });
  await client.create<KubeObject>(corev1.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE },
  });
  await client.create<KubeObject>(appsv1.deployments, workload('Deployment', 'front', {}));
  await client.create<KubeObject>(corev1.services, service());
  await client.create<KubeObject>(appsv1.statefulsets, workload('StatefulSet', 'orders', KEPT));
  await client.create<KubeObject>(batchv1.cronjobs, report());
}

/** Each pod of the set has a volume of its own. */
const KEPT: JsonObject = {
  serviceName: 'orders',
  volumeClaimTemplates: [
    {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ],
};

function workload(kind: string, name: string, more: JsonObject): KubeObject {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [container(name)] } };
  const spec = { ...more, replicas: 3, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind, metadata: at(name), spec };
}

/** The names of the set's pods. */
function service(): KubeObject {
  const spec = { clusterIP: 'None', selector: { app: 'orders' }, ports: [{ port: 80 }] };
  return { apiVersion: 'v1', kind: 'Service', metadata: at('orders'), spec };
}

function report(): KubeObject {
  const command = ['sh', '-c', 'echo all sold; sleep 20'];
  const pod = { restartPolicy: 'Never', containers: [{ ...container('report'), command }] };
  const jobTemplate = { spec: { template: { spec: pod } } };
  const spec = { schedule: '* * * * *', successfulJobsHistoryLimit: 2, jobTemplate };
  return { apiVersion: 'batch/v1', kind: 'CronJob', metadata: at('report'), spec };
}

function container(name: string): { readonly name: string; readonly image: string } {
  return { name, image: `registry.example/${name}:1` };
}

function at(name: string): KubeObject['metadata'] {
  return { name, namespace: NAMESPACE };
}
