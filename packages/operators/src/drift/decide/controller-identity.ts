import type { KubeObject } from '@kubewright/kube';
import { ANNOTATIONS } from '../api.ts';
import { hashesOf, userHash } from '../annotations/user-hash.ts';
import type { Review } from './review.ts';

/** Who writes, seen from the parent: its controller, somebody else, or nobody can tell yet. */
export type ControllerIdentity = 'controller' | 'other' | 'unknown';

/**
 * The controller of a parent writes the parent's status and the child. Who wrote both is it; where none did, who wrote
 * the status. Before anybody did, a single writer of the child is taken for it.
 */
export function relationOf({ old, user }: Review, parent: KubeObject): ControllerIdentity {
  const updaters = hashesOf(old, ANNOTATIONS.updaters);
  const controllers = hashesOf(parent, ANNOTATIONS.controllers);
  const both = updaters.filter((hash) => controllers.includes(hash));
  const known = [both, controllers, updaters.length === 1 ? updaters : []].find(({ length }) => length > 0);
  if (known === undefined) return 'unknown';
  return known.includes(userHash(user)) ? 'controller' : 'other';
}
