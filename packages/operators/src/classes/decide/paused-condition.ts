import { type Condition, defined, formatTime, setCondition } from '@kubewright/kube';
import type { ClassRuntimeStatus } from '../api.ts';
import type { Facts } from './facts.ts';

const TYPE = 'Paused';

type Update = Pick<Condition, 'type' | 'reason' | 'message'> & { readonly is: boolean };

/** `Paused` is there from the first time that it is true. */
export function pausedCondition({ isPaused, status }: Pick<Facts, 'isPaused' | 'status'>): readonly Update[] {
  const wasPaused = status.conditions?.some(({ type }) => type === TYPE) === true;
  if (isPaused)
    return [{ type: TYPE, is: true, reason: 'Paused', message: 'nothing is done until it is resumed' }];
  return wasPaused ? [{ type: TYPE, is: false, reason: 'Resumed', message: '' }] : [];
}

/** Of a paused class: nothing else is said anew. */
export function pausedStatus({ isPaused, status, runtime, now }: Facts): ClassRuntimeStatus {
  const { generation } = runtime.metadata;
  const conditions = pausedCondition({ isPaused, status }).reduce<readonly Condition[]>(
    (all, { is, ...update }) =>
      setCondition(
        all,
        { ...defined({ observedGeneration: generation }), ...update, status: is ? 'True' : 'False' },
        formatTime(now),
      ),
    status.conditions ?? [],
  );
  return conditions === status.conditions ? status : { ...status, conditions };
}
