import type { ClassRuntime } from './api.ts';

type Mode = 'off' | 'observe' | 'enforce';

/** As the original reads it: whatever is none of the words is `observe`. */
export function enforcementMode({ spec: { enforcement } }: Pick<ClassRuntime, 'spec'>): Mode {
  const word = enforcement?.mode?.toLowerCase();
  return word === 'off' || word === 'enforce' ? word : 'observe';
}

/** Whether replicas are among what a class wants enforced, whatever its mode. */
export function enforcesReplicas({ spec: { enforcement } }: Pick<ClassRuntime, 'spec'>): boolean {
  return (enforcement?.dimensions ?? []).some((dimension) => dimension.toLowerCase() === 'replicas');
}

/** Whether its functions' replicas follow what is recommended. */
export function isEnforced(runtime: Pick<ClassRuntime, 'spec'>): boolean {
  return enforcementMode(runtime) === 'enforce' && enforcesReplicas(runtime);
}
