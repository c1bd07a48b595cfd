import { jsonEqual, type KubeObject, type storagev1 } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { specValidation } from '../../model/spec-validation.ts';
import { nameIsDnsSubdomain } from '../../validation/errors.ts';
import { Field } from '../../validation/field.ts';
import { specField } from '../../validation/spec-errors.ts';
import { repeats } from '../../validation/repeats.ts';
import { itemsAt } from '../../objects/read.ts';
import { generationOfChanges } from '../../model/status-strategy.ts';
import { changeObject, defaults, inField, inOrder, when, withField } from '../../objects/change-object.ts';

type Spec = storagev1.CSIDriverSpec;

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const MODES = ['Persistent', 'Ephemeral'];

const specDefaults = inOrder(
  defaults<Spec>({
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    requiresRepublish: false,
    seLinuxMount: false,
  }),
  when(
    (spec) => itemsAt(spec, 'volumeLifecycleModes').length === 0,
    (spec) => withField(spec, 'volumeLifecycleModes', ['Persistent']),
  ),
);
const bodyDefaults = inOrder(defaults<storagev1.CSIDriver>({ spec: {} }), inField('spec', specDefaults));

/** `storage.k8s.io/v1 CSIDriver`. */
export const csiDriver: Strategy = {
  default: (object) => changeObject(object, bodyDefaults),
  prepareForUpdate: generationOfChanges().prepareForUpdate,
  ...specValidation(RULES, validateSpec),
  warnings: tokenWarnings,
};

function tokenWarnings(object: KubeObject, old?: KubeObject): readonly string[] {
  const spec = specField<Spec>(object);
  const [{ value }, before] = [spec.at('tokenRequests'), old && specField<Spec>(old).at('tokenRequests')];
  const unchanged = before !== undefined && jsonEqual(value, before.value);
  if (unchanged || spec.count('tokenRequests') === 0 || spec.has('serviceAccountTokenInSecrets')) return [];
  return [
    'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
  ];
}

function validateSpec(spec: Field<Spec>, old?: Field<Spec>): void {
  // The misspelt path is the server's.
  const attach = new Field(spec.at('attachRequired').value, spec, '.attachedRequired');
  const isRepeated = repeats();
  if (attach.value === null) attach.addRequired();
  spec.require('podInfoOnMount');
  spec.require('storageCapacity');
  spec.oneOf('fsGroupPolicy', ['File', 'None', 'ReadWriteOnceWithFSType']);
  for (const request of spec.items('tokenRequests')) request.at('audience').mustBeNew(isRepeated);
  for (const value of spec.texts('volumeLifecycleModes'))
    if (!MODES.includes(value)) spec.at('volumeLifecycleModes').addNotSupported(MODES, { value });
  if (old === undefined) return;
  if (!jsonEqual(attach.value, old.at('attachRequired').value)) attach.addInvalid('field is immutable');
  spec.immutable(old, 'volumeLifecycleModes');
}
