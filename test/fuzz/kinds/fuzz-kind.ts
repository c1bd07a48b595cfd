import type { JsonObject } from '@kubewright/kube';
import { type Gen, constant, listOf, mapOf, mostly, oneOf, some } from '../gen.ts';

/** A kind that the fuzzer can write. */
export type FuzzKind = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly group: string;
  /** The path of the collection in a namespace. */
  readonly collection: (namespace: string) => string;
  /** All but `apiVersion`, `kind` and the name: sometimes little, sometimes much, sometimes wrong. */
  readonly body: Gen;
  /** What must be there for the object to be valid. */
  readonly base: JsonObject;
  readonly status?: Gen;
  readonly scale: boolean;
  readonly strategic: boolean;
};

const LABELS = ['app', 'tier', 'example.com/role'];

/** `metadata` without the name. */
export const metadata: Gen = some(0.35, {
  labels: mapOf(LABELS, mostly(oneOf('a', 'b', ''), 'not valid!', null, 3)),
  annotations: mapOf(['note', 'example.com/hash'], mostly(oneOf('x', 'y', '{"a":1}'), null, true)),
  finalizers: listOf(['example.com/a', 'example.com/b', 'example.com/c'].map(constant), 0.3),
  ownerReferences: listOf(
    ['u-1', 'u-2'].map((uid) =>
      some(0.97, {
        apiVersion: constant('v1'),
        kind: constant('ConfigMap'),
        name: oneOf('owner', 'other'),
        uid: constant(uid),
        controller: oneOf(true, false),
        blockOwnerDeletion: oneOf(true, false),
      }),
    ),
    0.3,
  ),
});
