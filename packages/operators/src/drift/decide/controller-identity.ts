import { controllerOf, type KubeObject } from '@kubewright/kube';
import { ANNOTATIONS } from '../api.ts';
import { hashesOf, userHash } from '../annotations/user-hash.ts';
import type { Review } from './review.ts';

/** The writer in relation to the parent: its controller, another user, or not known yet. */
export type ControllerIdentity = 'controller' | 'other' | 'unknown';

/**
 * The controller of a parent is the user who writes both the parent's status and the child; if there is none, the user
 * who writes the status. Before the first status, a single writer of the child counts as the controller: not of a parent
 * that is to adopt it.
 */
export function relationOf({ old, user }: Review, parent: KubeObject): ControllerIdentity {
  const updaters = hashesOf(old, ANNOTATIONS.updaters);
  const controllers = hashesOf(parent, ANNOTATIONS.controllers);
  const both = updaters.filter((hash) => controllers.includes(hash));
  const isChild = old !== undefined && controllerOf(old)?.uid === parent.metadata.uid;
  const only = isChild && updaters.length === 1 ? updaters : [];
  const known = [both, controllers, only].find(({ length }) => length > 0);
  if (known === undefined) return 'unknown';
  return known.includes(userHash(user)) ? 'controller' : 'other';
}
