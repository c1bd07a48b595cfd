import { type autoscalingv2, defined, formatTime } from '@kubewright/kube';

type Condition = autoscalingv2.HorizontalPodAutoscalerCondition;
export type Note = {
  readonly type: 'AbleToScale' | 'ScalingActive' | 'ScalingLimited';
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
};

/** The conditions with this one in its place, or at the end; its time is that of the last change of its status. */
export function setCondition(
  conditions: readonly Condition[],
  note: Note,
  now: number,
): readonly Condition[] {
  const { type, reason, message } = note;
  const status = note.status ? 'True' : 'False';
  const old = conditions.find((condition) => condition.type === type);
  const since = old?.status === status ? old.lastTransitionTime : formatTime(new Date(now));
  const next = {
    type,
    status,
    ...defined({ lastTransitionTime: since }),
    reason,
    message,
  };
  if (old === undefined) return [...conditions, next];
  return conditions.map((condition) => (condition === old ? next : condition));
}
