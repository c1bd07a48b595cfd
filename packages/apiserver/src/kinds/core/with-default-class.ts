import { type KubeObject, getOwn } from '@kubewright/kube';
import { compareQuantity } from '@kubewright/kube/quantity';
import type { StrategyContext } from '../../model/resource-definition.ts';
import { forbidden } from '../../api-server-error.ts';
import { defaultClass } from '../../objects/default-class.ts';
import {
  bodyOf,
  has,
  isTrue,
  maybeString,
  objectAt,
  specOf,
  statusOf,
  stringAt,
} from '../../objects/read.ts';
import { changeObject, inField, withField } from '../../objects/change-object.ts';
import { nameOf } from '../../objects/name-of.ts';

/** What admission plugins check of a claim that depends on StorageClasses. */

const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';
const IS_DEFAULT = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];
const CLAIMS = { group: '', resource: 'persistentvolumeclaims' };

/** A claim that names no class, not even an empty one, gets the default class (`DefaultStorageClass`). */
export function withDefaultClass(claim: KubeObject, { list }: StrategyContext): KubeObject {
  if (has(specOf(claim), 'storageClassName') || betaClass(claim) !== undefined) return claim;
  const name = defaultClass(list('storage.k8s.io', 'storageclasses'), IS_DEFAULT);
  if (name === undefined) return claim;
  return changeObject(
    claim,
    inField('spec', (spec) => withField(spec, 'storageClassName', name)),
  );
}

function betaClass({ metadata }: KubeObject): string | undefined {
  const value = getOwn(metadata.annotations ?? {}, BETA_CLASS);
  return typeof value === 'string' ? value : undefined;
}

/**
 * Throws if the claim grows and may not (`PersistentVolumeClaimResize`): only a bound one whose class lets it. Asked
 * once the object is valid, as validating admission is.
 */
export function checkGrowth(claim: KubeObject, old: KubeObject, { list }: StrategyContext): void {
  if (compareQuantity(requested(claim), requested(old)) <= 0) return;
  const name = nameOf(claim);
  if (stringAt(statusOf(old), 'phase') !== 'Bound')
    throw forbidden(CLAIMS, name, 'Only bound persistent volume claims can be expanded');
  const className = classOf(claim);
  const grows = [...list('storage.k8s.io', 'storageclasses')].some(
    (one) => one.metadata.name === className && isTrue(bodyOf(one), 'allowVolumeExpansion'),
  );
  if (grows && className !== '' && className === classOf(old)) return;
  const why =
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
  throw forbidden(CLAIMS, name, why);
}

function classOf(claim: KubeObject): string {
  return betaClass(claim) ?? stringAt(specOf(claim), 'storageClassName');
}

function requested(claim: KubeObject): string {
  return maybeString(objectAt(specOf(claim), 'resources', 'requests'), 'storage') ?? '0';
}
