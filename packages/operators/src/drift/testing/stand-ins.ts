import { type ApiError, type Client, isForbidden, type ResourceRef } from '@kubewright/client';
import { apiextensionsv1, type KubeObject, ownerReferenceTo, type Stored } from '@kubewright/kube';
import { installDefinitions } from '@kubewright/runtime';
import { expect, vi } from 'vitest';
import type { OperatorUnderTest } from '../../kit/testing/use-operator.ts';
import { ANNOTATIONS, KAUSALITIES, type KausalitySpec } from '../api.ts';
import { annotationsOf } from './annotations-of.ts';
import { createPolicy } from './drift-stage.ts';
import type { OpenKind } from './open-kind.ts';

const MASTERS = ['system:masters'];

export type Body = { readonly [key: string]: unknown };

/** Somebody who changes objects of other people's kinds, and a controller that acts on them; with drift denied. */
export function standIns(operator: OperatorUnderTest, kinds: readonly OpenKind[]) {
  const { namespace } = operator;
  const as = (username: string): Client => operator.as({ username, groups: MASTERS });
  const alice = (): Client => as('alice');
  const ctl = (): Client => as('ctl');

  const parent = ({ ref, apiVersion }: OpenKind, name: string, spec: Body): Promise<Stored> =>
    alice().create<KubeObject>(ref, { apiVersion, kind: ref.kind, metadata: { namespace, name }, spec });
  return {
    as,
    alice,
    ctl,
    parent,
    start: async (resources: KausalitySpec['resources']): Promise<void> => {
      const { admin } = operator;
      const definitions = kinds.map(({ definition }) => definition);
      await installDefinitions(admin, definitions, { fieldManager: 'test' });
      const groups = [...new Set(kinds.map(({ ref }) => ref.group))];
      await createPolicy(admin, namespace, {
        mode: 'enforce',
        namespaces: { names: [namespace] },
        resources: [...resources, ...groups.map((group) => ({ apiGroups: [group], resources: ['*'] }))],
      });
      let tries = 0;
      await vi.waitFor(
        async () => {
          // A server may call a webhook a moment after it is configured.
          const [kind] = kinds as readonly [OpenKind];
          const probe = await parent(kind, `probe-${(tries += 1)}`, {});
          expect(annotationsOf(probe)).toHaveProperty([ANNOTATIONS.updaters]);
        },
        { timeout: 30_000 },
      );
    },
    end: async (): Promise<void> => {
      await operator.admin.delete(KAUSALITIES, { name: namespace });
      for (const { definition } of kinds)
        await operator.admin.delete(apiextensionsv1.customresourcedefinitions, {
          name: definition.metadata.name,
        });
    },
    /** The controller writes the status. */
    says: ({ ref }: OpenKind, name: string, status: Body): Promise<Stored> =>
      ctl().patch<KubeObject>(
        ref,
        { namespace, name },
        { type: 'merge', body: { status } as never },
        { subresource: 'status' },
      ),
    change: ({ ref }: OpenKind, name: string, spec: Body, by = alice()): Promise<Stored> =>
      by.patch<KubeObject>(ref, { namespace, name }, { type: 'merge', body: { spec } as never }),
    /** What the controller makes for a parent. */
    make: (ref: object, owner: Stored, object: Body & { readonly metadata?: Body }): Promise<Stored> => {
      const ownerReferences = [ownerReferenceTo(owner, { controller: true })];
      const metadata = { namespace, ...object.metadata, ownerReferences };
      return ctl().create<KubeObject>(ref as ResourceRef, { ...object, metadata } as never);
    },
    patch: (ref: object, name: string, body: Body): Promise<Stored> =>
      ctl().patch<KubeObject>(
        ref as ResourceRef,
        { namespace, name },
        { type: 'merge', body: body as never },
      ),
    remove: (ref: object, name: string, by = ctl()): Promise<unknown> =>
      by.delete(ref as ResourceRef, { namespace, name }, { propagationPolicy: 'Background' }),
    denied: async (write: Promise<unknown>): Promise<string> => {
      const error: unknown = await write.catch((reason: unknown) => reason);
      expect(error).toSatisfy(isForbidden);
      return (error as ApiError).message;
    },
  };
}
