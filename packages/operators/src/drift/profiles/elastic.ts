import type { Profile } from './profile.ts';

const SOURCE = 'Elastic Cloud on Kubernetes 3.5';
/** Certificates are renewed, users and settings are collected from other objects. */
const changing = [
  { kind: 'Secret', fields: ['data'] },
  { kind: 'ConfigMap', fields: ['data'] },
] as const;

export const elastic: readonly Profile[] = [
  {
    group: 'elasticsearch.k8s.elastic.co',
    kind: 'Elasticsearch',
    source: SOURCE,
    ready: ['ReconciliationComplete'],
    working: [{ field: 'phase', values: ['ApplyingChanges', 'MigratingData'] }],
    changing,
  },
  { group: 'kibana.k8s.elastic.co', kind: 'Kibana', source: SOURCE, ready: [], changing },
];
