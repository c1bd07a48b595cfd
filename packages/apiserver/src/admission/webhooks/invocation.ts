import type { KubeObject } from '@kubewright/kube';
import type { Match } from '../matching/match-write.ts';
import type { Hook } from './hook.ts';

/** A webhook that is to be called, and the version in which it sees the objects. */
export type Invocation = Match & { readonly hook: Hook };

/** What a webhook made of an object, in the version of the write. */
export function backFrom({ kind }: Invocation, mutated: KubeObject, object: KubeObject): KubeObject {
  const { conversion } = kind;
  const { apiVersion } = object;
  if (conversion === undefined || mutated.apiVersion === apiVersion) return { ...mutated, apiVersion };
  return conversion.of(mutated, apiVersion);
}
