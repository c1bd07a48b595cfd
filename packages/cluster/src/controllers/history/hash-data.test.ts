import { expect, test } from 'vitest';
import { hashData } from './hash-data.ts';
import { revisionData } from './revision-data.ts';

const container = {
  name: 'web',
  image: 'web:1',
  imagePullPolicy: 'IfNotPresent',
  resources: { requests: { cpu: '500m' } },
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
} as const;
const template = {
  // Characters that Go escapes.
  metadata: { annotations: { x: 'a<b&c>d' }, labels: { app: 'web' } },
  spec: {
    containers: [container],
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    volumes: [{ name: 't', emptyDir: {} }],
  },
} as const;

test('data hash to what kube-controller-manager makes of them', () => {
  expect(hashData(revisionData(template), 0)).toBe('69d4fc46b5');
});

test('the order of keys does not count, a collision does', () => {
  const { metadata, spec } = template;
  const data = revisionData({ spec, metadata });
  expect(hashData(data, 0)).toBe('69d4fc46b5');
  expect(hashData(data, 1)).not.toBe('69d4fc46b5');
});
