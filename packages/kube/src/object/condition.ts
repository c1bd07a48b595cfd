/** `metav1.Condition`, and near enough every kind's own. */
export type Condition = {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  /** RFC 3339, seconds. */
  readonly lastTransitionTime: string;
};

/** A condition to set; without a transition time, `now` counts if the status changes. */
export type ConditionUpdate = Omit<Condition, 'lastTransitionTime'> & {
  readonly lastTransitionTime?: string;
};

export function getCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether the condition is there and its status is `True`. */
export function isConditionTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return getCondition(conditions, type)?.status === 'True';
}

/** The conditions without that of `type`; the very array it was given if there is none. */
export function removeCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  return getCondition(conditions, type) === undefined
    ? conditions
    : conditions.filter((condition) => condition.type !== type);
}

/**
 * The conditions with `update` among them, after `meta.SetStatusCondition`: the transition time moves only when the
 * status does, everything else is as `update` says, `observedGeneration` too where it says none. Returns the very array it was given if nothing changes, so that `===` tells whether to write.
 */
export function setCondition(
  conditions: readonly Condition[],
  update: ConditionUpdate,
  now: string,
): readonly Condition[] {
  const existing = getCondition(conditions, update.type);
  const moved = existing?.status !== update.status;
  const lastTransitionTime = moved ? (update.lastTransitionTime ?? now) : existing.lastTransitionTime;
  const next: Condition = { ...update, lastTransitionTime };
  if (!existing) return [...conditions, next];
  if (sameCondition(existing, next)) return conditions;
  return conditions.map((condition) => (condition === existing ? next : condition));
}

function sameCondition(a: Condition, b: Condition): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration
  );
}
