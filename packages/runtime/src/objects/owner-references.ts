import {
  controllerOf,
  type KubeObject,
  type OwnerReference,
  ownerReferenceTo,
  parseApiVersion,
  type Stored,
} from '@kubewright/kube';
import { RuntimeError } from '../runtime-error.ts';

/** What has owners: an object, or what is to be applied as one. */
type Owned = Pick<KubeObject, 'kind' | 'metadata'>;

/**
 * `object` with `owner` as its one controller: the garbage collector deletes it with its owner, and `watchOwned` leads
 * from it to its owner.
 *
 * Throws `InvalidOwner` where Kubernetes allows no such reference, and `AlreadyOwned` when another controls `object`:
 * also one of the same kind and name but another uid, for that is not the same owner.
 */
export function setControllerReference<T extends Owned>(owner: Stored, object: T): T {
  const reference = ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true });
  return withOwner(owner, object, reference);
}

/** `object` with `owner` among its owners, none of which need control it. Refuses as {@link setControllerReference}. */
export function setOwnerReference<T extends Owned>(owner: Stored, object: T): T {
  return withOwner(owner, object, ownerReferenceTo(owner));
}

/** `object` without its references to `owner`, whatever their uid. The same object when it has none. */
export function removeOwnerReference<T extends Owned>(owner: Stored, object: T): T {
  const { ownerReferences = [] } = object.metadata;
  const wanted = ownerReferenceTo(owner);
  const left = ownerReferences.filter((reference) => !sameName(reference, wanted));
  return left.length === ownerReferences.length ? object : withReferences(object, left);
}

/**
 * Whether this very `owner` is among the owners of `object`. A reference to a deleted owner of the same name is none:
 * its uid tells.
 */
export function isOwnedBy(object: KubeObject, owner: Stored): boolean {
  const { ownerReferences = [] } = object.metadata;
  return ownerReferences.some((reference) => refersTo(reference, owner));
}

/** Whether this very `owner` controls `object`. */
export function isControlledBy(object: KubeObject, owner: Stored): boolean {
  const controller = controllerOf(object);
  return controller !== undefined && refersTo(controller, owner);
}

function withOwner<T extends Owned>(owner: Stored, object: T, reference: OwnerReference): T {
  checkScope(owner, object);
  if (reference.uid === '') throw new RuntimeError('InvalidOwner', `${titleOf(owner)} has no uid yet`);
  const { ownerReferences = [] } = object.metadata;
  const controller = controllerOf(object);
  const taken = controller !== undefined && controller.uid !== reference.uid;
  if (taken && (reference.controller === true || sameName(controller, reference)))
    throw alreadyOwned(object, controller);
  const others = ownerReferences.filter((other) => !sameName(other, reference));
  return withReferences(object, [...others, reference]);
}

/** Throws `AlreadyOwned` unless this very `owner` controls `object`. */
export function requireControlledBy(object: KubeObject, owner: Stored): void {
  if (!isControlledBy(object, owner)) throw alreadyOwned(object, controllerOf(object));
}

function alreadyOwned(object: Owned, controller: OwnerReference | undefined): RuntimeError {
  const by =
    controller === undefined
      ? 'exists and has no controller'
      : `is already controlled by ${controller.kind} ${controller.name} with uid ${controller.uid}`;
  return new RuntimeError('AlreadyOwned', `${titleOf(object)} ${by}`);
}

/** What the garbage collector would take for a missing owner, and delete the object for. */
function checkScope(owner: KubeObject, object: Owned): void {
  const { namespace } = owner.metadata;
  if (namespace === undefined || namespace === '' || namespace === object.metadata.namespace) return;
  const where = object.metadata.namespace ?? 'no namespace';
  throw new RuntimeError('InvalidOwner', `${titleOf(owner)} cannot own ${titleOf(object)} in ${where}`);
}

function refersTo(reference: OwnerReference, owner: Stored): boolean {
  const { uid } = owner.metadata;
  return uid !== '' && reference.uid === uid && sameName(reference, ownerReferenceTo(owner));
}

/** controller-runtime's sameness: group, kind and name. The version may change, the uid is looked at separately. */
function sameName(a: OwnerReference, b: OwnerReference): boolean {
  return a.kind === b.kind && a.name === b.name && groupOf(a) === groupOf(b);
}

function groupOf({ apiVersion }: OwnerReference): string {
  return parseApiVersion(apiVersion).group;
}

function withReferences<T extends Owned>(object: T, ownerReferences: readonly OwnerReference[]): T {
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function titleOf({ kind, metadata }: Owned): string {
  const { namespace, name = '' } = metadata;
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
