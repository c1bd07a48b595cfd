import { controllerOf, defined, type corev1, type KubeObject, type Stored } from '@kubewright/kube';
import { RESTORE_MODE } from '@kubewright/migratable';
import { setControllerReference } from '@kubewright/runtime';
import { LABELS, ROLES, type StatefulMigration } from '../api.ts';
import { onNode } from './on-node.ts';
import { nameOf, underName } from './under-name.ts';

/** The service account token's volume, which every pod gets anew under a generated name. */
const TOKEN_VOLUME = /^kube-api-access-/;

/**
 * A pod like `source`, on the target node, which waits for the source's state. Its containers see the name of the source, by which
 * the application may know its queue. It lacks the StatefulSet's subdomain: the name in the DNS is the source's. The migration is
 * its controller, so that nobody adopts it. The controller of the source is an owner besides: the garbage collector does not
 * delete the pod, which may have the only state, when the migration is deleted in the foreground.
 */
export function shadowPod(
  source: Stored<corev1.Pod>,
  migration: StatefulMigration,
  name: string,
): KubeObject & corev1.Pod {
  const { namespace, labels, annotations } = source.metadata;
  const { hostname, subdomain: _domain, ...spec } = copiedSpec(source.spec);
  const marks = { [LABELS.migration]: migration.metadata.uid, [LABELS.role]: ROLES.shadow };
  const pod: KubeObject & corev1.Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      labels: { ...labels, ...marks },
      ...defined({ annotations, ownerReferences: keeperOf(source) }),
    },
    spec: restoring(onNode(spec, migration.spec.targetNode), migration),
  };
  // A process of the original is restored with the queue that it had, and finds its commands by the name of its host.
  const isRestored = migration.status?.handover?.checkpoint !== undefined;
  return setControllerReference(migration, isRestored ? pod : underName(pod, nameOf(source), hostname));
}

/** A ReplicaSet, too: the migration may be deleted in the foreground after the handover, before the shadow is released. */
function keeperOf(source: Stored<corev1.Pod>) {
  const owner = controllerOf(source);
  if (owner === undefined) return undefined;
  const { apiVersion, kind, name, uid } = owner;
  return [{ apiVersion, kind, name, uid }];
}

/** What of a pod's spec another one can be created with: not its node, its token, and what it was debugged with. */
export function copiedSpec({ nodeName: _node, ephemeralContainers: _debug, ...spec }: corev1.PodSpec) {
  return withoutToken(spec);
}

function withoutToken<S extends corev1.PodSpec>(spec: S): S {
  const containers = spec.containers.map((container) => withoutMount(container));
  const init = spec.initContainers?.map((container) => withoutMount(container));
  const volumes = spec.volumes?.filter(({ name }) => !TOKEN_VOLUME.test(name));
  return {
    ...spec,
    containers,
    ...defined({ initContainers: init, volumes }),
  };
}

function withoutMount(container: corev1.Container): corev1.Container {
  const { volumeMounts, ...rest } = container;
  if (volumeMounts === undefined) return container;
  return { ...rest, volumeMounts: volumeMounts.filter(({ name }) => !TOKEN_VOLUME.test(name)) };
}

/** A pod that gets the state: its process is restored from a checkpoint, or waits for the state at its start. */
export function restoring<S extends corev1.PodSpec>(spec: S, { status }: StatefulMigration): S {
  const { handover, containerName } = status ?? {};
  if (handover?.checkpoint === undefined) return waiting(spec);
  const { image } = handover.checkpoint;
  // A process that starts anew instead waits too; the restored one does not look.
  const { containers: all } = waiting(spec);
  // One by digest is in a registry; any other is on the node alone.
  const imagePullPolicy = image.includes('@sha256:') ? ('IfNotPresent' as const) : ('Never' as const);
  const containers = all.map((container) =>
    container.name === containerName ? { ...container, image, imagePullPolicy } : container,
  );
  return { ...spec, containers };
}

function waiting<S extends corev1.PodSpec>(spec: S): S {
  const containers = spec.containers.map((container) => ({
    ...container,
    env: [
      ...(container.env ?? []).filter(({ name }) => name !== RESTORE_MODE),
      { name: RESTORE_MODE, value: 'true' },
    ],
  }));
  return { ...spec, containers };
}
