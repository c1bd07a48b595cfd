import type { GraphObject, OwnerSpec } from './graph.ts';

export const object = (name: string, ...owners: readonly (string | OwnerSpec)[]): GraphObject => ({
  name,
  owners,
});
export const blocked = (to: string): OwnerSpec => ({ to, block: true });
export const OWN = 'example.com/own';
export const kept = (one: GraphObject): GraphObject => ({ ...one, finalizers: [OWN] });
export const GHOST = '00000000-0000-4000-8000-000000000000';
