import type { Profile } from './profile.ts';

/** Old revisions of a package go when there are more than its limit. */
export const crossplane: readonly Profile[] = (['Provider', 'Configuration', 'Function'] as const).map(
  (kind) => ({
    group: 'pkg.crossplane.io',
    kind,
    source: 'Crossplane 2.4',
    ready: ['Installed', 'Healthy'],
    transient: [`${kind}Revision`],
  }),
);
