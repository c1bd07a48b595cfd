import type { KubeObject } from '@kubewright/kube';
import { ANNOTATIONS } from '../api.ts';
import { hashesOf, userHash } from '../annotations/user-hash.ts';
import type { Review } from './review.ts';

/** The writer in relation to the parent: its controller, another user, or not known yet. */
export type ControllerIdentity = 'controller' | 'other' | 'unknown';

/**
 * The controller of a parent is the user who writes both the parent's status and the child; if there is none, the user
 * who writes the status. Before the first status, a single writer of the child counts as the controller.
 */
export function relationOf({ old, user }: Review, parent: KubeObject): ControllerIdentity {
  const updaters = hashesOf(old, ANNOTATIONS.updaters);
  const controllers = hashesOf(parent, ANNOTATIONS.controllers);
  const both = updaters.filter((hash) => controllers.includes(hash));
  const known = [both, controllers, updaters.length === 1 ? updaters : []].find(({ length }) => length > 0);
  if (known === undefined) return 'unknown';
  return known.includes(userHash(user)) ? 'controller' : 'other';
}
