import type { Phase } from '../api.ts';

/** A transition between phases; without `from`: of a class that has no status yet. */
export type Edge = { readonly from?: Phase; readonly to: Phase; readonly when: string };

/** Every transition that the table can make. No other may happen between two reconciles, whatever fails. */
export const EDGES: readonly Edge[] = [
  { to: 'pending', when: 'first seen' },
  { from: 'pending', to: 'applying', when: 'it has its finalizer' },
  { from: 'pending', to: 'degraded', when: 'it cannot be rendered, or an object is not ours' },
  { from: 'pending', to: 'available', when: 'it has no objects' },
  { from: 'applying', to: 'progressing', when: 'all objects are applied' },
  { from: 'applying', to: 'available', when: 'all objects are applied and ready' },
  { from: 'applying', to: 'degraded', when: 'the server rejects an object' },
  { from: 'progressing', to: 'available', when: 'all objects are ready' },
  { from: 'progressing', to: 'applying', when: 'the class changes' },
  { from: 'progressing', to: 'degraded', when: 'something is wrong, or the timeout is over' },
  { from: 'available', to: 'applying', when: 'the class changes' },
  { from: 'available', to: 'progressing', when: 'readiness is lost for longer than the grace' },
  { from: 'available', to: 'degraded', when: 'something is wrong, or replicas cannot be enforced' },
  { from: 'degraded', to: 'progressing', when: 'nothing is wrong any more' },
  { from: 'degraded', to: 'applying', when: 'the class changes' },
  { to: 'deleting', when: 'deleted' },
  { from: 'pending', to: 'deleting', when: 'deleted' },
  { from: 'applying', to: 'deleting', when: 'deleted' },
  { from: 'progressing', to: 'deleting', when: 'deleted' },
  { from: 'available', to: 'deleting', when: 'deleted' },
  { from: 'degraded', to: 'deleting', when: 'deleted' },
];

export function isLegal(from: Phase | undefined, to: Phase | undefined): boolean {
  return from === to || EDGES.some((edge) => edge.from === from && edge.to === to);
}
