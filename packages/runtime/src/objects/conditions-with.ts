import type { Clock } from '@kubewright/client';
import {
  type Condition,
  type ConditionUpdate,
  formatTime,
  type KubeObject,
  setCondition,
} from '@kubewright/kube';

/** An object whose status has conditions. */
export type WithConditions = KubeObject & {
  readonly status?: { readonly conditions?: readonly Condition[] };
};

/**
 * The conditions of `object` with `updates`, which get the object's generation as `observedGeneration`. Returns the same
 * array when nothing changes.
 *
 * @example `const status = { ready, conditions: conditionsWith(manager, site, { type: 'Ready', status: 'True', reason: 'Up', message: '' }) };`
 */
export function conditionsWith(
  { clock }: { readonly clock: Clock },
  { status, metadata }: WithConditions,
  ...updates: readonly ConditionUpdate[]
): readonly Condition[] {
  const now = formatTime(new Date(clock.now()));
  const { generation } = metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  return updates.reduce<readonly Condition[]>(
    (conditions, update) => setCondition(conditions, { ...observed, ...update }, now),
    status?.conditions ?? [],
  );
}
