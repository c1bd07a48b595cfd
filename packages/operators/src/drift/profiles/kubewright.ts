import type { Profile } from './profile.ts';

/**
 * The status of a class says which size it is about to give a function, so that a crash between both is none; and which
 * children it wants: what a function leaves behind goes after the others are ready.
 */
export const kubewright: readonly Profile[] = [
  {
    group: 'oaas.io',
    kind: 'ClassRuntime',
    source: 'Kubewright',
    wanted: 'resource_refs',
    announced: [
      { kind: 'Deployment', field: 'spec.replicas', at: 'nfr_details.*.enforcement.applying.replicas' },
      {
        kind: 'Service',
        field: 'spec.template.metadata.annotations[autoscaling.knative.dev/min-scale]',
        at: 'nfr_details.*.enforcement.applying.replicas',
      },
      ...['request', 'limit'].map((part) => ({
        kind: 'Deployment',
        field: 'spec.template.spec.containers',
        at: `nfr_details.*.resources.*.enforcement.applying.${part}`,
      })),
    ],
  },
];
