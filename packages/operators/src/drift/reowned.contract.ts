import { type Client, isForbidden } from '@kubewright/client';
import {
  appsv1,
  corev1,
  type JsonObject,
  type OwnerReference,
  ownerReferenceTo,
  type Transport,
} from '@kubewright/kube';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS, KAUSALITIES } from './api.ts';
import { driftParts } from './controller.ts';
import { SITE_CONTROLLER } from './demo/site-controller.ts';
import { type Site, SITES } from './demo/site.ts';
import { createPolicy } from './testing/drift-stage.ts';
import { annotationsOf } from './testing/annotations-of.ts';

const ANY_KIND = { apiGroups: ['demo.kubewright.io'], resources: ['sites'] };
const POD = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'example.com/web' }] },
};

/** What a controller tries, to change a child of a parent that nobody has changed. */
export function reownedContract(transport: () => Transport): void {
  describe('drift and controllers that write metadata', () => {
    const operator = useOperator(transport, driftParts, { anyKind: ANY_KIND });
    const { namespace } = operator;
    let alice: Client;
    let ctl: Client;
    let owner: OwnerReference;
    let site: Site;

    const web = { namespace, name: 'web' };
    const mapped = (name: string, ownerReferences: readonly OwnerReference[]) => ({
      apiVersion: 'v1' as const,
      kind: 'ConfigMap' as const,
      metadata: { namespace, name, ownerReferences: ownerReferences as never },
      data: { color: 'red' },
    });
    const referTo = (by: Client, name: string, ownerReferences: readonly OwnerReference[] | null) =>
      by.patch(
        corev1.configmaps,
        { namespace, name },
        {
          type: 'merge',
          body: { metadata: { ownerReferences } } as JsonObject,
        },
      );
    const denied = async (write: Promise<unknown>): Promise<void> => {
      const error: unknown = await write.catch((reason: unknown) => reason);
      expect(error).toSatisfy(isForbidden);
      expect(String(error)).toContain('no approval found');
    };

    beforeAll(async () => {
      await installDefinitions(operator.admin, [SITES.definition], { fieldManager: 'test' });
      await createPolicy(operator.admin, namespace, { mode: 'enforce', namespaces: { names: [namespace] } });
      alice = operator.as({ username: 'alice', groups: ['system:masters'] });
      ctl = operator.as(SITE_CONTROLLER);
      const made = await alice.create(SITES, {
        apiVersion: 'demo.kubewright.io/v1',
        kind: 'Site',
        metadata: web,
        spec: { color: 'red' },
      });
      owner = ownerReferenceTo(made, { controller: true });
      await ctl.create(corev1.configmaps, mapped('web', [owner]));
      await ctl.create(appsv1.replicasets, {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { ...web, ownerReferences: [{ ...owner }] },
        spec: { replicas: 0, selector: { matchLabels: { app: 'web' } }, template: POD },
      });
      const ready = { type: 'Ready', status: 'True', reason: 'Served', message: '' } as const;
      const conditions = [{ ...ready, lastTransitionTime: '2026-01-01T10:00:00Z' }];
      const body = { status: { observedGeneration: 1, conditions } };
      await ctl.patch(SITES, web, { type: 'merge', body }, { subresource: 'status' });
      site = (await waitForObject(
        alice,
        SITES,
        web,
        (live) => annotationsOf(live)[ANNOTATIONS.phase] === 'initialized',
      )) as Site;
    });

    afterAll(async () => {
      await operator.admin.delete(KAUSALITIES, { name: namespace });
    });

    test('DRF-83 it drops no owner reference, in none of the ways that servers accept', async () => {
      await denied(referTo(ctl, 'web', null));
      await denied(referTo(ctl, 'web', [{ ...owner, controller: false }]));
      await denied(referTo(ctl, 'web', [{ ...owner, uid: 'another' }]));
      const live = await alice.get(corev1.configmaps, web);
      await denied(
        ctl.apply(
          corev1.configmaps,
          { ...mapped('web', [{ ...owner, controller: false }]) },
          {
            fieldManager: 'ctl',
            force: true,
          },
        ),
      );
      expect(live.metadata.ownerReferences).toEqual([owner]);
    });

    test('DRF-84 it adopts nothing that it has created without an owner', async () => {
      await ctl.create(corev1.configmaps, mapped('orphan', []));
      await denied(referTo(ctl, 'orphan', [owner]));
      await ctl.create(corev1.configmaps, mapped('second', [{ ...owner, controller: false }]));
      await denied(referTo(ctl, 'second', [owner]));
      const adopted = await referTo(alice, 'orphan', [owner]);
      expect(adopted.metadata.ownerReferences).toEqual([owner]);
      // From now on it is a child.
      await denied(referTo(ctl, 'orphan', null));
    });

    test('DRF-85 a write of the status takes nothing from its owner', async () => {
      const body = { metadata: { ownerReferences: null }, status: { replicas: 0, observedGeneration: 1 } };
      await ctl.patch(appsv1.replicasets, web, { type: 'merge', body }, { subresource: 'status' });
      const live = await alice.get(appsv1.replicasets, web);
      expect(live.metadata.ownerReferences).toMatchObject([{ uid: site.metadata.uid, controller: true }]);
    });

    test('DRF-83 DRF-84 what follows from a change of the parent goes through', async () => {
      await alice.patch(SITES, web, { type: 'merge', body: { spec: { color: 'blue' } } });
      expect((await referTo(ctl, 'web', null)).metadata.ownerReferences).toBeUndefined();
      expect((await referTo(ctl, 'web', [owner])).metadata.ownerReferences).toEqual([owner]);
    });
  });
}
