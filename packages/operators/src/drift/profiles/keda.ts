import type { Profile } from './profile.ts';

/** Neither says which generation it has seen. Jobs and autoscalers come again as they were. */
export const keda: readonly Profile[] = (['ScaledObject', 'ScaledJob'] as const).map((kind) => ({
  group: 'keda.sh',
  kind,
  source: 'KEDA 2.20',
  ready: ['Ready'],
}));
