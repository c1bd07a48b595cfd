import type { ClassRuntime } from './api.ts';

type Mode = 'off' | 'observe' | 'enforce';

/** As in the original: an unknown word means `observe`. */
export function enforcementMode({ spec: { enforcement } }: Pick<ClassRuntime, 'spec'>): Mode {
  const word = enforcement?.mode?.toLowerCase();
  return word === 'off' || word === 'enforce' ? word : 'observe';
}

/** Whether the class lists replicas among its enforced dimensions, in any mode. */
export function enforcesReplicas({ spec: { enforcement } }: Pick<ClassRuntime, 'spec'>): boolean {
  return (enforcement?.dimensions ?? []).some((dimension) => dimension.toLowerCase() === 'replicas');
}

/** Whether its functions' replicas follow the recommendation. */
export function isEnforced(runtime: Pick<ClassRuntime, 'spec'>): boolean {
  return enforcementMode(runtime) === 'enforce' && enforcesReplicas(runtime);
}
