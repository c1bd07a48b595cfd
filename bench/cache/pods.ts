import { type Client } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';

const AT_ONCE = 32;
const NAMESPACES = 20;

/** A pod as a Deployment's often is, about 3 kB of JSON of which managedFields are some half. */
function pod(index: number): corev1.Pod {
  const app = `web-${index % 400}`;
  const hash = (index % 400).toString(16).padStart(10, '7');
  const suffix = index.toString(36).padStart(5, '0');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${app}-${hash}-${suffix}`,
      namespace: `team-${index % NAMESPACES}`,
      labels: { app, 'pod-template-hash': hash, 'app.kubernetes.io/part-of': 'shop' },
      annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' },
    },
    spec: {
      nodeName: `node-${index % 200}`,
      serviceAccountName: 'default',
      containers: [
        {
          name: 'web',
          image: `registry.example.com/shop/${app}:1.27.${index % 9}`,
          ports: [{ name: 'http', containerPort: 8080 }],
          env: [
            { name: 'LOG_LEVEL', value: 'info' },
            { name: 'DATABASE_URL', value: `postgres://${app}.database.svc.cluster.local:5432/${app}` },
            { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          ],
          resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
          readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 5 },
        },
      ],
    },
  };
}

/** Creates `count` pods; their size as JSON, in bytes. */
export async function createPods(client: Client, count: number): Promise<number> {
  for (let team = 0; team < NAMESPACES; team++)
    await client.create(corev1.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: `team-${team}` },
      spec: {},
    });
  let next = 0;
  let bytes = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const created = await client.create(corev1.pods, pod(index));
      bytes += JSON.stringify(created).length;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return bytes;
}
