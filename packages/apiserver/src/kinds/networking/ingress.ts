import { type KubeObject, type networkingv1 } from '@kubewright/kube';
import { isDns1123Subdomain, isWildcardDns1123Subdomain } from '@kubewright/kube/validation';
import type { Strategy, StrategyContext } from '../../model/resource-definition.ts';
import { defaultClass } from '../../objects/default-class.ts';
import { nameIsDnsSubdomain } from '../../validation/errors.ts';
import { Field } from '../../validation/field.ts';
import { specErrors, specField, statusErrors, statusField } from '../../validation/spec-errors.ts';
import { ipAddress, looksLikeIp } from '../../validation/formats.ts';
import { ipWarnings } from '../../validation/ip-warnings.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { specStrategy, statusStrategy } from '../../model/status-strategy.ts';
import { changeObject, inField, withField } from '../../objects/change-object.ts';
import { validateBackend, validateHttpRule } from './validate-http-rule.ts';

type Spec = networkingv1.IngressSpec;
type Rule = Field<networkingv1.IngressRule>;
type Tls = Field<networkingv1.IngressTLS>;
type Status = Field<networkingv1.IngressStatus>;

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
/** How an Ingress named its class before there was a field for it. */
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const IS_DEFAULT = ['ingressclass.kubernetes.io/is-default-class'];
const ofSpec = specStrategy({ loadBalancer: {} });

/** `networking.k8s.io/v1 Ingress`. */
export const ingress: Strategy = {
  ...ofSpec,
  prepareForCreate: (object, context) => ofSpec.prepareForCreate(withDefaultClass(object, context)),
  validateCreate: (object) => [
    ...validateObjectMeta(object, RULES),
    ...specErrors(validateSpec, object),
    ...specErrors<Spec>((spec) => validateSameClass(spec, annotated(object)), object),
  ],
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...validateObjectMeta(object, RULES),
    ...specErrors(validateSpec, object, old),
  ],
  warnings: (object, old) => (old === undefined ? classWarnings(object) : []),
};

export const ingressStatus: Strategy = {
  ...statusStrategy((object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...statusErrors(validateStatus, object, old),
  ]),
  warnings: (object) =>
    pointsOf(statusField(object)).flatMap((point) => ipWarnings(point.text('ip'), point.path)),
};

/** One that names no class, in neither way, gets the default class (`DefaultIngressClass`). */
function withDefaultClass(object: KubeObject, { list }: StrategyContext): KubeObject {
  if (specField<Spec>(object).has('ingressClassName') || annotated(object) !== undefined) return object;
  const name = defaultClass(list('networking.k8s.io', 'ingressclasses'), IS_DEFAULT);
  if (name === undefined) return object;
  return changeObject(
    object,
    inField('spec', (spec) => withField(spec, 'ingressClassName', name)),
  );
}

function annotated({ metadata: { annotations = {} } }: KubeObject): string | undefined {
  return Object.hasOwn(annotations, CLASS_ANNOTATION) ? annotations[CLASS_ANNOTATION] : undefined;
}

function classWarnings(object: KubeObject): readonly string[] {
  if (annotated(object) === undefined || specField<Spec>(object).has('ingressClassName')) return [];
  return [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`];
}

function validateSameClass(spec: Field<Spec>, value: string | undefined): void {
  const named = spec.maybeText('ingressClassName');
  if (named === undefined || value === undefined || named === value) return;
  const annotation = new Field(value, { path: 'annotations', errors: spec.errors }, `.${CLASS_ANNOTATION}`);
  annotation.addInvalid('must match `ingressClassName` when both are specified');
}

function validateSpec(spec: Field<Spec>, old?: Field<Spec>): void {
  const backend = spec.maybeAt('defaultBackend');
  if (spec.count('rules') === 0 && backend === undefined)
    spec.addInvalid('either `defaultBackend` or `rules` must be specified', {
      value: spec.at('rules').value,
    });
  if (backend !== undefined) validateBackend(backend);
  validateRules(spec.items('rules'), old?.items('rules') ?? []);
  validateTls(spec.items('tls'), old?.items('tls') ?? []);
  spec.matchesIfSet('ingressClassName', isDns1123Subdomain);
}

/** What was stored before the rules of a host with a wildcard were checked may stay as it is. */
function validateRules(rules: readonly Rule[], old: readonly Rule[]): void {
  const isWild = (rule: Rule): boolean => rule.text('host').includes('*');
  const lenient = old.some((rule) => isWild(rule) && rule.fails(validateHttp));
  for (const rule of rules) {
    validateHost(rule.at('host'));
    if (!lenient || !isWild(rule)) validateHttp(rule);
  }
}

function validateHttp(rule: Rule): void {
  const http = rule.maybeAt('http');
  if (http !== undefined) validateHttpRule(http);
}

function validateHost(host: Field<string>): void {
  if (host.asText === '') return;
  if (looksLikeIp(host.asText)) host.addInvalid('must be a DNS name, not an IP address');
  validateDnsName(host);
}

function validateDnsName(host: Field<string>): void {
  host.mustMatch(host.asText.includes('*') ? isWildcardDns1123Subdomain : isDns1123Subdomain);
}

/** Secrets under bad names that are stored already may stay. */
function validateTls(all: readonly Tls[], old: readonly Tls[]): void {
  const lenient = old.some((tls) => tls.fails(validateSecret));
  for (const tls of all) {
    for (const host of tls.items('hosts')) validateDnsName(host);
    if (!lenient) validateSecret(tls);
  }
}

function validateSecret(tls: Tls): void {
  if (tls.text('secretName') !== '') tls.matches('secretName', isDns1123Subdomain);
}

function pointsOf(status: Status): readonly Field<networkingv1.IngressLoadBalancerIngress>[] {
  return status.at('loadBalancer').items('ingress');
}

/** An address that is stored already is not checked again. */
function validateStatus(status: Status, old: Status): void {
  const known = new Set(['', ...pointsOf(old).map((point) => point.text('ip'))]);
  for (const point of pointsOf(status)) {
    const name = point.at('hostname');
    if (!known.has(point.text('ip'))) point.at('ip').checkText(ipAddress);
    if (name.asText === '') continue;
    name.mustMatch(isDns1123Subdomain);
    if (looksLikeIp(name.asText)) name.addInvalid('must be a DNS name, not an IP address');
  }
}
