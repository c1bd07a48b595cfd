import type { corev1, KubeObject } from '@kubewright/kube';
import { ANNOTATIONS, BROKER_SECRET, GROUP, type StatefulMigration } from '../api.ts';
import { nameOf } from '../pods/under-name.ts';

type QueueConfig = StatefulMigration['spec']['messageQueueConfig'];
type AnyPod = KubeObject & Pick<corev1.Pod, 'spec'>;

/** What the annotations of a pod say of its queue; undefined: it does not say that it can be moved. */
export function queueConfigOf(pod: AnyPod): QueueConfig | undefined {
  const { annotations = {}, namespace = '' } = pod.metadata;
  const of = { name: nameOf(pod), namespace };
  const valueOf = (key: string): string => expanded(annotations[key] ?? '', of);
  const [queueName, exchangeName] = [valueOf(ANNOTATIONS.queue), valueOf(ANNOTATIONS.exchange)];
  if (queueName === '' || exchangeName === '') return undefined;
  const [routingKey, brokerUrl] = [valueOf(ANNOTATIONS.routingKey), valueOf(ANNOTATIONS.broker)];
  const config = {
    queueName,
    exchangeName,
    routingKey: routingKey === '' ? queueName : routingKey,
    brokerUrl,
  };
  const brokerSecret = valueOf(ANNOTATIONS.brokerSecret);
  if (brokerUrl !== '') return config;
  return { ...config, brokerSecret: brokerSecret === '' ? BROKER_SECRET : brokerSecret };
}

/** `$(POD_INDEX)` is the ordinal of a StatefulSet's pod: one template is of them all. */
function expanded(
  value: string,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): string {
  return value
    .replaceAll('$(POD_NAME)', name)
    .replaceAll('$(POD_INDEX)', /-(\d+)$/.exec(name)?.[1] ?? '')
    .replaceAll('$(NAMESPACE)', namespace);
}

export type Move = {
  readonly pod: AnyPod;
  readonly targetNode: string;
  readonly messageQueueConfig: QueueConfig;
  readonly metadata: KubeObject['metadata'];
  readonly ttlSecondsAfterFinished: number;
};

/** The StatefulMigration that moves a pod to a node. */
export function migrationOf({ pod, metadata, ...spec }: Move): KubeObject {
  const { namespace = '', name: sourcePod = '' } = pod.metadata;
  return {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'StatefulMigration',
    metadata: { namespace, ...metadata },
    spec: { sourcePod, ...spec },
  };
}
