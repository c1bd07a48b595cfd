import type { corev1, KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { each, nameIsDnsLabel } from '../../validation/errors.ts';
import { Field } from '../../validation/field.ts';
import { statusErrors } from '../../validation/spec-errors.ts';
import {
  validateFinalizerDomain,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '../../validation/validate-object-meta.ts';
import { metadataOf, objectAt, specOf, stringAt, stringsAt } from '../../objects/read.ts';
import { clearStatus, keepOld, STATUS_RESET } from '../../model/status-strategy.ts';
import { changeObject, inStruct, withField, zeroDefaults } from '../../objects/change-object.ts';

const RULES = { namespaced: false, name: nameIsDnsLabel };
const NAME_LABEL = 'kubernetes.io/metadata.name';

/** `v1 Namespace`. Every namespace carries its name as a label and starts with the finalizer `kubernetes`. */
export const namespace: Strategy = {
  default: (object) => changeObject(withNameLabel(object), activeByDefault),
  prepareForCreate: (object) => changeObject(clearStatus({ phase: 'Active' })(object), withOwnFinalizer),
  prepareForUpdate: (object, old) => keepOld(keepFinalizers(object, old), old, 'status'),
  validateCreate: (object) => validateObjectMeta(object, RULES),
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...validateObjectMeta(object, RULES),
  ],
  resetFields: STATUS_RESET,
};

export const namespaceStatus: Strategy = {
  prepareForUpdate: (object, old) => keepOld(object, old, 'spec'),
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...statusErrors<corev1.NamespaceStatus>(
      (status) => validatePhase(status, object.metadata.deletionTimestamp !== undefined),
      object,
      old,
    ),
  ],
  resetFields: [['f:spec']],
};

/** `PUT …/finalize`: the only way to take the namespace's own finalizers away. */
export const namespaceFinalize: Strategy = {
  prepareForUpdate: (object, old) => keepOld(object, old, 'status'),
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...each(stringsAt(specOf(object), 'finalizers'), 'spec.finalizers', validateFinalizerDomain),
  ],
  resetFields: STATUS_RESET,
};

function withNameLabel(object: KubeObject): KubeObject {
  const metadata = metadataOf(object);
  const name = stringAt(metadata, 'name');
  if (name === '') return object;
  const labels = withField(objectAt(metadata, 'labels'), NAME_LABEL, name);
  return changeObject(object, (body) => withField(body, 'metadata', withField(metadata, 'labels', labels)));
}

const activeByDefault = inStruct<corev1.Namespace>(
  'status',
  zeroDefaults<corev1.NamespaceStatus>({ phase: 'Active' }),
);

const withOwnFinalizer = inStruct<corev1.Namespace>('spec', (spec) => {
  const finalizers = stringsAt(spec, 'finalizers');
  const kept = finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'];
  return withField(spec, 'finalizers', [...kept]);
});

function keepFinalizers(object: KubeObject, old: KubeObject): KubeObject {
  const finalizers = stringsAt(specOf(old), 'finalizers');
  const kept = finalizers.length === 0 ? undefined : [...finalizers];
  return changeObject(
    object,
    inStruct<corev1.Namespace>('spec', (spec) => withField(spec, 'finalizers', kept)),
  );
}

function validatePhase(status: Field<corev1.NamespaceStatus>, isDeleted: boolean): void {
  const phase = new Field(status.text('phase'), status, '.Phase');
  if (!isDeleted && phase.asText !== 'Active')
    phase.addInvalid("may only be 'Active' if `deletionTimestamp` is empty");
  if (isDeleted && phase.asText !== 'Terminating')
    phase.addInvalid("may only be 'Terminating' if `deletionTimestamp` is not empty");
}
