import { createClient } from '@kubewright/client';
import { appsv1, corev1, type JsonObject, type KubeObject, type Transport } from '@kubewright/kube';

const NAMESPACE = 'shop';

/** Something to look at with `kubectl get pods -A -w`. */
export async function createWorkloads(transport: Transport): Promise<void> {
  const client = createClient(transport, { fieldOwner: 'kubewright' });
  await client.create<KubeObject>(corev1.namespaces, object('v1', 'Namespace', { name: NAMESPACE }, {}));
  await client.create<KubeObject>(appsv1.deployments, workload('Deployment', 'front', {}));
  await client.create<KubeObject>(
    appsv1.statefulsets,
    workload('StatefulSet', 'orders', { serviceName: 'orders' }),
  );
}

function workload(kind: string, name: string, more: JsonObject): KubeObject {
  const labels = { app: name };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name, image: `registry.example/${name}:1` }] },
  };
  const spec = { ...more, replicas: 3, selector: { matchLabels: labels }, template };
  return object('apps/v1', kind, { name, namespace: NAMESPACE }, { spec });
}

function object(
  apiVersion: string,
  kind: string,
  metadata: KubeObject['metadata'],
  body: JsonObject,
): KubeObject {
  return { apiVersion, kind, metadata, ...body };
}
