import { customResource, type KubeObject, s } from '@kubewright/kube';

export const WIDGETS = customResource({
  group: 'content.example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  schema: s.object({
    spec: s.optional(
      s.object({
        serial: s.optional(s.integer()),
        factors: s.optional(s.list(s.number())),
        tags: s.optional(s.list(s.object({ Key: s.string(), Value: s.string() }))),
        texts: s.optional(s.record(s.string())),
      }),
    ),
  }),
});

const RBAC = 'rbac.authorization.k8s.io';

/** Everything that loses something in a careless copy. */
export function oddObjects(namespace: string): readonly KubeObject[] {
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name: 'odd', annotations: { 'example.com/note': '\u{1f9ea} \u2028<&>' } },
      data: {
        '10': 'a',
        '2': 'b',
        ['__proto__']: 'c',
        text: 'Ωmega\u0000\u0301\r\n\ttab',
        list: '[{"Key":"a","Value":"b"}]',
      },
      binaryData: { bytes: Buffer.from([0, 255, 128]).toString('base64') },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name: 'key' },
      type: 'Opaque',
      data: { password: 'aHVudGVyMg==' },
    },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name: 'robot' } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace, name: 'web' },
      spec: { ports: [{ port: 80 }] },
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { namespace, name: 'robot' },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace }],
    },
    {
      apiVersion: `${WIDGETS.group}/v1`,
      kind: 'Widget',
      metadata: { namespace, name: 'big' },
      spec: {
        serial: 9_007_199_254_740_993n,
        factors: [1, 0.1, 1e-7, 1e21],
        // A careless reader makes a map of these.
        tags: [{ Key: 'a', Value: 'b' }],
        texts: { '10': 'a', '2': 'b', ['__proto__']: '<&>' },
      },
    },
  ];
}
