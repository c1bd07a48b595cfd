import type { Alert } from '../kit/operator.ts';

/** When somebody should look at classes. The metrics are those of `class-metrics.ts`, `add-phase-metrics.ts` and `nfr-metrics.ts`. */
export const classAlerts: readonly Alert[] = [
  {
    name: 'ClassDegraded',
    expr: 'max(crm_classruntimes{phase="degraded"}) > 0',
    for: '10m',
    severity: 'warning',
    summary: 'A class has been degraded for ten minutes',
    description:
      '"kubectl get crt -A" shows which, and its reason; "kubewright class explain NAME" what would change it. The column Serving says whether it still serves.',
  },
  {
    name: 'ClassNotServing',
    expr: 'max(crm_condition{type="Serving",status="False"}) > 0 and max(crm_classruntimes{phase="degraded"}) > 0',
    for: '10m',
    severity: 'critical',
    summary: 'A class does not serve, and some are degraded',
    description: 'The condition Serving names the object that has no pod which is available.',
  },
  {
    name: 'ClassLoadUnknown',
    expr: 'max(crm_nfr_recommendation_age_seconds) > 900',
    for: '15m',
    severity: 'warning',
    summary: 'The load of a class has not been known for half an hour',
    description:
      'Its replicas stay as they are, or do not become less. The condition NfrObserved says what is wrong with the source of metrics; "kubewright class doctor NAME" checks it.',
  },
  {
    name: 'ClassEnforcementFailed',
    expr: 'sum(increase(crm_nfr_enforcement_fail_total[30m])) > 3',
    severity: 'warning',
    summary: 'What is recommended for a class cannot be enforced',
    description:
      'The label reason, and the condition NfrEnforced, say why: another manager owns the field, or the server rejects the change.',
  },
  {
    name: 'ClassReconcilesFail',
    expr: 'sum(increase(crm_reconcile_total{result="error"}[15m])) > 10',
    severity: 'warning',
    summary: 'Reconciles of classes fail again and again',
    description:
      'The log of the manager has the error. Most often it lacks a right, or the API server is overloaded.',
  },
];
