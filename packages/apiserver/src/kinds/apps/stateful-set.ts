import type { appsv1, corev1, JsonObject, KubeObject, TemplateOf } from '@kubewright/kube';
import { jsonEqual } from '@kubewright/kube';
import { isDns1123Label } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { specValidation } from '../../model/spec-validation.ts';
import { validateClaimSpec } from '../../pods/validate-claim-spec.ts';
import { defaultClaimSpec } from '../../pods/default-volume.ts';
import { validateSelectedTemplate, validateWorkloadSelector } from '../../pods/validate-template.ts';
import { nameIsDnsLabel } from '../../validation/errors.ts';
import { Field } from '../../validation/field.ts';
import { specField, statusErrors } from '../../validation/spec-errors.ts';
import { validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { type KeyOf, objectsAt, stringAt } from '../../objects/read.ts';
import { specStrategy, statusStrategy } from '../../model/status-strategy.ts';
import {
  type Change,
  changeObject,
  defaults,
  inField,
  inItems,
  inOrder,
  inStruct,
  withField,
  zeroDefaults,
} from '../../objects/change-object.ts';
import { atMost, changeSpec, notFewer, templateDefaults, templateWarnings } from './workload.ts';

type Spec = appsv1.StatefulSetSpec;
type Status = appsv1.StatefulSetStatus;
type UpdateStrategy = appsv1.StatefulSetUpdateStrategy;
type RollingUpdate = appsv1.RollingUpdateStatefulSetStrategy;
type Retention = appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy;
type Claim = TemplateOf<corev1.PersistentVolumeClaim>;

const ofSpec = specStrategy({ replicas: 0, availableReplicas: 0 });
const SELECTED = { kind: 'StatefulSet', unusable: '' };
const RULES = { namespaced: true, name: nameIsDnsLabel };

/** A rolling update that is given by type alone has no partition; one that is a default has partition 0. */
const updateDefaults: Change = (strategy) => {
  const isNamed = new Field<UpdateStrategy>(strategy).text('type') !== '';
  const filled = inOrder(
    zeroDefaults<UpdateStrategy>({ type: 'RollingUpdate' }),
    defaults<UpdateStrategy>(isNamed ? {} : { rollingUpdate: {} }),
  )(strategy);
  if (!new Field<UpdateStrategy>(filled).is('type', 'RollingUpdate')) return filled;
  return inField<UpdateStrategy>('rollingUpdate', defaults<RollingUpdate>({ partition: 0 }))(filled);
};

const claimDefaults: Change = inOrder(
  // Templates of claims are written with the type and status of claims.
  zeroDefaults<Claim>({ kind: 'PersistentVolumeClaim', apiVersion: 'v1' }),
  inStruct<Claim>('spec', defaultClaimSpec),
  inStruct<Claim>('status', zeroDefaults<corev1.PersistentVolumeClaimStatus>({ phase: 'Pending' })),
);

const specDefaults: Change = inOrder(
  zeroDefaults<Spec>({ podManagementPolicy: 'OrderedReady' }),
  inStruct<Spec>('updateStrategy', updateDefaults),
  defaults<Spec>({ persistentVolumeClaimRetentionPolicy: {} }),
  inField<Spec>(
    'persistentVolumeClaimRetentionPolicy',
    zeroDefaults<Retention>({ whenDeleted: 'Retain', whenScaled: 'Retain' }),
  ),
  defaults<Spec>({ replicas: 1, revisionHistoryLimit: 10 }),
  inItems<Spec>('volumeClaimTemplates', claimDefaults),
  templateDefaults,
);

/** `apps/v1 StatefulSet`. */
export const statefulSet: Strategy = {
  ...ofSpec,
  default: (object) => changeSpec(object, specDefaults),
  prepareForCreate: (object) => dropMaxUnavailable(ofSpec.prepareForCreate(object), undefined),
  prepareForUpdate: (object, old) => ofSpec.prepareForUpdate(dropMaxUnavailable(object, old), old),
  ...specValidation(RULES, validateSpec),
  warnings: (object, old) => {
    const limit = specField<Spec>(object).number('revisionHistoryLimit');
    const text =
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended';
    return [...templateWarnings(object, old), ...(limit < 0 ? [text] : [])];
  },
};

export const statefulSetStatus: Strategy = statusStrategy((object, old) => [
  ...statusErrors(validateStatus, object, old),
  ...validateObjectMetaUpdate(object, old),
  ...statusErrors<Status>((status, before) => notFewer(status, before, 'collisionCount'), object, old),
]);

/** `maxUnavailable` is behind a feature gate that is off; it stays where it is in use. */
function dropMaxUnavailable(object: KubeObject, old: KubeObject | undefined): KubeObject {
  const update = old && specField<Spec>(old).at('updateStrategy').at('rollingUpdate');
  if (update?.has('maxUnavailable') === true) return object;
  const drop: Change = (update) => withField(update, 'maxUnavailable', undefined);
  const inStrategy = inField<Spec>('updateStrategy', inField<UpdateStrategy>('rollingUpdate', drop));
  return changeObject(object, inField<appsv1.StatefulSet>('spec', inStrategy));
}

function validateSpec(spec: Field<Spec>, old?: Field<Spec>): void {
  const selector = spec.at('selector');
  validatePodManagement(spec);
  validateUpdateStrategy(spec.at('updateStrategy'));
  const retention = spec.maybeAt('persistentVolumeClaimRetentionPolicy');
  retention?.oneOf('whenDeleted', ['Retain', 'Delete']);
  retention?.oneOf('whenScaled', ['Retain', 'Delete']);
  if (old === undefined)
    for (const claim of spec.items('volumeClaimTemplates')) claim.at('spec').check(validateClaimSpec);
  spec.nonNegative('replicas', 'minReadySeconds');
  spec.at('ordinals').nonNegative('start');
  if (old === undefined && spec.text('serviceName') !== '') spec.matches('serviceName', isDns1123Label);
  validateWorkloadSelector(selector, 'statefulset');
  const template = spec.with(withClaimVolumes(spec)).at('template');
  validateSelectedTemplate(selector, template, SELECTED, old?.at('template'));
  if (old !== undefined) validateChange(spec, old);
}

/** Each claim template is a volume of the same name; host names are the server's to give. */
function withClaimVolumes(spec: Field<Spec>): JsonObject {
  const claims = spec.items('volumeClaimTemplates').map((claim) => claim.at('metadata').text('name'));
  const change: Change = (pod) => {
    const own = objectsAt(pod, 'volumes').filter((volume) => !claims.includes(stringAt(volume, 'name')));
    const added = [...new Set(claims)].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
    const bare = withField(withField(pod, 'hostname', undefined), 'subdomain', undefined);
    return claims.length === 0 ? bare : withField(bare, 'volumes', [...added, ...own]);
  };
  return inField<Spec>('template', inField<corev1.PodTemplateSpec>('spec', change))(spec.object);
}

function validatePodManagement(spec: Field<Spec>): void {
  const policy = spec.at('podManagementPolicy');
  if (spec.text('podManagementPolicy') === '') policy.addRequired();
  else if (!spec.is('podManagementPolicy', 'OrderedReady') && !spec.is('podManagementPolicy', 'Parallel'))
    policy.addInvalid("must be 'OrderedReady' or 'Parallel'");
}

function validateUpdateStrategy(strategy: Field<UpdateStrategy>): void {
  const update = strategy.maybeAt('rollingUpdate');
  switch (strategy.text('type')) {
    case '':
      return strategy.addRequired();
    case 'OnDelete':
      return update?.addInvalid("only allowed for updateStrategy 'RollingUpdate'", {
        as: 'apps.RollingUpdateStatefulSetStrategy',
      });
    case 'RollingUpdate':
      return update?.nonNegative('partition');
    default:
      return strategy.addInvalid("must be 'RollingUpdate' or 'OnDelete'", {
        as: 'apps.StatefulSetUpdateStrategy',
      });
  }
}

const CHANGEABLE: readonly KeyOf<Spec>[] = [
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
];

function validateChange(spec: Field<Spec>, old: Field<Spec>): void {
  const rest = ({ object }: Field<Spec>): JsonObject =>
    CHANGEABLE.reduce((current, key) => withField(current, key, undefined), object);
  if (!jsonEqual(rest(spec), rest(old)))
    spec.addForbidden(
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    );
}

function validateStatus(status: Field<Status>): void {
  status.nonNegative('replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas');
  status.nonNegative('observedGeneration', 'collisionCount');
  const parts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;
  atMost(status, parts, 'replicas', 'cannot be greater than status.replicas');
  atMost(status, ['availableReplicas'], 'readyReplicas', 'cannot be greater than status.readyReplicas');
}
