import type { Scenario } from './scenario.ts';
import { certManager } from './scenarios/cert-manager.ts';
import { jobset } from './scenarios/jobset.ts';

/** The lives of controllers, each played alone. */
export const SCENARIOS: readonly Scenario[] = [certManager, jobset];
