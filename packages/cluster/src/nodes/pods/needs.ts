import type { corev1, Stored } from '@kubewright/kube';
import { podContainers } from './pod-containers.ts';

/** Something beside images that a pod cannot start without. */
export type Need = {
  readonly kind: 'ConfigMap' | 'Secret' | 'PersistentVolumeClaim';
  readonly name: string;
  /** These it has to hold. */
  readonly keys: readonly string[];
};

/** What volumes of the whole pod are made of, and what the environment of one container is. */
export type Needs = {
  readonly volumes: readonly { readonly volume: string; readonly need: Need }[];
  readonly containers: readonly { readonly container: string; readonly need: Need }[];
};

/** All that a pod cannot start without. What is optional is not in it. */
export function needsOf(pod: Stored<corev1.Pod>): Needs {
  const { name } = pod.metadata;
  return {
    volumes: (pod.spec.volumes ?? []).flatMap((volume) =>
      volumeNeeds(name, volume).map((need) => ({ volume: volume.name, need })),
    ),
    containers: podContainers(pod).flatMap(({ container }) =>
      environmentNeeds(container).map((need) => ({ container: container.name, need })),
    ),
  };
}

type Source = { readonly optional?: boolean; readonly items?: readonly { readonly key: string }[] };

function need(
  kind: Need['kind'],
  name: string | undefined,
  { optional, items = [] }: Source = {},
): readonly Need[] {
  if (name === undefined || optional === true) return [];
  return [{ kind, name, keys: items.map(({ key }) => key) }];
}

function volumeNeeds(pod: string, volume: corev1.Volume): readonly Need[] {
  const { configMap, secret, persistentVolumeClaim: claim, ephemeral, projected } = volume;
  return [
    ...need('ConfigMap', configMap?.name, configMap),
    ...need('Secret', secret?.secretName, secret),
    ...need('PersistentVolumeClaim', claim?.claimName),
    ...need('PersistentVolumeClaim', ephemeral === undefined ? undefined : `${pod}-${volume.name}`),
    ...(projected?.sources ?? []).flatMap((source) => [
      ...need('ConfigMap', source.configMap?.name, source.configMap),
      ...need('Secret', source.secret?.name, source.secret),
    ]),
  ];
}

function environmentNeeds({ env = [], envFrom = [] }: corev1.Container): readonly Need[] {
  return [
    ...envFrom.flatMap(({ configMapRef, secretRef }) => [
      ...need('ConfigMap', configMapRef?.name, configMapRef),
      ...need('Secret', secretRef?.name, secretRef),
    ]),
    ...env.flatMap(({ valueFrom: { configMapKeyRef, secretKeyRef } = {} }) => [
      ...keyNeed('ConfigMap', configMapKeyRef),
      ...keyNeed('Secret', secretKeyRef),
    ]),
  ];
}

function keyNeed(kind: Need['kind'], ref: corev1.ConfigMapKeySelector | undefined): readonly Need[] {
  return ref === undefined ? [] : need(kind, ref.name, { ...ref, items: [{ key: ref.key }] });
}
