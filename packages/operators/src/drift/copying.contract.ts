import type { Client } from '@kubewright/client';
import { apiextensionsv1, corev1, type KubeObject, type Transport } from '@kubewright/kube';
import { installDefinitions } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS, KAUSALITIES } from './api.ts';
import { driftParts } from './controller.ts';
import { annotationsOf } from './testing/annotations-of.ts';
import { STAND_IN, STYLES, type Style, syncCopies } from './testing/copying-controllers.ts';
import { createPolicy } from './testing/drift-stage.ts';
import { hopsOf } from './testing/hops-of.ts';

const MASTERS = ['system:masters'];
/** More syncs than any of these controllers needs. */
const MOST_SYNCS = 10;
const IDLE_SYNCS = 5;

/** What is recorded makes no controller write: it is where none copies, compares, hashes or counts it. */
export function copyingContract(transport: () => Transport): void {
  describe('drift beside controllers that copy annotations', () => {
    const operator = useOperator(transport, driftParts, {
      anyKind: { apiGroups: [STAND_IN.ref.group], resources: [STAND_IN.ref.resource] },
    });
    const { namespace } = operator;
    const plain = `${namespace}-plain`;
    const as = (username: string): Client => operator.as({ username, groups: MASTERS });

    beforeAll(async () => {
      const { admin } = operator;
      await installDefinitions(admin, [STAND_IN.definition], { fieldManager: 'test' });
      const metadata = { name: plain };
      await admin.create(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata, spec: {} });
      await createPolicy(admin, namespace, {
        mode: 'log',
        namespaces: { names: [namespace] },
        resources: [
          { apiGroups: [''], resources: ['configmaps'] },
          { apiGroups: [STAND_IN.ref.group], resources: [STAND_IN.ref.resource] },
        ],
      });
      let tries = 0;
      await vi.waitFor(
        async () => {
          // A server may call a webhook a moment after it is configured.
          const probe = await make(namespace, `probe-${(tries += 1)}`);
          expect(annotationsOf(probe)).toHaveProperty([ANNOTATIONS.updaters]);
        },
        { timeout: 30_000 },
      );
    });
    afterAll(async () => {
      await operator.admin.delete(KAUSALITIES, { name: namespace });
      await operator.admin.delete(corev1.namespaces, { name: plain });
      await operator.admin.delete(apiextensionsv1.customresourcedefinitions, STAND_IN.definition.metadata);
    });

    const make = (where: string, name: string, annotations = {}): Promise<KubeObject> =>
      as('alice').create<KubeObject>(STAND_IN.ref, {
        apiVersion: STAND_IN.apiVersion,
        kind: 'StandIn',
        metadata: { namespace: where, name, annotations },
        spec: { color: 'red' },
      });
    const settle = async (key: { readonly namespace: string; readonly name: string }, style: Style) => {
      for (let writes = 0, syncs = 0; ; syncs++) {
        const more = await syncCopies(as('ctl'), key, style);
        writes += more;
        if (more === 0 || syncs === MOST_SYNCS) return { writes, isOver: more === 0 };
      }
    };
    const annotate = (key: { readonly namespace: string; readonly name: string }, value: string | null) => {
      const annotations = { [ANNOTATIONS.approvals]: value };
      return as('alice').patch(STAND_IN.ref, key, { type: 'merge', body: { metadata: { annotations } } });
    };
    /** The life of an object: how many writes each part of it took, and what its child has in the end. */
    const live = async (where: string, name: string, style: Style) => {
      const key = { namespace: where, name };
      const parts = [];
      await make(where, name, { 'kausality.io/trace-ticket': 'J-1', 'example.com/team': 'shop' });
      parts.push(await settle(key, style));
      await as('alice').patch(STAND_IN.ref, key, { type: 'merge', body: { spec: { color: 'blue' } } });
      parts.push(await settle(key, style));
      await annotate(key, '[{"apiVersion":"v1","kind":"Secret","name":"none"}]');
      parts.push(await settle(key, style));
      await annotate(key, null);
      parts.push(await settle(key, style));
      for (let sync = 0; sync < IDLE_SYNCS; sync++) parts.push(await settle(key, style));
      return { parts, child: await as('alice').get(corev1.configmaps, key) };
    };

    test.each(Object.entries(STYLES))(
      'DRF-87 a controller that %s writes as often with a policy as without, and the child has what it sent',
      async (style, annotationsFor) => {
        const name = style.replaceAll(' ', '-');
        const without = await live(plain, name, annotationsFor);
        const tracked = await live(namespace, name, annotationsFor);
        expect(tracked.parts).toEqual(without.parts);
        expect(tracked.parts.every(({ isOver }) => isOver)).toBe(true);
        const keysOf = ({ metadata }: KubeObject) => Object.keys(metadata.annotations ?? {}).toSorted();
        expect(keysOf(tracked.child)).toEqual(keysOf(without.child));
        expect(tracked.child.data).toEqual({ color: 'blue' });
      },
    );

    test('DRF-87 a write that changes nothing is not stored, from the first on', async () => {
      const key = { namespace, name: 'unchanged' };
      await make(namespace, 'unchanged');
      await settle(key, STYLES.merges);
      for (const ref of [STAND_IN.ref, corev1.configmaps]) {
        const live = await as('ctl').get<KubeObject>(ref, key);
        const again = await as('ctl').update<KubeObject>(ref, live);
        expect(again.metadata).toEqual(live.metadata);
      }
    });

    test('DRF-87 each object has its own trace, and no approval that a controller has copied', async () => {
      const key = { namespace, name: 'traced' };
      await make(namespace, 'traced', { [ANNOTATIONS.freeze]: 'false', 'kausality.io/trace-ticket': 'J-1' });
      await settle(key, STYLES['copies and counts']);
      const child = await as('alice').get(corev1.configmaps, key);
      expect(child.metadata.annotations).toMatchObject({ [ANNOTATIONS.freeze]: 'false' });
      expect(annotationsOf(child)).not.toHaveProperty([ANNOTATIONS.freeze]);
      expect(hopsOf(child)).toMatchObject([
        { kind: 'StandIn', user: 'alice', labels: { ticket: 'J-1' } },
        { kind: 'ConfigMap', user: 'ctl' },
      ]);
      expect(child.metadata.annotations).not.toHaveProperty([ANNOTATIONS.trace]);
    });
  });
}
