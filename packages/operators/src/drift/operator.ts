import type { Operator } from '../kit/operator.ts';

/** Judges the changes that controllers make: who asked for them, and what to do with those that nobody asked for. */
export const drift: Operator = {
  name: 'drift',
  summary:
    'denies or reports what controllers change although nobody changed its parent, and traces the rest',
  load: async () => (await import('./controller.ts')).driftParts,
};
