import { type KubeObject, parseTime } from '@kubewright/kube';

/** Milliseconds since an object was created; 0 where that is not known. */
export function ageOf({ metadata }: Pick<KubeObject, 'metadata'>, now: Date): number {
  const { creationTimestamp } = metadata;
  return typeof creationTimestamp === 'string' && creationTimestamp !== ''
    ? now.getTime() - parseTime(creationTimestamp).getTime()
    : 0;
}
