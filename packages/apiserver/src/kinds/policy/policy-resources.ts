import type { Declaration } from '../../model/declaration.ts';
import { podDisruptionBudget, podDisruptionBudgetStatus } from './pod-disruption-budget.ts';

/** `policy/v1`. */
export const POLICY_RESOURCES: readonly Declaration[] = [
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    resource: 'poddisruptionbudgets',
    short: ['pdb'],
    strategy: podDisruptionBudget,
    status: podDisruptionBudgetStatus,
    rest: { unconditionalUpdate: false },
  },
];
