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

/**
 * The conditions with `update` among them, after `meta.SetStatusCondition`: the transition time moves only when the
 * status does. Returns the very array it was given if nothing changes, so that `===` tells whether to write.
 */
export function setCondition(
  conditions: readonly Condition[],
  update: ConditionUpdate,
  now: string,
): readonly Condition[] {
  const existing = getCondition(conditions, update.type);
  const moved = existing?.status !== update.status;
  const lastTransitionTime = moved ? (update.lastTransitionTime ?? now) : existing.lastTransitionTime;
  const next: Condition = { ...existing, ...update, lastTransitionTime };
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
