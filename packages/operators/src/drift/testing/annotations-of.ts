import type { KubeObject } from '@kubewright/kube';
import { viewOf } from '../annotations/recorded-view.ts';

/** The annotations of an object that count, with what is recorded about it. */
export function annotationsOf(object: KubeObject | undefined): Readonly<Record<string, string>> {
  return object === undefined ? {} : (viewOf(object).metadata.annotations ?? {});
}
