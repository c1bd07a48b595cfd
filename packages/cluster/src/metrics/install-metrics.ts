import { type Client, isAlreadyExists } from '@kubewright/client';
import { apiregistrationv1, corev1, type KubeObject } from '@kubewright/kube';

/** The address of the server of the metrics APIs. */
export type MetricsAddress = {
  /** Default `localhost`: a name, not an address. */
  readonly host?: string;
  /** Default 443. */
  readonly port?: number;
  /** PEM of those who vouch for its certificate. Default: it is not looked at. */
  readonly caBundle?: string;
};

/** The groups of the metrics APIs. */
export const METRICS_GROUPS: readonly (readonly [group: string, version: string])[] = [
  ['metrics.k8s.io', 'v1beta1'],
  ['custom.metrics.k8s.io', 'v1beta2'],
  ['external.metrics.k8s.io', 'v1beta1'],
];

/** The Service in `kube-system` of their server. */
export const METRICS_SERVICE = { namespace: 'kube-system', name: 'kubewright-metrics' };

/** Registers the server of the metrics APIs with a cluster, by a Service and APIServices. */
export async function installMetrics(
  client: Client,
  { host = 'localhost', port = 443, caBundle }: MetricsAddress = {},
): Promise<void> {
  await create(client, corev1.services, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: METRICS_SERVICE,
    spec: { type: 'ExternalName', externalName: host },
  });
  const trust =
    caBundle === undefined
      ? { insecureSkipTLSVerify: true }
      : { caBundle: Buffer.from(caBundle).toString('base64') };
  for (const [group, version] of METRICS_GROUPS)
    await create(client, apiregistrationv1.apiservices, {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `${version}.${group}` },
      spec: {
        group,
        version,
        service: { ...METRICS_SERVICE, port },
        ...trust,
        groupPriorityMinimum: 100,
        versionPriority: 100,
      },
    });
}

async function create<T extends KubeObject>(
  client: Client,
  ref: Parameters<typeof client.create<T>>[0],
  object: T,
): Promise<void> {
  await client.create(ref, object).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}
