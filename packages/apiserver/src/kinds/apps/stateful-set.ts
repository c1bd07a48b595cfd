import type { JsonObject, KubeObject } from '@kubewright/kube';
import { getOwn, jsonEqual } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { validateClaimSpec } from '../../pods/validate-claim-spec.ts';
import {
  validateSelectedTemplate,
  validateTemplate,
  validateWorkloadSelector,
} from '../../pods/validate-template.ts';
import { defaultClaimSpec } from '../../pods/default-volume.ts';
import {
  dnsLabel,
  type Errors,
  each,
  forbidden,
  inside,
  invalid,
  invalidFor,
  NONE,
  nameIsDnsLabel,
  nonNegative,
  oneOf,
  required,
} from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import {
  maybeNumber,
  maybeObject,
  objectAt,
  objectsAt,
  specOf,
  statusOf,
  stringAt,
} from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';
import { statusStrategy } from '../../model/status-strategy.ts';
import {
  type Change,
  inField,
  inItems,
  inOrder,
  orDefault,
  orDefaultPointer,
  withField,
} from '../../objects/change-object.ts';
import {
  atMost,
  changeSpec,
  collisionsNotFewer,
  nonNegativeCounts,
  oneReplica,
  specStrategyOf,
  templateDefaults,
  templateWarnings,
} from './workload.ts';

const specStrategy = specStrategyOf({ replicas: 0, availableReplicas: 0 });
const RULES = { namespaced: true, name: nameIsDnsLabel };
const ROLLING = 'RollingUpdate';

/** A rolling update that is given by type alone has no partition; one that is a default has partition 0. */
function updateDefaults(strategy: JsonObject): JsonObject {
  const named = stringAt(strategy, 'type') !== '';
  const typed = orDefault(strategy, 'type', ROLLING);
  const filled = named ? typed : orDefaultPointer(typed, 'rollingUpdate', {});
  if (stringAt(filled, 'type') !== ROLLING) return filled;
  return inField('rollingUpdate', (update) => orDefaultPointer(update, 'partition', 0))(filled);
}

const claimDefaults: Change = inOrder(
  // Templates of claims are written with the type and status of claims.
  (claim) => orDefault(orDefault(claim, 'kind', 'PersistentVolumeClaim'), 'apiVersion', 'v1'),
  (claim) => withField(claim, 'spec', defaultClaimSpec(objectAt(claim, 'spec'))),
  (claim) => withField(claim, 'status', orDefault(objectAt(claim, 'status'), 'phase', 'Pending')),
);

const specDefaults: Change = inOrder(
  (spec) => orDefault(spec, 'podManagementPolicy', 'OrderedReady'),
  (spec) => withField(spec, 'updateStrategy', updateDefaults(objectAt(spec, 'updateStrategy'))),
  (spec) => orDefaultPointer(spec, 'persistentVolumeClaimRetentionPolicy', {}),
  inField(
    'persistentVolumeClaimRetentionPolicy',
    inOrder(
      (policy) => orDefault(policy, 'whenDeleted', 'Retain'),
      (policy) => orDefault(policy, 'whenScaled', 'Retain'),
    ),
  ),
  oneReplica,
  (spec) => orDefaultPointer(spec, 'revisionHistoryLimit', 10),
  inItems('volumeClaimTemplates', claimDefaults),
  templateDefaults,
);

/** `apps/v1 StatefulSet`. */
export const statefulSet: Strategy = {
  ...specStrategy,
  default: (object) => changeSpec(object, specDefaults),
  prepareForCreate: (object, context) =>
    dropMaxUnavailable(specStrategy.prepareForCreate?.(object, context) ?? object, undefined),
  prepareForUpdate: (object, old, context) =>
    specStrategy.prepareForUpdate?.(dropMaxUnavailable(object, old), old, context) ?? object,
  validateCreate: (object) => [
    ...validateObjectMeta(object, RULES),
    ...validateSpec(specOf(object), { claims: true, serviceName: true }),
  ],
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...validateSpec(specOf(object), { claims: false, serviceName: false, old: specOf(old) }),
    ...validateChange(specOf(object), specOf(old)),
  ],
  warnings: (object, old) => {
    const limit = maybeNumber(specOf(object), 'revisionHistoryLimit') ?? 0;
    const text =
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended';
    return [...templateWarnings(object, old), ...(limit < 0 ? [text] : [])];
  },
};

export const statefulSetStatus: Strategy = statusStrategy(validateStatus);

/** `maxUnavailable` is behind a feature gate that is off; it stays where it is in use. */
function dropMaxUnavailable(object: KubeObject, old: KubeObject | undefined): KubeObject {
  const path = ['updateStrategy', 'rollingUpdate'] as const;
  const used = old !== undefined && getOwn(objectAt(specOf(old), ...path), 'maxUnavailable') !== undefined;
  if (used || getOwn(objectAt(specOf(object), ...path), 'maxUnavailable') === undefined) return object;
  const drop = inField(
    'updateStrategy',
    inField('rollingUpdate', (update) => withField(update, 'maxUnavailable', undefined)),
  );
  return changeSpec(object, drop);
}

