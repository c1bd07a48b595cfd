import type { KubeObject } from '@kubewright/kube';
import { decideAdmission, DRIFT_ANNOTATIONS, type DriftTools } from '@kubewright/operators';

/** Operators that are broken on purpose. */
export const driftVariants: Readonly<Record<string, Partial<DriftTools>>> = {
  /** Forgets that a child has used an approval: until it is taken away, it is good for another write. */
  forgetful: {
    decide: (review, world, now) =>
      decideAdmission({ ...review, old: review.old && unused(review.old) }, world, now),
  },
  /** Takes an approval away before the write is stored: one that fails then has used it up. */
  hasty: { isStored: async ({ approval }) => approval !== '' },
  /** Never takes a used approval away. */
  hoarding: { isStored: async () => false },
  /** Stores what the controller copied from the parent. */
  leaky: {
    decide: (review, facts, now) =>
      withAnnotations(decideAdmission(review, facts, now), (ours) => ({
        ...review.object.metadata.annotations,
        ...ours,
      })),
  },
};

/** Does not read in the status of a parent what its controller is about to do. */
export const unannounced: Partial<DriftTools> = {
  decide: (review, facts, now) =>
    decideAdmission(review, { ...facts, parent: facts.parent && silent(facts.parent) }, now),
};

function silent(parent: KubeObject): KubeObject {
  return { ...parent, metadata: { ...parent.metadata, ...({ announced: [] } as object) } };
}

type Decision = ReturnType<typeof decideAdmission>;
type Annotations = Readonly<Record<string, string>>;

function withAnnotations(decision: Decision, change: (ours: Annotations) => Annotations): Decision {
  const { annotations } = decision;
  return annotations === undefined ? decision : { ...decision, annotations: change(annotations) };
}

function unused(object: KubeObject): KubeObject {
  const { [DRIFT_ANNOTATIONS.usedApprovals]: _used, ...annotations } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}
