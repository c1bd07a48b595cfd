import { jsonEqual, type KubeObject } from '@kubewright/kube';
import { type Authorizer, MASTERS } from '../../auth/authorizer.ts';
import { readCertificateRequest } from '../../certificates/read-certificate-request.ts';
import { specOf, statusOf, stringAt, valueAt } from '../../objects/read.ts';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import type { AdmissionPlugin } from '../admission-plugin.ts';
import { newForbidden } from '../new-forbidden.ts';

const GROUP = 'certificates.k8s.io';
const RESOURCE = 'certificatesigningrequests';
const API_CLIENTS = 'kubernetes.io/kube-apiserver-client';

/**
 * The plugins `CertificateApproval`, `CertificateSigning` and `CertificateSubjectRestriction`: who approves requests of a
 * signer, or adds their certificates, may `approve` or `sign` for it; nobody is made a member of `system:masters`.
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#authorization
 */
export function certificateAdmission(authorize: Authorizer): AdmissionPlugin {
  return {
    validate(attributes) {
      const { object, oldObject, request, operation } = attributes;
      if (request.definition.resource !== RESOURCE || request.definition.group !== GROUP) return;
      if (object === undefined) return;
      if (operation === 'CREATE') return checkSubject(attributes, object);
      if (oldObject === undefined) return;
      if (request.subresource === 'approval') checkSigner(authorize, attributes, oldObject, 'approve');
      if (request.subresource === 'status' && decides(object, oldObject))
        checkSigner(authorize, attributes, oldObject, 'sign');
    },
  };
}

function decides(object: KubeObject, old: KubeObject): boolean {
  const [now, before] = [statusOf(object), statusOf(old)];
  return ['certificate', 'conditions'].some((key) => !jsonEqual(valueAt(now, key), valueAt(before, key)));
}

/** By the name of the signer, or all of its domain. */
function checkSigner(
  authorize: Authorizer,
  attributes: AdmissionAttributes,
  old: KubeObject,
  verb: 'approve' | 'sign',
): void {
  const { user } = attributes.request;
  const signer = stringAt(specOf(old), 'signerName');
  const isAllowed = [signer, `${signer.split('/', 1)[0] ?? ''}/*`].some((name) => {
    const resource = { group: GROUP, namespace: '', resource: 'signers', subresource: '', name };
    return authorize({ user, info: { verb, path: '', resource } }).allowed;
  });
  if (isAllowed) return;
  throw newForbidden(
    attributes,
    `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`,
  );
}

function checkSubject(attributes: AdmissionAttributes, object: KubeObject): void {
  const spec = specOf(object);
  if (stringAt(spec, 'signerName') !== API_CLIENTS) return;
  const pem = Buffer.from(stringAt(spec, 'request'), 'base64').toString('latin1');
  if (!readCertificateRequest(pem).organizations.includes(MASTERS)) return;
  throw newForbidden(attributes, `use of ${API_CLIENTS} signer with ${MASTERS} group is not allowed`);
}
