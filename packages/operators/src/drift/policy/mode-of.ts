import type { KubeObject } from '@kubewright/kube';
import { ANNOTATIONS, type Kausality, type Mode } from '../api.ts';
import { readAnnotation } from '../annotations/read-annotation.ts';
import { modeIn, type Target } from './policy-for.ts';

/** What may say the mode, in the order in which it is asked. */
export type ModeSources = {
  /** As it was before the write: whoever is to be stopped must not choose. */
  readonly old: KubeObject | undefined;
  readonly parent: KubeObject | undefined;
  readonly namespace: KubeObject | undefined;
  readonly policy: Kausality;
};

/** Annotations before policies; a word that is no mode says nothing. */
export function modeOf({ old, parent, namespace, policy }: ModeSources, target: Target): Mode {
  const said = [old, parent, namespace].map((object) => readAnnotation(object, ANNOTATIONS.mode));
  return said.find((mode) => mode === 'log' || mode === 'enforce') ?? modeIn(policy.spec, target);
}
