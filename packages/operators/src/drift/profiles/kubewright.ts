import type { Profile } from './profile.ts';

/** The status of a class says which size it is about to give a function, so that a crash between both is none. */
export const kubewright: readonly Profile[] = [
  {
    group: 'oaas.io',
    kind: 'ClassRuntime',
    source: 'Kubewright',
    announced: [
      { kind: 'Deployment', field: 'spec.replicas', at: 'nfr_details.*.enforcement.applying.replicas' },
      ...['request', 'limit'].map((part) => ({
        kind: 'Deployment',
        field: 'spec.template.spec.containers',
        at: `nfr_details.*.resources.*.enforcement.applying.${part}`,
      })),
    ],
  },
];
