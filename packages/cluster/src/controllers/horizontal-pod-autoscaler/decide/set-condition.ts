import { type autoscalingv2, type Condition, formatTime, setCondition as setOf } from '@kubewright/kube';

type Conditions = readonly autoscalingv2.HorizontalPodAutoscalerCondition[];
export type Note = Pick<Condition, 'reason' | 'message'> & {
  readonly type: 'AbleToScale' | 'ScalingActive' | 'ScalingLimited';
  readonly status: boolean;
};

/** The conditions with this one in its place, or at the end; its time is that of the last change of its status. */
export function setCondition(conditions: Conditions, note: Note, now: number): Conditions {
  const update = { ...note, status: note.status ? ('True' as const) : ('False' as const) };
  return setOf(conditions as readonly Condition[], update, formatTime(new Date(now)));
}
