import { formatTime, type ObjectMeta } from '@kubewright/kube';

const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

/** Metadata with the time of the change that it is written for (milliseconds), or without one. */
export function withTriggerTime<M extends ObjectMeta>(metadata: M, time: number | undefined): M {
  const { [TRIGGER_TIME]: _, ...annotations } = metadata.annotations ?? {};
  const trigger = time === undefined ? {} : { [TRIGGER_TIME]: formatTime(new Date(time)) };
  return { ...metadata, annotations: { ...annotations, ...trigger } };
}
