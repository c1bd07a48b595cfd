import { type ClassRuntime, type Dimension, DIMENSIONS } from './api.ts';

type Mode = 'off' | 'observe' | 'enforce';

/** As in the original: an unknown word means `observe`. */
export function enforcementMode({ spec: { enforcement } }: Pick<ClassRuntime, 'spec'>): Mode {
  const word = enforcement?.mode?.toLowerCase();
  return word === 'off' || word === 'enforce' ? word : 'observe';
}

/** Whether the class lists a dimension among the enforced ones, in any mode. */
export function enforces(
  { spec: { enforcement } }: Pick<ClassRuntime, 'spec'>,
  dimension: Dimension | 'odgm_replicas',
): boolean {
  return (enforcement?.dimensions ?? []).some((each) => each.toLowerCase() === dimension);
}

/** Whether a dimension of its functions follows the recommendation. */
export function isEnforced(runtime: Pick<ClassRuntime, 'spec'>, dimension: Dimension): boolean {
  return enforcementMode(runtime) === 'enforce' && enforces(runtime, dimension);
}

/** The dimensions that are enforced. */
export function enforcedDimensions(runtime: Pick<ClassRuntime, 'spec'>): readonly Dimension[] {
  return DIMENSIONS.filter((dimension) => isEnforced(runtime, dimension));
}
