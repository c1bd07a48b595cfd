import type { KubeObject } from '@kubewright/kube';
import { ANNOTATIONS, type Kausality, type Mode } from '../api.ts';
import { readAnnotation } from '../annotations/read-annotation.ts';
import { modeIn, type Target } from './policy-for.ts';

/** The sources of the mode, by precedence. */
export type ModeSources = {
  /** The object before the write: a client must not choose its own mode. */
  readonly old: KubeObject | undefined;
  readonly parent: KubeObject | undefined;
  readonly namespace: KubeObject | undefined;
  readonly policy: Kausality;
};

/** Annotations before policies; an unknown word is ignored. */
export function modeOf({ old, parent, namespace, policy }: ModeSources, target: Target): Mode {
  const said = [old, parent, namespace].map((object) => readAnnotation(object, ANNOTATIONS.mode));
  return said.find((mode) => mode === 'log' || mode === 'enforce') ?? modeIn(policy.spec, target);
}
