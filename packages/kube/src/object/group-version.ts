import { KubeError } from '../kube-error.ts';
import type { GroupVersionKind } from './kube-object.ts';

/** Group and version; the core group is the empty string. */
export type GroupVersion = { readonly group: string; readonly version: string };

/** Splits `apps/v1` or `v1`. Throws {@link KubeError} `InvalidApiVersion` for more than one slash. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const [first = '', second, ...more] = apiVersion.split('/');
  if (more.length > 0) {
    throw new KubeError('InvalidApiVersion', `unexpected GroupVersion string: ${apiVersion}`);
  }
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The group, version and kind of an object. */
export function gvkOf(object: { readonly apiVersion: string; readonly kind: string }): GroupVersionKind {
  return { ...parseApiVersion(object.apiVersion), kind: object.kind };
}
