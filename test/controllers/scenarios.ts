import type { Scenario } from './scenario.ts';
import { argoRollouts } from './scenarios/argo-rollouts.ts';
import { certManager } from './scenarios/cert-manager.ts';
import { jobset } from './scenarios/jobset.ts';
import { kubeRay } from './scenarios/kuberay.ts';
import { kustomizeController } from './scenarios/kustomize-controller.ts';
import { lws } from './scenarios/lws.ts';
import { prometheusOperator } from './scenarios/prometheus-operator.ts';
import { sealedSecrets } from './scenarios/sealed-secrets.ts';

/** The lives of controllers, each played alone. */
export const SCENARIOS: readonly Scenario[] = [
  argoRollouts,
  certManager,
  jobset,
  kubeRay,
  kustomizeController,
  lws,
  prometheusOperator,
  sealedSecrets,
];
