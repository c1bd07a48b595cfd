import { knativeObjects } from './knative-objects.ts';
import { ODGM_REGISTRY, requirementsOf, type SelectionInput, type Template } from './template.ts';

const LARGE: readonly string[] = ['full', 'prod', 'production'];

export const knativeTemplate: Template = {
  id: 'knative',
  aliases: ['kn', 'knsvc'],
  odgmImage: `${ODGM_REGISTRY}:latest`,
  score(input, requirements) {
    const { min_throughput_rps, max_latency_ms } = requirementsOf(requirements);
    return baseOf(input) + (min_throughput_rps >= 500 ? 2 : 0) + (max_latency_ms <= 100 ? 2 : 0);
  },
  functionObjects: knativeObjects,
};

function baseOf({ profile, isDatacenter, isEdge }: SelectionInput): number {
  if (isDatacenter || LARGE.includes(profile)) return 900_000;
  return isEdge ? 600_000 : 100_000;
}
