import { controllerOf, type KubeObject, type Stored } from '@kubewright/kube';

/** What is to be done with the ownership of one object. */
export type ClaimAction<T extends KubeObject> = {
  readonly type: 'adopt' | 'release';
  readonly object: Stored<T>;
};

export type Claims<T extends KubeObject> = {
  /** Owned already, and matching. */
  readonly owned: readonly Stored<T>[];
  readonly actions: readonly ClaimAction<T>[];
};

/**
 * Which of `candidates` a controller owns, should adopt and should release, as client-go's `ControllerRefManager`
 * decides: orphans that match are adopted, owned ones that no longer match are released, others' are left alone, and
 * a controller that is being deleted neither adopts nor releases.
 */
export function decideClaims<T extends KubeObject>(
  controller: KubeObject,
  candidates: readonly Stored<T>[],
  matches: (candidate: Stored<T>) => boolean,
): Claims<T> {
  const owned: Stored<T>[] = [];
  const actions: ClaimAction<T>[] = [];
  const leaving = controller.metadata.deletionTimestamp !== undefined;
  for (const object of candidates) {
    const owner = controllerOf(object);
    const fits = matches(object);
    if (owner !== undefined && owner.uid !== controller.metadata.uid) continue;
    if (owner !== undefined && fits) owned.push(object);
    else if (leaving) continue;
    else if (owner !== undefined) actions.push({ type: 'release', object });
    else if (fits && object.metadata.deletionTimestamp === undefined) actions.push({ type: 'adopt', object });
  }
  return { owned, actions };
}
