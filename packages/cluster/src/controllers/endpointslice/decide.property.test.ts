import assert from 'node:assert/strict';
import type { corev1, discoveryv1, Stored } from '@kubewright/kube';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../../test/support/seeds.ts';
import { decide } from './decide.ts';
import type { Observed } from './desired.ts';
import { endpointKey } from './new-slice.ts';

type Slice = discoveryv1.EndpointSlice;

const NODE: Stored<corev1.Node> = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', uid: 'n', resourceVersion: '1' },
  spec: {},
};

const serviceOf = (
  families: readonly ('IPv4' | 'IPv6')[],
  labels: Readonly<Record<string, string>>,
): Stored<corev1.Service> => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'default', name: 'web', uid: 's', resourceVersion: '1', labels },
  spec: {
    selector: { app: 'web' },
    clusterIP: '10.0.0.9',
    ipFamilies: families,
    ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }],
  },
});

type PodDraw = { readonly id: number; readonly ready: boolean; readonly port: number };

const podOf = ({ id, ready, port }: PodDraw): Stored<corev1.Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name: `web-${id}`, uid: `p${id}`, resourceVersion: '1' },
  spec: {
    nodeName: 'n',
    containers: [{ name: 'c', image: 'i', ports: [{ name: 'http', containerPort: port, protocol: 'TCP' }] }],
  },
  status: {
    podIP: `10.1.0.${id}`,
    podIPs: [{ ip: `10.1.0.${id}` }, { ip: `fd00:0::${(id + 1).toString(16)}` }],
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
  },
});

const pods = fc
  .uniqueArray(
    fc.record({
      id: fc.integer({ min: 0, max: 250 }),
      ready: fc.boolean(),
      port: fc.constantFrom(80, 80, 80, 81),
    }),
    { selector: ({ id }) => id, maxLength: 240 },
  )
  .map((drawn) => drawn.map(podOf));

/** Carries one decision out, as the API server would keep it. */
function carriedOut(slices: readonly Slice[], observed: Omit<Observed, 'slices'>): readonly Slice[] {
  let made = slices.length;
  return decide({ ...observed, slices }, undefined).actions.reduce<readonly Slice[]>(
    (now, { type, slice }) => {
      if (type === 'create') {
        made += 1;
        const name = `web-${made}-${now.length}`;
        return [...now, { ...slice, metadata: { ...slice.metadata, name } }];
      }
      const others = now.filter(({ metadata }) => metadata.name !== slice.metadata.name);
      return type === 'update' ? [...others, slice] : others;
    },
    slices,
  );
}

test('whatever was there, one decision tells every pod once, and a second one has nothing to do', () => {
  fc.assert(
    fc.property(pods, pods, fc.boolean(), (before, after, dual) => {
      const families = dual ? (['IPv4', 'IPv6'] as const) : (['IPv6'] as const);
      const node = (name: string): Stored<corev1.Node> | undefined => (name === 'n' ? NODE : undefined);
      const first = carriedOut([], { service: serviceOf(['IPv4', 'IPv6'], {}), pods: before, node });
      const observed = { service: serviceOf(families, { tier: 'x' }), pods: after, node };
      const slices = carriedOut(first, observed);
      for (const family of families) {
        const those = slices.filter(({ addressType }) => addressType === family);
        const keys = those.flatMap(({ endpoints = [] }) => endpoints.map(endpointKey));
        expect(new Set(keys).size).toBe(keys.length);
        expect(keys).toHaveLength(after.length);
        expect(those.length).toBeGreaterThan(0);
      }
      for (const { endpoints = [], metadata } of slices) {
        expect(endpoints.length).toBeLessThanOrEqual(100);
        expect(metadata.labels).toMatchObject({ tier: 'x' });
      }
      expect(slices.every(({ addressType }) => families.some((family) => family === addressType))).toBe(true);
      expect(decide({ ...observed, slices }, undefined).actions).toEqual([]);
    }),
    { numRuns: runs(60) },
  );
});

test('a slice of an earlier service of the same name is neither believed nor written', () => {
  const observed = { service: serviceOf(['IPv4'], {}), pods: [], node: () => NODE };
  const [old] = carriedOut([], observed);
  assert(old !== undefined, 'no slice');
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'earlier' }];
  const foreign = { ...old, metadata: { ...old.metadata, ownerReferences } };
  const { actions } = decide({ ...observed, slices: [foreign] }, undefined);
  expect(actions.map(({ type }) => type)).toEqual(['create', 'delete']);
});

test('addresses are written as they usually are', () => {
  const pod = podOf({ id: 9, ready: true, port: 80 });
  const { actions } = decide(
    { service: serviceOf(['IPv6'], {}), pods: [pod], slices: [], node: () => NODE },
    Date.parse('2026-01-02T03:04:05Z'),
  );
  expect(actions[0]?.slice.endpoints?.[0]?.addresses).toEqual(['fd00::a']);
  expect(actions[0]?.slice.metadata.annotations).toEqual({
    'endpoints.kubernetes.io/last-change-trigger-time': '2026-01-02T03:04:05Z',
  });
});
