import type { ClassRuntime } from '../api.ts';
import type { Settings } from '../settings.ts';

/** How a class is deployed. Stateless: its score, and what it renders differently. */
export type Template = {
  readonly id: string;
  readonly aliases: readonly string[];
  /** The highest score wins; of equal ones the first. */
  score(profile: string, requirements: Requirements): number;
  readonly odgmImage: string;
};

type Requirements = NonNullable<ClassRuntime['spec']['nfr_requirements']>;

const REGISTRY = 'ghcr.io/pawissanutt/oaas-rs/odgm';

const TEMPLATES: readonly [Template, ...Template[]] = [
  {
    id: 'dev',
    aliases: [],
    score: (profile) => (profile === 'dev' ? 1_000_000 : -10),
    odgmImage: `${REGISTRY}:dev-alpha`,
  },
  {
    id: 'k8s_deployment',
    aliases: ['deployment', 'k8s'],
    score: (profile, requirements) => (profile === 'k8s_deployment' ? 800_000 : 0) + bonus(requirements),
    odgmImage: `${REGISTRY}:latest`,
  },
];

function bonus({
  min_throughput_rps = 0,
  max_latency_ms = Number.POSITIVE_INFINITY,
  availability_pct = 99,
  consistency,
}: Requirements): number {
  return (
    (min_throughput_rps >= 1500 ? 3 : 0) +
    (max_latency_ms <= 50 ? 3 : 0) +
    (availability_pct >= 99.95 ? 2 : 0) +
    (consistency === 'strong' ? 2 : 0)
  );
}

/** The template that a class names, else the one with the highest score; `isFallback`: the named one is unknown. */
export function selectTemplate(
  { spec }: ClassRuntime,
  { profile }: Pick<Settings, 'profile'>,
): { readonly template: Template; readonly isFallback: boolean } {
  const wanted = spec.selected_template;
  const named = TEMPLATES.find(({ id, aliases }) => [id, ...aliases].includes(wanted ?? ''));
  if (named !== undefined) return { template: named, isFallback: false };
  const requirements = spec.nfr_requirements ?? {};
  const template = TEMPLATES.reduce((best, other) =>
    other.score(profile, requirements) > best.score(profile, requirements) ? other : best,
  );
  return { template, isFallback: wanted !== undefined };
}
