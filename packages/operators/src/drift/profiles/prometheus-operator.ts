import type { Profile } from './profile.ts';

/** Rules and configuration are collected from other objects; labels and annotations are part of what is hashed. */
export const prometheusOperator: readonly Profile[] = (
  ['Prometheus', 'PrometheusAgent', 'Alertmanager', 'ThanosRuler'] as const
).map((kind) => ({
  group: 'monitoring.coreos.com',
  kind,
  source: 'Prometheus Operator 0.85',
  ready: ['Available', 'Reconciled'],
  changing: [
    { kind: 'Secret', fields: ['data'] },
    { kind: 'ConfigMap', fields: ['data', 'binaryData'] },
  ],
  transient: ['ConfigMap', 'Secret'],
  follows: ['*'],
}));
