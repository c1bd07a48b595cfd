import type { KubeObject } from '@kubewright/kube';
import { compareQuantity, formatQuantity, parseQuantity, scaledQuantity } from '@kubewright/kube/quantity';
import { maybeString, metadataOf, objectAt, specOf, statusOf, stringAt } from '../objects/read.ts';
import type { Evaluator } from './evaluator.ts';
import { selectsName } from './scope-selector.ts';

const CLAIMS = 'persistentvolumeclaims';
const STORAGE = 'requests.storage';
const OF_CLASS = '.storageclass.storage.k8s.io/';
const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';

/** Claims and the storage they request, in all and by class. */
export const claimEvaluator: Evaluator = {
  matching: (hard) =>
    hard.filter(
      (name) =>
        [`count/${CLAIMS}`, CLAIMS, STORAGE].includes(name) ||
        [CLAIMS, STORAGE].some((counted) => name.endsWith(OF_CLASS + counted)),
    ),
  // A status counts in which more is allocated, or another class is in force: only then it uses more than before.
  handles: ({ subresource }) => subresource === '' || subresource === 'status',
  inScope: (selector, claim) =>
    selector.scope === 'VolumeAttributesClass' && selectsName(selector, attributesClasses(claim)),
  complaint: () => undefined,
  usage(claim) {
    const storage = storageOf(claim);
    const name = classOf(claim);
    const used = new Map([
      [CLAIMS, '1'],
      [`count/${CLAIMS}`, '1'],
    ]);
    if (name !== '') used.set(`${name}${OF_CLASS}${CLAIMS}`, '1');
    if (storage === undefined) return used;
    used.set(STORAGE, storage);
    if (name !== '') used.set(`${name}${OF_CLASS}${STORAGE}`, storage);
    return used;
  },
};

function classOf(claim: KubeObject): string {
  return (
    maybeString(objectAt(metadataOf(claim), 'annotations'), BETA_CLASS) ??
    stringAt(specOf(claim), 'storageClassName')
  );
}

/** In whole bytes; what is allocated already counts where it is more than the request. */
function storageOf(claim: KubeObject): string | undefined {
  const requested = maybeString(objectAt(specOf(claim), 'resources', 'requests'), 'storage');
  if (requested === undefined) return undefined;
  const allocated = maybeString(objectAt(statusOf(claim), 'allocatedResources'), 'storage');
  const whole = rounded(requested);
  return allocated !== undefined && compareQuantity(allocated, whole) > 0 ? rounded(allocated) : whole;
}

function rounded(amount: string): string {
  const quantity = parseQuantity(amount);
  return formatQuantity({ unscaled: scaledQuantity(quantity), scale: 0, format: quantity.format });
}

/** The classes that are requested, in force, and on the way. */
function attributesClasses(claim: KubeObject): readonly string[] {
  const status = statusOf(claim);
  const names = [
    stringAt(specOf(claim), 'volumeAttributesClassName'),
    stringAt(status, 'currentVolumeAttributesClassName'),
    stringAt(objectAt(status, 'modifyVolumeStatus'), 'targetVolumeAttributesClassName'),
  ];
  return [...new Set(names.filter((name) => name !== ''))];
}
