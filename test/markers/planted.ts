import type { Client } from '@kubewright/client';
import { type KubeObject, parseApiVersion } from '@kubewright/kube';

/** What must be found nowhere but where it was put: as it is, and as a Secret stores it. */
export const MARKER = 'M4rk3r-hunter2';
export const FORMS: readonly string[] = [MARKER, Buffer.from(MARKER).toString('base64')];

export const PLACE = 'markers';
const metadata = (name: string) => ({ name, namespace: PLACE, annotations: { 'example.com/note': MARKER } });
const env = [{ name: 'PASSWORD', value: MARKER }];
const template = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'app', image, env }] },
});

const deployment = (app: string): KubeObject & { spec: object } => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: metadata('web'),
  spec: { selector: { matchLabels: { app } }, template: { ...template('a'), metadata: { labels: { app } } } },
});
const job = (image: string): KubeObject & { spec: object } => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: metadata('job'),
  spec: { template: { ...template(image), spec: { ...template(image).spec, restartPolicy: 'Never' } } },
});
const secret = (type: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type,
  metadata: metadata('secret'),
  stringData: { password: MARKER },
});

/** Manifests that the server rejects, and quotes: other values of what may not change, and no value at all. */
export const REJECTED: readonly KubeObject[] = [
  deployment('other'),
  job('other'),
  secret(MARKER),
  { apiVersion: 'v1', kind: 'Secret', metadata: metadata('broken'), data: { password: MARKER } },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('broken'), data: { password: [MARKER] } },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata('broken'),
    spec: { type: 'None', ports: [{ port: 1 }] },
  },
];

/** Objects in which somebody keeps a secret, and requests about them to all operators. */
export async function plant(client: Client): Promise<void> {
  const create = (object: KubeObject): Promise<unknown> =>
    client.create({ ...parseApiVersion(object.apiVersion), kind: object.kind }, object);
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: PLACE } });
  for (const object of [deployment('web'), job('a'), secret('Opaque')]) await create(object);
  for (const object of requests()) await create(object);
  const owner = await client.get(
    { group: 'eno.azure.io', version: 'v1', kind: 'Composition' },
    { namespace: PLACE, name: 'owner' },
  );
  const { uid } = owner.metadata;
  await create({
    apiVersion: 'eno.azure.io/v1',
    kind: 'ResourceSlice',
    metadata: {
      ...metadata('slice'),
      ownerReferences: [
        { apiVersion: 'eno.azure.io/v1', kind: 'Composition', name: 'owner', uid, controller: true },
      ],
    },
    spec: { resources: REJECTED.map((one) => ({ manifest: JSON.stringify(one) })) },
  });
}

function requests(): readonly KubeObject[] {
  const queue = { queueName: 'q', exchangeName: 'e', routingKey: 'k' };
  const broker = (brokerUrl: string) => ({
    sourcePod: 'a-0',
    targetNode: 'node-1',
    messageQueueConfig: { ...queue, brokerUrl },
  });
  const kinds = [
    [
      'kausality.io/v1alpha1',
      'Kausality',
      {
        mode: 'enforce',
        namespaces: { names: [PLACE] },
        resources: [{ apiGroups: ['', 'apps'], resources: ['secrets', 'deployments'] }],
      },
    ],
    ['eno.azure.io/v1', 'Composition', {}],
    ['migration.ms2m.io/v1alpha1', 'StatefulMigration', broker(`amqp://user:${MARKER}@127.0.0.1:1`)],
    [
      'oaas.io/v1alpha1',
      'ClassRuntime',
      {
        functions: [
          {
            function_key: 'f',
            config: { PASSWORD: MARKER },
            provision_config: { container_image: 'i', cpu_request: MARKER },
          },
        ],
      },
    ],
    [
      'state-snapshotter.deckhouse.io/v1alpha1',
      'ManifestCaptureRequest',
      { targets: [{ apiVersion: 'v1', kind: 'Secret', name: 'secret' }] },
    ],
    [
      'state-snapshotter.deckhouse.io/v1alpha1',
      'ManifestCaptureRequest',
      { targets: [{ apiVersion: 'v1', kind: 'Secret', name: 'missing' }] },
    ],
  ] as const;
  return kinds.map(([apiVersion, kind, spec], index) => {
    const name = kind === 'Composition' ? 'owner' : `request-${index}`;
    const { namespace: _none, ...ofCluster } = metadata(name);
    return {
      apiVersion,
      kind,
      metadata: kind === 'Kausality' ? ofCluster : metadata(name),
      spec,
    };
  });
}
