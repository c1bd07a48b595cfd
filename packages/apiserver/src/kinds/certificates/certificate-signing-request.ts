import {
  type certificatesv1,
  formatTime,
  type Json,
  type JsonObject,
  type KubeObject,
} from '@kubewright/kube';
import type { Strategy, StrategyContext } from '../../model/resource-definition.ts';
import { clearStatus, keepOld, SPEC_RESET, STATUS_RESET } from '../../model/status-strategy.ts';
import { objectsAt, specOf, statusOf, stringAt, valueAt } from '../../objects/read.ts';
import {
  type Change,
  changeObject,
  inField,
  inItems,
  inStruct,
  withField,
} from '../../objects/change-object.ts';
import { objectErrors } from '../../validation/spec-errors.ts';
import { validateChange, validateCertificateRequest } from './validate-certificate-request.ts';

type Request = certificatesv1.CertificateSigningRequest;

/**
 * `certificates.k8s.io/v1 CertificateSigningRequest`: whoever creates one is in its spec, which stays; by the subresource
 * `approval` it is approved or denied, by `status` its signer adds the certificate.
 */
export const certificateSigningRequest: Strategy = {
  prepareForCreate: (object, context) => changeObject(clearStatus()(object), byUser(context)),
  prepareForUpdate: (object, old) => keepOld(keepOld(object, old, 'spec'), old, 'status'),
  validateCreate: (object) => objectErrors<Request>(validateCertificateRequest, object),
  validateUpdate: (object, old) => changeErrors(object, old, {}),
  resetFields: [...SPEC_RESET, ...STATUS_RESET],
};

export const certificateSigningRequestStatus: Strategy = {
  prepareForUpdate: (object, old, { now }) =>
    withTimes(changeObject(keepOld(object, old, 'spec'), keepDecision(old)), old, now),
  validateUpdate: (object, old) => changeErrors(object, old, { certificate: true }),
  resetFields: [...SPEC_RESET, ['f:status', 'f:conditions']],
};

export const certificateSigningRequestApproval: Strategy = {
  prepareForUpdate: (object, old, { now }) =>
    withTimes(changeObject(keepOld(object, old, 'spec'), keepCertificate(old)), old, now),
  validateUpdate: (object, old) => changeErrors(object, old, { approval: true }),
  resetFields: [...SPEC_RESET, ['f:status', 'f:certificate']],
};

function changeErrors(
  object: KubeObject,
  old: KubeObject,
  allowed: Parameters<typeof validateChange>[2],
): ReturnType<typeof objectErrors> {
  return objectErrors<Request>(
    (body, before) => {
      validateCertificateRequest(body);
      if (before !== undefined) validateChange(body, before, allowed);
    },
    object,
    old,
  );
}

/** What a client says of its user is not kept. */
function byUser({ user }: StrategyContext): Change {
  const { username, uid = '', groups, extra = {} } = user;
  const identity: Readonly<Record<string, Json | undefined>> = {
    username: username || undefined,
    uid: uid || undefined,
    groups: groups.length === 0 ? undefined : groups,
    extra: Object.keys(extra).length === 0 ? undefined : extra,
  };
  return inStruct<Request>('spec', (spec) =>
    Object.entries(identity).reduce((sum, [key, value]) => withField(sum, key, value), spec),
  );
}

function keepCertificate(old: KubeObject): Change {
  const certificate = valueAt(statusOf(old), 'certificate');
  return inStruct<Request>('status', (status) => withField(status, 'certificate', certificate ?? undefined));
}

/** Whether it is approved or denied stays as it is, its reason too; that it is neither added nor removed is validated. */
function keepDecision(old: KubeObject): Change {
  const decisions = objectsAt(statusOf(old), 'conditions').filter((condition) =>
    ['Approved', 'Denied'].includes(stringAt(condition, 'type')),
  );
  const kept: Change = (condition) =>
    decisions.find((one) => stringAt(one, 'type') === stringAt(condition, 'type')) ?? condition;
  return inField<Request>('status', inItems('conditions', kept));
}

/** A condition that does not say when it was updated was now; it has been since it had another status. */
function withTimes(object: KubeObject, old: KubeObject, now: Date): KubeObject {
  const time = formatTime(now);
  const before = objectsAt(statusOf(old), 'conditions');
  const timed: Change = (condition) => {
    const same = before.find((one) =>
      ['type', 'status'].every((key) => stringAt(one, key) === stringAt(condition, key)),
    );
    const since = same === undefined ? '' : stringAt(same, 'lastTransitionTime');
    return [
      ['lastUpdateTime', time],
      ['lastTransitionTime', since || time],
    ].reduce<JsonObject>(
      (sum, [key = '', value = '']) => (stringAt(sum, key) === '' ? withField(sum, key, value) : sum),
      condition,
    );
  };
  return changeObject(object, inField<Request>('status', inItems('conditions', timed)));
}

/** Of the field selector `spec.signerName`. */
export function signerNameOf(object: KubeObject): string {
  return stringAt(specOf(object), 'signerName');
}
