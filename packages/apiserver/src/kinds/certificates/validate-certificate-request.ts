import type { certificatesv1 } from '@kubewright/kube';
import { isDns1123Label, isDns1123Subdomain } from '@kubewright/kube/validation';
import type { Field } from '../../validation/field.ts';
import { repeats } from '../../validation/repeats.ts';
import { certificateProblem, requestProblem } from '../../certificates/read-certificate-request.ts';

type Request = certificatesv1.CertificateSigningRequest;
type Spec = certificatesv1.CertificateSigningRequestSpec;
type Status = NonNullable<Request['status']>;
type Usage = NonNullable<Spec['usages']>[number];

const USAGES: readonly Usage[] = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];
const FINAL = ['Approved', 'Denied', 'Failed'];
const MAX_DOMAIN = 253;
const MAX_SIGNER_NAME = MAX_DOMAIN + 1 + (MAX_DOMAIN + 1 + 63);
const MIN_SECONDS = 600;

const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('latin1');

export function validateCertificateRequest(body: Field<Request>): void {
  const spec: Field<Spec> = body.at('spec');
  const problem = requestProblem(decoded(spec.text('request')));
  if (problem !== undefined) spec.at('request').addInvalid(problem);
  validateUsages(spec);
  if (spec.text('signerName') === 'kubernetes.io/legacy-unknown')
    spec.at('signerName').addInvalid('the legacy signerName is not allowed via this API version');
  else validateSignerName(spec.at('signerName'));
  const seconds = spec.maybeNumber('expirationSeconds');
  if (seconds !== undefined && seconds < MIN_SECONDS)
    spec.at('expirationSeconds').addInvalid('may not specify a duration less than 600 seconds (10 minutes)');
  const status: Field<Status> = body.at('status');
  validateConditions(status);
  validateCertificate(status.at('certificate'));
}

function validateUsages(spec: Field<Spec>): void {
  if (spec.count('usages') === 0) spec.at('usages').addRequired('');
  const usages = spec.items('usages');
  for (const usage of usages) usage.mustBeOneOf(USAGES);
  const isRepeated = repeats();
  for (const usage of usages) usage.mustBeNew(isRepeated);
}

/** A domain and a path: `example.com/signer-name`. */
function validateSignerName(field: Field<string>): void {
  const name = field.asText;
  if (name === '') return field.addRequired('');
  const [domain = '', path, ...more] = name.split('/');
  if (path === undefined || more.length > 0)
    return field.addInvalid(
      "must be a fully qualified domain and path of the form 'example.com/signer-name'",
    );
  validateLabels(field, domain, isDns1123Label);
  if (!domain.includes('.'))
    field.addInvalid('should be a domain with at least two segments separated by dots', { value: domain });
  validateLabels(field, path, isDns1123Subdomain);
  if (name.length > MAX_SIGNER_NAME) field.addTooLong(MAX_SIGNER_NAME);
}

function validateLabels(
  field: Field<string>,
  value: string,
  rule: (label: string) => readonly string[],
): void {
  for (const label of value.split('.'))
    for (const message of rule(label))
      field.addInvalid(`validating label ${JSON.stringify(label)}: ${message}`, { value });
}

function validateConditions(status: Field<Status>): void {
  const isRepeated = repeats();
  const types = new Set<string>();
  for (const condition of status.items('conditions')) {
    const type = condition.text('type');
    if (type === '') condition.at('type').addRequired('');
    const values = FINAL.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (condition.text('status') === '') condition.at('status').addRequired('');
    else condition.at('status').mustBeOneOf(values);
    types.add(type);
    if (types.has('Approved') && types.has('Denied'))
      status
        .at('conditions')
        .addInvalid('Approved and Denied conditions are mutually exclusive', { value: type });
    condition.at('type').mustBeNew(isRepeated);
  }
}

/** What is in it stays out of the error. */
function validateCertificate(field: Field<string>): void {
  if (field.asText === '') return;
  const problem = certificateProblem(decoded(field.asText));
  if (problem !== undefined) field.addInvalid(problem, { value: '<certificate data>' });
}

/** What a subresource may change of a request, beyond conditions of other types. */
type Allowed = { readonly approval?: boolean; readonly certificate?: boolean };

/** No decision is taken back, and no certificate replaced. */
export function validateChange(body: Field<Request>, old: Field<Request>, allowed: Allowed): void {
  const [status, before]: readonly [Field<Status>, Field<Status>] = [body.at('status'), old.at('status')];
  const conditions = status.at('conditions');
  const decisions = FINAL.map((type) => ({ type, now: countOf(status, type), had: countOf(before, type) }));
  for (const { type, now, had } of decisions)
    if (now < had) conditions.addForbidden(`updates may not remove a condition of type "${type}"`);
  for (const { type, now, had } of allowed.approval === true ? [] : decisions.slice(0, 2))
    if (now > had) conditions.addForbidden(`updates may not add a condition of type "${type}"`);
  validateNewCertificate(status, before, allowed);
}

function countOf(status: Field<Status>, type: string): number {
  return status.items('conditions').filter((condition) => condition.text('type') === type).length;
}

function validateNewCertificate(status: Field<Status>, old: Field<Status>, allowed: Allowed): void {
  if (status.text('certificate') === old.text('certificate')) return;
  const certificate = status.at('certificate');
  if (allowed.certificate !== true) certificate.addForbidden('updates may not set certificate content');
  if (old.text('certificate') !== '')
    certificate.addForbidden('updates may not modify existing certificate content');
}
