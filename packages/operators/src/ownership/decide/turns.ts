import { parseApiVersion } from '@kubewright/kube';
import { getPath } from '@kubewright/kube/fields';
import type { ResourceState } from '../api.ts';
import type { DesiredManifest } from '../read-manifest.ts';

/** A manifest of a synthesis with the last state of its object. */
export type Placed = { readonly manifest: DesiredManifest; readonly state: ResourceState };

/**
 * Whose turn it is: a manifest waits until every object of a lower group is ready, or, while the Composition is being
 * deleted, gone. A custom resource waits for its definition too.
 */
export class Turns {
  readonly #isDeletion: boolean;
  /** The lowest group that is not done. */
  #pending = Number.POSITIVE_INFINITY;
  /** The kinds whose definitions are not done. */
  readonly #undefinedKinds = new Set<string>();

  constructor(isDeletion: boolean) {
    this.#isDeletion = isDeletion;
  }

  /** In the order in which to work on them: definitions come first in their group. */
  order<T extends { readonly manifest: DesiredManifest }>(items: readonly T[]): readonly T[] {
    const rank = ({ manifest }: T): number => this.#groupOf(manifest) ?? Number.NEGATIVE_INFINITY;
    const isDefinition = ({ manifest }: T): number => (definedKind(manifest) === undefined ? 1 : 0);
    const byRank = (a: T, b: T): number =>
      rank(a) === rank(b) ? isDefinition(a) - isDefinition(b) : rank(a) - rank(b);
    return items.toSorted(byRank);
  }

  /** Takes note of a manifest, after it was worked on or when it is another's work. */
  saw({ manifest, state }: Placed): void {
    const group = this.#groupOf(manifest);
    if (group === undefined || this.#isDone(state)) return;
    if (!this.#isOnlyFailed(manifest, state)) this.#pending = Math.min(this.#pending, group);
    const kind = definedKind(manifest);
    if (kind !== undefined) this.#undefinedKinds.add(kind);
  }

  /** Whether it is the turn of a manifest, as far as seen. */
  isDue(manifest: DesiredManifest): boolean {
    const group = this.#groupOf(manifest);
    if (group === undefined) return true;
    return group <= this.#pending && (this.#isDeletion || !this.#undefinedKinds.has(kindOf(manifest.object)));
  }

  /** Nobody asked for the group of a kind that others need: one that is wrong does not keep them all waiting. */
  #isOnlyFailed({ isGroupOfKind }: DesiredManifest, { reconciliationError }: ResourceState): boolean {
    return !this.#isDeletion && isGroupOfKind === true && reconciliationError !== undefined;
  }

  #groupOf({ readinessGroup, deletionGroup }: DesiredManifest): number | undefined {
    return this.#isDeletion ? deletionGroup : readinessGroup;
  }

  /** What is gone, or must not exist, is ready too; what failed open and does not exist need not be. */
  #isDone({ ready, deleted }: ResourceState): boolean {
    return this.#isDeletion ? deleted === true : ready !== undefined;
  }
}

function kindOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  return `${kind}.${parseApiVersion(apiVersion).group}`;
}

/** The kind that a CustomResourceDefinition defines. */
function definedKind({ object }: DesiredManifest): string | undefined {
  if (kindOf(object) !== 'CustomResourceDefinition.apiextensions.k8s.io') return undefined;
  const group = getPath(object, ['f:spec', 'f:group']);
  const kind = getPath(object, ['f:spec', 'f:names', 'f:kind']);
  return typeof kind === 'string' && typeof group === 'string' ? `${kind}.${group}` : undefined;
}
