import { functionObjects } from './function-objects.ts';
import { ODGM_REGISTRY, requirementsOf, type Template } from './template.ts';

export const edgeTemplate: Template = {
  id: 'edge',
  aliases: [],
  odgmImage: `${ODGM_REGISTRY}:latest`,
  score({ profile, isEdge }, requirements) {
    const { min_throughput_rps, max_latency_ms, availability_pct } = requirementsOf(requirements);
    return (
      (profile === 'edge' || isEdge ? 1_000_000 : 0) +
      (min_throughput_rps >= 300 ? 2 : 0) +
      (max_latency_ms <= 150 ? 2 : 0) +
      (availability_pct >= 99.9 ? 1 : 0)
    );
  },
  functionObjects,
};
