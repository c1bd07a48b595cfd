import { isJsonObject, type Json, type KubeObject, ownerReferenceTo, type Stored } from '@kubewright/kube';

/** What no API server has as the name of an object, or as part of one. */
export const IMPOSSIBLE_NAMES = [
  'a/b',
  '..',
  '.',
  'a%2fb',
  'A_b c',
  'x'.repeat(300),
  'a?b#c',
  '\ud800',
] as const;

/** A field that names something. */
export type NamedPlace = {
  readonly field: string;
  readonly object: (name: string) => KubeObject;
  /** Whether the operator has said what becomes of it. */
  readonly isOver: (live: KubeObject | undefined) => boolean;
};

/** Every field of all operators that names an object, in objects of a namespace. `owner` is the Composition of the slices. */
export function namedPlaces(namespace: string, prefix: string, owner: Stored): readonly NamedPlace[] {
  const ownerReferences = [ownerReferenceTo(owner, { controller: true })];
  let count = 0;
  const metadata = (isCluster = false) => ({
    name: `${prefix}-${count++}`,
    ...(isCluster ? {} : { namespace, ownerReferences }),
  });
  const place =
    (apiVersion: string, kind: string, isOver: NamedPlace['isOver'], isCluster = false) =>
    (field: string, spec: (name: string) => object): NamedPlace => ({
      field,
      isOver,
      object: (name) => ({ apiVersion, kind, metadata: metadata(isCluster), spec: spec(name) }),
    });
  const move = place(
    'migration.ms2m.io/v1alpha1',
    'StatefulMigration',
    hasPhase(['Rejected', 'Failed', 'Aborted', 'Completed']),
  );
  const moved = (fields: object, queue: object = { brokerUrl: 'amqp://127.0.0.1:1' }): object => ({
    sourcePod: 'a',
    targetNode: 'node-1',
    messageQueueConfig: { queueName: 'q', exchangeName: 'e', routingKey: 'k', ...queue },
    ...fields,
  });
  const capture = place('state-snapshotter.deckhouse.io/v1alpha1', 'ManifestCaptureRequest', isFinished);
  const captured = (target: object): object => ({
    targets: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', ...target }],
  });
  const volume = place('storage-foundation.deckhouse.io/v1alpha1', 'VolumeCaptureRequest', isFinished);
  const claim = { uid: 'u', apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: 'a' };
  const restore = place('storage-foundation.deckhouse.io/v1alpha1', 'VolumeRestoreRequest', isFinished);
  const restored = (source: object, template: object = {}, spec: object = {}): object => ({
    sourceRef: { kind: 'VolumeSnapshotContent', name: 'a', ...source },
    pvcTemplate: { metadata: { name: 'a', ...template }, spec: { accessModes: ['ReadWriteOnce'], ...spec } },
  });
  const keeper = place('deckhouse.io/v1alpha1', 'ObjectKeeper', isGoneOrPhased, true);
  const kept = (ref: object): object => ({
    mode: 'FollowObject',
    followObjectRef: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a', uid: 'u', ...ref },
  });
  const composition = place('eno.azure.io/v1', 'Composition', hasStatus);
  const slice = place('eno.azure.io/v1', 'ResourceSlice', hasStatus);
  const sliced = (fields: object, meta: object = {}): object => ({
    resources: [
      {
        manifest: JSON.stringify({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'a', namespace, ...meta },
          ...fields,
        }),
      },
    ],
  });
  const classes = place('oaas.io/v1alpha1', 'ClassRuntime', hasStatus);
  const policy = place('kausality.io/v1alpha1', 'Kausality', hasStatus, true);
  const policed = (rule: object, more: object = {}): object => ({
    resources: [{ apiGroups: ['apps'], resources: ['deployments'], ...rule }],
    mode: 'log',
    namespaces: { names: ['nowhere'] },
    ...more,
  });
  return [
    move('sourcePod', (name) => moved({ sourcePod: name })),
    move('targetNode', (name) => moved({ targetNode: name })),
    move('containerName', (name) => moved({ containerName: name })),
    move('brokerSecret', (name) => moved({}, { brokerSecret: name })),
    capture('targets[0].name', (name) => captured({ name })),
    capture('targets[0].kind', (name) => captured({ kind: name })),
    capture('targets[0].apiVersion', (name) => captured({ apiVersion: `${name}/v1` })),
    volume('target.name', (name) => ({ mode: 'Snapshot', target: { ...claim, name } })),
    volume('target.namespace', (name) => ({ mode: 'Snapshot', target: { ...claim, namespace: name } })),
    restore('sourceRef.name', (name) => restored({ name })),
    restore('sourceRef.namespace', (name) => restored({ namespace: name })),
    restore('pvcTemplate.metadata.name', (name) => restored({}, { name })),
    restore('pvcTemplate.spec.storageClassName', (name) => restored({}, {}, { storageClassName: name })),
    keeper('followObjectRef.name', (name) => kept({ name })),
    keeper('followObjectRef.namespace', (name) => kept({ namespace: name })),
    keeper('followObjectRef.kind', (name) => kept({ kind: name })),
    keeper('followObjectRef.apiVersion', (name) => kept({ apiVersion: `${name}/v1` })),
    composition('synthesizer.name', (name) => ({ synthesizer: { name } })),
    slice('a name', (name) => sliced({}, { name })),
    slice('a namespace', (name) => sliced({}, { namespace: name })),
    slice('a kind', (name) => sliced({ kind: name })),
    slice('an apiVersion', (name) => sliced({ apiVersion: `${name}/v1` })),
    classes('functions[0].function_key', (name) => ({
      functions: [{ function_key: name, provision_config: { container_image: 'i' } }],
    })),
    classes('selected_template', (name) => ({ selected_template: name })),
    policy('apiGroups', (name) => policed({ apiGroups: [name] })),
    policy('resources', (name) => policed({ resources: [name] })),
    policy('namespaces.names', (name) => policed({}, { namespaces: { names: [name] } })),
  ];
}

function statusOf(live: KubeObject | undefined): Readonly<Record<string, Json | undefined>> | undefined {
  const status = live?.['status'];
  return isJsonObject(status) ? status : undefined;
}

const hasStatus: NamedPlace['isOver'] = (live) => statusOf(live) !== undefined;
const isFinished: NamedPlace['isOver'] = (live) => statusOf(live)?.['completionTimestamp'] !== undefined;
const isGoneOrPhased: NamedPlace['isOver'] = (live) => live === undefined || hasStatus(live);

function hasPhase(phases: readonly string[]): NamedPlace['isOver'] {
  return (live) => {
    const phase = statusOf(live)?.['phase'];
    return typeof phase === 'string' && phases.includes(phase);
  };
}