type SpecOptions = { readonly claims: boolean; readonly serviceName: boolean; readonly old?: JsonObject };

function validateSpec(spec: JsonObject, { claims, serviceName, old }: SpecOptions): Errors {
  const name = stringAt(spec, 'serviceName');
  return [
    ...validatePodManagement(stringAt(spec, 'podManagementPolicy')),
    ...validateUpdateStrategy(objectAt(spec, 'updateStrategy'), 'spec.updateStrategy'),
    ...inside(maybeObject(spec, 'persistentVolumeClaimRetentionPolicy'), (policy) =>
      ['whenDeleted', 'whenScaled'].flatMap((key) =>
        oneOf(stringAt(policy, key), `spec.persistentVolumeClaimRetentionPolicy.${key}`, [
          'Retain',
          'Delete',
        ]),
      ),
    ),
    ...(claims
      ? each(objectsAt(spec, 'volumeClaimTemplates'), 'spec.volumeClaimTemplates', (claim, at) =>
          validateClaimSpec(objectAt(claim, 'spec'), `${at}.spec`),
        )
      : NONE),
    ...nonNegative(spec, 'replicas', 'spec'),
    ...nonNegative(spec, 'minReadySeconds', 'spec'),
    ...inside(maybeObject(spec, 'ordinals'), (ordinals) => nonNegative(ordinals, 'start', 'spec.ordinals')),
    ...(serviceName && name !== '' ? dnsLabel(name, 'spec.serviceName') : NONE),
    ...validateWorkloadSelector(spec, 'spec', 'statefulset'),
    ...validateSelectedTemplate(withClaimVolumes(spec), 'spec', {
      kind: 'StatefulSet',
      unusable: '',
      template: (template, path) =>
        validateTemplate(template, path, old === undefined ? undefined : objectAt(old, 'template')),
    }),
  ];
}

/** Each claim template is a volume of the same name; host names are the server's to give. */
function withClaimVolumes(spec: JsonObject): JsonObject {
  const claims = objectsAt(spec, 'volumeClaimTemplates').map((claim) =>
    stringAt(objectAt(claim, 'metadata'), 'name'),
  );
  const change: Change = (pod) => {
    const own = objectsAt(pod, 'volumes').filter((volume) => !claims.includes(stringAt(volume, 'name')));
    const added = [...new Set(claims)].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
    const bare = withField(withField(pod, 'hostname', undefined), 'subdomain', undefined);
    return claims.length === 0 ? bare : withField(bare, 'volumes', [...added, ...own]);
  };
  return inField('template', inField('spec', change))(spec);
}

function validatePodManagement(policy: string): Errors {
  if (policy === '') return required(false, 'spec.podManagementPolicy');
  const known = policy === 'OrderedReady' || policy === 'Parallel';
  return invalid(!known, 'spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'");
}

function validateUpdateStrategy(strategy: JsonObject, path: string): Errors {
  const type = stringAt(strategy, 'type');
  const update = maybeObject(strategy, 'rollingUpdate');
  switch (type) {
    case '':
      return required(false, path);
    case 'OnDelete':
      return showing(
        '?apps.RollingUpdateStatefulSetStrategy',
        invalid(
          update !== undefined,
          `${path}.rollingUpdate`,
          update ?? null,
          "only allowed for updateStrategy 'RollingUpdate'",
        ),
      );
    case ROLLING:
      return update === undefined ? NONE : nonNegative(update, 'partition', `${path}.rollingUpdate`);
    default:
      return showing(
        'apps.StatefulSetUpdateStrategy',
        invalidFor(path, strategy, ["must be 'RollingUpdate' or 'OnDelete'"]),
      );
  }
}

const CHANGEABLE = [
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
];

function validateChange(spec: JsonObject, old: JsonObject): Errors {
  const rest = (value: JsonObject): JsonObject =>
    CHANGEABLE.reduce((current, key) => withField(current, key, undefined), value);
  return forbidden(
    !jsonEqual(rest(spec), rest(old)),
    'spec',
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
  );
}

function validateStatus(object: KubeObject, old: KubeObject): Errors {
  const status = statusOf(object);
  const counts = ['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'];
  return [
    ...nonNegativeCounts(status, ...counts, 'observedGeneration', 'collisionCount'),
    ...atMost(
      status,
      ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
      'replicas',
      'cannot be greater than status.replicas',
    ),
    ...atMost(status, ['availableReplicas'], 'readyReplicas', 'cannot be greater than status.readyReplicas'),
    ...validateObjectMetaUpdate(object, old),
    ...collisionsNotFewer(object, old),
  ];
}
