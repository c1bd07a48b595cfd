import {
  controllerOf,
  type KubeObject,
  type OwnerReference,
  ownerReferenceTo,
  parseApiVersion,
  type Stored,
} from '@kubewright/kube';
import { RuntimeError } from '../runtime-error.ts';

/** What has owner references: an object, or an apply configuration. */
type Owned = Pick<KubeObject, 'kind' | 'metadata'>;

/**
 * `object` with `owner` as its controller: the garbage collector deletes it with its owner, and `watchOwned` maps it to its
 * owner.
 *
 * Throws `InvalidOwner` where Kubernetes allows no such reference, and `AlreadyOwned` when `object` has another controller:
 * also one of the same kind and name with another uid.
 */
export function setControllerReference<T extends Owned>(owner: Stored, object: T): T {
  const reference = ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true });
  return withOwner(owner, object, reference);
}

/** `object` with `owner` as an owner, not as its controller. Throws as {@link setControllerReference} does. */
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
 * Whether this `owner` is an owner of `object`, by uid: a reference to a deleted object of the same name does not count.
 */
export function isOwnedBy(object: KubeObject, owner: Stored): boolean {
  const { ownerReferences = [] } = object.metadata;
  return ownerReferences.some((reference) => refersTo(reference, owner));
}

/** Whether this `owner`, by uid, is the controller of `object`. */
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

/** Throws `AlreadyOwned` unless this `owner`, by uid, is the controller of `object`. */
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

/** Rejects an owner that the garbage collector would not find, and so delete the object. */
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

/** Equal as in controller-runtime: group, kind and name. The version may differ, and the uid is compared separately. */
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
