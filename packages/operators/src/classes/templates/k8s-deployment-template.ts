import { functionObjects } from './function-objects.ts';
import { ODGM_REGISTRY, requirementsOf, type SelectionInput, type Template } from './template.ts';

/** Above `edge` with all its bonuses: a cluster of which nothing is said is not at the edge. */
const ANYWHERE = 100;

export const k8sDeploymentTemplate: Template = {
  id: 'k8s_deployment',
  aliases: ['deployment', 'k8s'],
  odgmImage: `${ODGM_REGISTRY}:latest`,
  score(input, requirements) {
    const { min_throughput_rps, max_latency_ms, availability_pct, consistency } =
      requirementsOf(requirements);
    return (
      baseOf(input) +
      (min_throughput_rps >= 1500 ? 3 : 0) +
      (max_latency_ms <= 50 ? 3 : 0) +
      (availability_pct >= 99.95 ? 2 : 0) +
      (consistency === 'strong' ? 2 : 0)
    );
  },
  functionObjects,
};

function baseOf({ profile, isDatacenter }: SelectionInput): number {
  if (profile === 'k8s_deployment') return 800_000;
  return isDatacenter ? 600_000 : ANYWHERE;
}
