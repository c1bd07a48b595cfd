import type { corev1, KubeObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { NAMED_AFTER } from '../api.ts';
import { podOf } from '../testing/migration-bench.ts';
import { queueConfigOf } from '../evictions/migration-of.ts';
import { nameOf, underName } from './under-name.ts';

const OWN = { fieldRef: { fieldPath: 'metadata.name' } };
const ANNOTATION = { fieldRef: { fieldPath: `metadata.annotations['${NAMED_AFTER}']` } };

function pod(spec: Partial<corev1.PodSpec> = {}, annotations = {}): KubeObject & corev1.Pod {
  return podOf({
    name: 'consumer-0-shadow',
    annotations,
    spec: { containers: [{ name: 'main', image: 'app' }], ...spec },
  });
}

test('MIG-80: variables that have the name of the pod have that of the source, and others stay', () => {
  const uid = { name: 'POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } };
  const queue = { name: 'QUEUE', value: 'orders-$(POD_NAME)' };
  const env = [{ name: 'POD_NAME', valueFrom: OWN }, queue, uid];
  const containers = [{ name: 'main', image: 'app', env }];
  const { spec } = underName(pod({ containers, initContainers: containers }), 'consumer-0');
  const named = [{ name: 'POD_NAME', value: 'consumer-0' }, queue, uid];
  expect(spec.containers[0]?.env).toEqual(named);
  expect(spec.initContainers?.[0]?.env).toEqual(named);
});

test('MIG-80: files that have it have it by an annotation, whichever volume they are in', () => {
  const items = [
    { path: 'name', ...OWN },
    { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } },
  ];
  const volumes = [
    { name: 'plain', downwardAPI: { items } },
    { name: 'mixed', projected: { sources: [{ downwardAPI: { items } }, { configMap: { name: 'c' } }] } },
    { name: 'other', emptyDir: {} },
  ];
  const { spec, metadata } = underName(pod({ volumes }), 'consumer-0');
  const named = [{ path: 'name', ...ANNOTATION }, items[1]];
  expect(spec.volumes).toEqual([
    { name: 'plain', downwardAPI: { items: named } },
    {
      name: 'mixed',
      projected: { sources: [{ downwardAPI: { items: named } }, { configMap: { name: 'c' } }] },
    },
    { name: 'other', emptyDir: {} },
  ]);
  expect(metadata.annotations?.[NAMED_AFTER]).toBe('consumer-0');
});

test.each([
  ['consumer-0', undefined, 'consumer-0'],
  ['consumer-0', 'first', 'first'],
  [`${'a'.repeat(62)}-b`, undefined, 'a'.repeat(62)],
  ['has.dots', undefined, undefined],
])('MIG-80: the host of pod %s with hostname %s is %s', (name, hostname, expected) => {
  expect(underName(pod(), name, hostname).spec.hostname).toBe(expected);
});

test('MIG-80: a pod that stays, and moves again or is evicted, goes by the first name', () => {
  const annotations = {
    'migration.ms2m.io/queue': 'orders-$(POD_NAME)',
    'migration.ms2m.io/exchange': 'orders',
  };
  const moved = underName(pod({}, annotations), 'web-x');
  expect(nameOf(moved)).toBe('web-x');
  expect(queueConfigOf(moved)).toMatchObject({ queueName: 'orders-web-x', routingKey: 'orders-web-x' });
});
