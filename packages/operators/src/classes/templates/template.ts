import type { ClassRuntime } from '../api.ts';
import type { Settings } from '../settings.ts';
import type { Desired, Place, RenderedFunction } from './rendering.ts';

export type Requirements = NonNullable<ClassRuntime['spec']['nfr_requirements']>;
/** The settings by which templates are selected. */
export type SelectionInput = Pick<Settings, 'profile' | 'isEdge' | 'isDatacenter' | 'knative'>;

/** How a class is deployed. Stateless. */
export type Template = {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly odgmImage: string;
  /** The highest score wins; of equal ones the first of the list. */
  score(input: SelectionInput, requirements: Requirements): number;
  /** The objects of a function that is not WASM. */
  functionObjects(each: RenderedFunction, place: Place): readonly Desired[];
};

export const ODGM_REGISTRY = 'ghcr.io/pawissanutt/oaas-rs/odgm';

/** Requirements with the defaults of those that are not given. */
export function requirementsOf({
  min_throughput_rps = 0,
  max_latency_ms = Number.POSITIVE_INFINITY,
  availability_pct = 99,
  consistency = 'eventual',
}: Requirements): Required<Requirements> {
  return { min_throughput_rps, max_latency_ms, availability_pct, consistency };
}
