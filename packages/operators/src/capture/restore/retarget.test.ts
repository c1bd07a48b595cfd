import type { Named } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { orderOf } from './order-of.ts';
import { BUILT_IN_PROFILES } from './restore-profiles.ts';
import { retarget } from './retarget.ts';

function objectOf(apiVersion: string, kind: string, fields: object = {}): Named {
  return { apiVersion, kind, metadata: { name: 'shop', namespace: 'shop' }, ...fields };
}

describe('an object that is restored into another namespace', () => {
  test('a Kustomization is suspended, and what it applied to the namespace it applies to the new one', () => {
    const kustomization = objectOf('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', {
      spec: { targetNamespace: 'shop', path: './shop', prune: true },
    });
    const copy = retarget(kustomization, 'shop', 'shop-2');
    expect(copy).toMatchObject({
      metadata: { namespace: 'shop-2' },
      spec: { targetNamespace: 'shop-2', path: './shop', prune: true, suspend: true },
    });
    expect(retarget(kustomization, 'shop', 'shop')).toEqual(kustomization);
  });

  test('a Kustomization that applies to a third namespace goes on to name it', () => {
    const spec = { targetNamespace: 'monitoring' };
    const copy = retarget(
      objectOf('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', { spec }),
      'shop',
      'shop-2',
    );
    expect(copy).toMatchObject({ spec });
  });

  test('an Application of Argo CD is no longer synchronized by itself', () => {
    const spec = {
      destination: { namespace: 'shop', server: 'https://kubernetes.default.svc' },
      syncPolicy: { automated: { prune: true }, syncOptions: ['ServerSideApply=true'] },
    };
    const copy = retarget(objectOf('argoproj.io/v1alpha1', 'Application', { spec }), 'shop', 'shop-2');
    expect(copy).toHaveProperty('spec.destination.namespace', 'shop-2');
    expect(copy).toHaveProperty('spec.syncPolicy', { syncOptions: ['ServerSideApply=true'] });
  });

  test('a kind of the same name in another group is not suspended', () => {
    const other = objectOf('example.com/v1', 'Kustomization', { spec: { targetNamespace: 'shop' } });
    expect(retarget(other, 'shop', 'shop-2')).toHaveProperty('spec', { targetNamespace: 'shop-2' });
  });
});

describe('the order of a restore', () => {
  test.each([
    ['v1', 'Namespace', 'namespace'],
    ['v1', 'Secret', 'data'],
    ['v1', 'PersistentVolumeClaim', 'data'],
    ['autoscaling/v2', 'HorizontalPodAutoscaler', 'data'],
    ['cert-manager.io/v1', 'Issuer', 'data'],
    ['cert-manager.io/v1', 'Certificate', 'objects'],
    ['apps/v1', 'StatefulSet', 'objects'],
    ['rbac.authorization.k8s.io/v1', 'RoleBinding', 'objects'],
    ['networking.k8s.io/v1', 'Ingress', 'objects'],
    ['keda.sh/v1alpha1', 'ScaledObject', 'last'],
    ['helm.toolkit.fluxcd.io/v2', 'HelmRelease', 'last'],
    ['v1', 'Pod', 'last'],
    ['v1', 'ResourceQuota', 'quotas'],
    ['not/a/group', 'Secret', 'objects'],
  ])('of %s %s: %s', (apiVersion, kind, order) => {
    expect(orderOf(objectOf(apiVersion, kind), BUILT_IN_PROFILES)).toBe(order);
  });
});
