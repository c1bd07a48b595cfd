import type { JsonObject, KubeObject } from '@kubewright/kube';
import { ANNOTATIONS, type Approval, type Hop, type Mode } from '../api.ts';
import { userHash } from '../annotations/user-hash.ts';
import { type AdmissionDecision, decideAdmission } from '../decide/decide-admission.ts';
import type { Review, Facts } from '../decide/review.ts';

/** The controller of the parent P in tests. */
export const CTL = 'system:serviceaccount:shop:site-controller';
export const NOW = new Date('2026-01-01T10:00:00Z');

type Annotations = Readonly<Record<string, string>>;
type Fields = { readonly annotations?: Annotations; readonly [field: string]: unknown };

/** Controllers or updaters, by name. */
export const users = (...names: readonly string[]): string => names.map(userHash).join(',');

/** The parent of the scenarios: stable at generation 3, its controller known. */
export function site({ annotations = {}, ...fields }: Fields = {}): KubeObject {
  const { metadata, ...rest } = fields as { readonly metadata?: JsonObject };
  return {
    apiVersion: 'example.com/v1',
    kind: 'Site',
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'p-1',
      generation: 3,
      annotations: {
        [ANNOTATIONS.phase]: 'initialized',
        [ANNOTATIONS.controllers]: users(CTL),
        ...annotations,
      },
      ...metadata,
    },
    spec: {},
    status: { observedGeneration: 3 },
    ...(rest as JsonObject),
  };
}

/** The child: a ReplicaSet that P's controller has written before. */
export function child({ annotations = {}, ...fields }: Fields = {}): KubeObject {
  const {
    metadata,
    spec = { replicas: 3 },
    ...rest
  } = fields as {
    readonly metadata?: JsonObject;
    readonly spec?: JsonObject;
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'c-1',
      generation: 7,
      annotations: { [ANNOTATIONS.updaters]: users(CTL), ...annotations },
      ownerReferences: [
        { apiVersion: 'example.com/v1', kind: 'Site', name: 'web', uid: 'p-1', controller: true },
      ],
      ...metadata,
    },
    spec,
    ...(rest as JsonObject),
  };
}

/** The same object with another spec. */
export const resized = (object: KubeObject, replicas = 5): KubeObject => ({ ...object, spec: { replicas } });

export function withAnnotations(object: KubeObject, annotations: Annotations): KubeObject {
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** An update of `old`; as CTL resizing it where nothing else is said. */
export function update(old: KubeObject, changes: Partial<Review> = {}): Review {
  return {
    operation: 'UPDATE',
    isStatus: false,
    object: resized(old),
    old,
    user: CTL,
    isOwn: false,
    ...changes,
  };
}

export function create(object: KubeObject, user = CTL): Review {
  const { annotations, ...metadata } = object.metadata;
  const { uid: _uid, generation: _generation, ...sent } = metadata;
  const meta = annotations === undefined ? sent : { ...sent, annotations };
  return {
    ...update(object),
    operation: 'CREATE',
    object: { ...object, metadata: meta },
    old: undefined,
    user,
  };
}

export function remove(object: KubeObject, user = CTL): Review {
  return { ...update(object), operation: 'DELETE', object, old: object, user };
}

function facts(parent: KubeObject | undefined, mode: Mode = 'enforce'): Facts {
  return { parent, mode, isEnding: false };
}

/** The decision at {@link NOW}. */
export function decided(
  review: Review,
  parent: KubeObject | undefined,
  mode: Mode = 'enforce',
): AdmissionDecision {
  return decideAdmission(review, facts(parent, mode), NOW);
}

export const approvals = (...list: readonly Partial<Approval>[]): Annotations => ({
  [ANNOTATIONS.approvals]: JSON.stringify(
    list.map((one) => ({ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', ...one })),
  ),
});

/** The trace that a decision writes. */
export function traceIn({ annotations = {} }: AdmissionDecision): readonly Hop[] {
  return JSON.parse(annotations[ANNOTATIONS.trace] ?? '[]') as readonly Hop[];
}
