import type { JsonObject, KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { isAnnounced } from './is-announced.ts';
import type { Review } from './review.ts';
import { project } from '../webhook/project.ts';

/** A class whose status says what it is about to write. */
function classWith(nfr_details: unknown): KubeObject {
  return {
    apiVersion: 'oaas.io/v1alpha1',
    kind: 'ClassRuntime',
    metadata: { name: 'shop', namespace: 'shop', generation: 1 },
    spec: {},
    status: { nfr_details } as JsonObject,
  };
}
const scaling = (replicas: unknown) => [{ function_key: 'cart', enforcement: { applying: { replicas } } }];
const sizing = (applying: JsonObject) => [
  { function_key: 'cart', resources: [{ dimension: 'memory', enforcement: { applying } }] },
];
const workload = (replicas: number, container: JsonObject = {}, kind = 'Deployment'): KubeObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'shop', namespace: 'shop' },
  spec: {
    replicas,
    template: { spec: { containers: [{ name: 'function', image: 'cart:1', ...container }] } },
  },
});
const asks = (requests: JsonObject, more: JsonObject = {}) =>
  workload(1, { resources: { requests }, ...more });
const update = (old: KubeObject, object: KubeObject): Review => ({
  operation: 'UPDATE',
  isStatus: false,
  object,
  old,
  user: 'classes',
  isOwn: false,
});
const MI = 1024 ** 2;

describe('DRF-139 what the status of a parent says before it is written is expected', () => {
  test.each<[what: string, is: boolean, details: unknown, old: KubeObject, object: KubeObject]>([
    ['the replicas that it names', true, scaling(3), workload(1), workload(3)],
    ['other replicas', false, scaling(3), workload(1), workload(4)],
    ['no replicas at all', false, [], workload(1), workload(3)],
    [
      'these replicas, of another kind',
      false,
      scaling(3),
      workload(1, {}, 'StatefulSet'),
      workload(3, {}, 'StatefulSet'),
    ],
    ['these replicas and another image', false, scaling(3), workload(1), workload(3, { image: 'cart:2' })],
    [
      'the memory that it names',
      true,
      sizing({ request: 192 * MI }),
      asks({ memory: '128Mi' }),
      asks({ memory: '192Mi' }),
    ],
    ['millicores that it names', true, sizing({ request: 250 }), asks({ cpu: '1' }), asks({ cpu: '250m' })],
    [
      'other memory',
      false,
      sizing({ request: 192 * MI }),
      asks({ memory: '128Mi' }),
      asks({ memory: '1Gi' }),
    ],
    ['no memory any more', false, sizing({ request: 192 * MI }), asks({ memory: '128Mi' }), asks({})],
    [
      'this memory, and another image',
      false,
      sizing({ request: 192 * MI }),
      asks({ memory: '128Mi' }),
      asks({ memory: '192Mi' }, { image: 'cart:2' }),
    ],
    [
      'what is no quantity',
      false,
      sizing({ request: 192 * MI }),
      asks({ memory: '128Mi' }),
      asks({ memory: {} }),
    ],
    ['a status of other types', false, { '*': 3 }, workload(1), workload(3)],
    ['a number that is text', false, scaling('3'), workload(1), workload(3)],
  ])('%s: %s', (_what, is, details, old, object) => {
    const parent = classWith(details);
    expect(isAnnounced(update(old, object), parent)).toBe(is);
    // As a cache holds it.
    expect(isAnnounced(update(old, object), project(parent))).toBe(is);
  });

  test.each<[what: string, is: boolean, refs: unknown]>([
    ['a child that is not listed', true, [{ kind: 'Service', name: 'shop' }]],
    ['a child that is listed', false, [{ kind: 'Deployment', name: 'shop' }]],
    ['a child, where nothing is listed', false, []],
    ['a child, where no list is', false, 'x'],
  ])('%s is deleted: %s', (_what, is, resource_refs) => {
    const parent = { ...classWith([]), status: { resource_refs } as JsonObject };
    const review: Review = { ...update(workload(1), workload(1)), operation: 'DELETE' };
    expect(isAnnounced(review, parent)).toBe(is);
    expect(isAnnounced(review, project(parent))).toBe(is);
  });

  test('the fewest pods of a Service of Knative are text', () => {
    const service = (scale: string): KubeObject => ({
      ...workload(1, {}, 'Service'),
      spec: { template: { metadata: { annotations: { 'autoscaling.knative.dev/min-scale': scale } } } },
    });
    const parent = classWith(scaling(3));
    expect(isAnnounced(update(service('1'), service('3')), parent)).toBe(true);
    expect(isAnnounced(update(service('1'), service('4')), parent)).toBe(false);
  });

  test('a creation and a deletion are announced by nothing', () => {
    const parent = classWith(scaling(3));
    const review = update(workload(1), workload(3));
    expect(isAnnounced({ ...review, operation: 'DELETE' }, parent)).toBe(false);
    expect(isAnnounced({ ...review, operation: 'CREATE', old: undefined }, parent)).toBe(false);
  });
});
