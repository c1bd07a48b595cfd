import { type KubeObject, ownerReferenceTo } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { isSelected } from './is-selected.ts';

function controlledBy(apiVersion: string, kind: string): readonly [ReturnType<typeof ownerReferenceTo>] {
  const owner = { apiVersion, kind, metadata: { name: 'owner', uid: 'u', resourceVersion: '1' } };
  return [ownerReferenceTo(owner, { controller: true })];
}

function objectOf(kind: string, ownerReferences: readonly [ReturnType<typeof ownerReferenceTo>]): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name: 'owned', ownerReferences } };
}

describe('what a capture by kind takes of the objects that a controller owns', () => {
  const cluster = controlledBy('rabbitmq.com/v1beta1', 'RabbitmqCluster');

  test.each(['Secret', 'PersistentVolumeClaim'])(
    'a %s is captured, because nobody makes its content again',
    (kind) => expect(isSelected(objectOf(kind, cluster))).toBe(true),
  );

  test.each(['ConfigMap', 'Service', 'Pod'])('a %s is not captured: its controller makes it again', (kind) =>
    expect(isSelected(objectOf(kind, cluster))).toBe(false),
  );

  test('the Secret of a SealedSecret is not captured: its controller rejects one that it did not make', () => {
    const sealed = controlledBy('bitnami.com/v1alpha1', 'SealedSecret');
    expect(isSelected(objectOf('Secret', sealed))).toBe(false);
  });
});
