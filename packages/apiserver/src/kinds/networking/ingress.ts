import type { JsonObject, KubeObject } from '@kubewright/kube';
import { isDns1123Subdomain, isWildcardDns1123Subdomain } from '@kubewright/kube/validation';
import type { Strategy, StrategyContext } from '../../model/resource-definition.ts';
import { defaultClass } from '../../objects/default-class.ts';
import {
  dnsSubdomain,
  type Errors,
  each,
  invalid,
  invalidFor,
  nameIsDnsSubdomain,
  NONE,
} from '../../validation/errors.ts';
import { ipAddress, looksLikeIp } from '../../validation/formats.ts';
import { ipWarnings } from '../../validation/ip-warnings.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import {
  has,
  maybeObject,
  maybeString,
  objectAt,
  objectsAt,
  specOf,
  statusOf,
  stringAt,
  stringsAt,
  valueAt,
} from '../../objects/read.ts';
import {
  changed,
  clearStatus,
  generationOf,
  keepOld,
  STATUS_RESET,
  statusStrategy,
  withGeneration,
} from '../../model/status-strategy.ts';
import { changeObject, inField, withField } from '../../objects/change-object.ts';
import { validateBackend, validateHttpRule } from './validate-http-rule.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
/** How an Ingress named its class before there was a field for it. */
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const IS_DEFAULT = ['ingressclass.kubernetes.io/is-default-class'];

/** `networking.k8s.io/v1 Ingress`. */
export const ingress: Strategy = {
  prepareForCreate: (object, context) =>
    withGeneration(clearStatus({ loadBalancer: {} })(withDefaultClass(object, context)), 1),
  prepareForUpdate: (object, old) => {
    const kept = keepOld(object, old, 'status');
    return changed(kept, old, 'spec') ? withGeneration(kept, generationOf(old) + 1) : kept;
  },
  validateCreate: (object) => [...validate(object), ...sameClass(object)],
  validateUpdate: (object, old) => [...validateObjectMetaUpdate(object, old), ...validate(object, old)],
  warnings: (object, old) => (old === undefined ? classWarnings(object) : []),
  resetFields: STATUS_RESET,
};

export const ingressStatus: Strategy = {
  ...statusStrategy(validateStatus),
  warnings: (object) =>
    pointsOf(object).flatMap((point, index) =>
      ipWarnings(stringAt(point, 'ip'), `status.loadBalancer.ingress[${index}]`),
    ),
};

/** One that names no class, in neither way, gets the default class (`DefaultIngressClass`). */
function withDefaultClass(object: KubeObject, { list }: StrategyContext): KubeObject {
  if (has(specOf(object), 'ingressClassName') || annotated(object) !== undefined) return object;
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
  if (annotated(object) === undefined || has(specOf(object), 'ingressClassName')) return [];
  return [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`];
}

function sameClass(object: KubeObject): Errors {
  const [named, old] = [maybeString(specOf(object), 'ingressClassName'), annotated(object)];
  const differs = named !== undefined && old !== undefined && named !== old;
  const detail = 'must match `ingressClassName` when both are specified';
  return invalid(differs, `annotations.${CLASS_ANNOTATION}`, old ?? '', detail);
}

function validate(object: KubeObject, old?: KubeObject): Errors {
  const spec = specOf(object);
  const [rules, backend] = [objectsAt(spec, 'rules'), maybeObject(spec, 'defaultBackend')];
  const className = maybeString(spec, 'ingressClassName');
  const nothing = rules.length === 0 && backend === undefined;
  return [
    ...validateObjectMeta(object, RULES),
    ...invalid(
      nothing,
      'spec',
      valueAt(spec, 'rules'),
      'either `defaultBackend` or `rules` must be specified',
    ),
    ...(backend === undefined ? NONE : validateBackend(backend, 'spec.defaultBackend')),
    ...validateRules(rules, old),
    ...validateTls(spec, old),
    ...(className === undefined ? NONE : dnsSubdomain(className, 'spec.ingressClassName')),
  ];
}

/** What was stored before the rules of a host with a wildcard were checked may stay as it is. */
function validateRules(rules: readonly JsonObject[], old: KubeObject | undefined): Errors {
  const isWild = (rule: JsonObject): boolean => stringAt(rule, 'host').includes('*');
  const check = (rule: JsonObject, path: string): Errors => {
    const http = maybeObject(rule, 'http');
    return http === undefined ? NONE : validateHttpRule(http, `${path}.http`);
  };
  const lenient =
    old !== undefined &&
    objectsAt(specOf(old), 'rules').some((rule) => isWild(rule) && check(rule, '').length > 0);
  return each(rules, 'spec.rules', (rule, path) => [
    ...validateHost(stringAt(rule, 'host'), `${path}.host`),
    ...(lenient && isWild(rule) ? NONE : check(rule, path)),
  ]);
}

function validateHost(host: string, path: string): Errors {
  if (host === '') return NONE;
  return [
    ...invalid(looksLikeIp(host), path, host, 'must be a DNS name, not an IP address'),
    ...dnsName(host, path),
  ];
}

function dnsName(host: string, path: string): Errors {
  return invalidFor(
    path,
    host,
    host.includes('*') ? isWildcardDns1123Subdomain(host) : isDns1123Subdomain(host),
  );
}

/** Secrets under bad names that are stored already may stay. */
function validateTls(spec: JsonObject, old: KubeObject | undefined): Errors {
  const secret = (tls: JsonObject, path: string): Errors => {
    const name = stringAt(tls, 'secretName');
    return name === '' ? NONE : dnsSubdomain(name, `${path}.secretName`);
  };
  const lenient =
    old !== undefined && objectsAt(specOf(old), 'tls').some((tls) => secret(tls, '').length > 0);
  return each(objectsAt(spec, 'tls'), 'spec.tls', (tls, path) => [
    ...each(stringsAt(tls, 'hosts'), `${path}.hosts`, dnsName),
    ...(lenient ? NONE : secret(tls, path)),
  ]);
}

function pointsOf(object: KubeObject): readonly JsonObject[] {
  return objectsAt(objectAt(statusOf(object), 'loadBalancer'), 'ingress');
}

/** An address that is stored already is not checked again. */
function validateStatus(object: KubeObject, old: KubeObject): Errors {
  const known = new Set(pointsOf(old).map((point) => stringAt(point, 'ip')));
  return [
    ...validateObjectMetaUpdate(object, old),
    ...each(pointsOf(object), 'status.loadBalancer.ingress', (point, path) => {
      const [ip, hostname] = [stringAt(point, 'ip'), stringAt(point, 'hostname')];
      return [
        ...(ip === '' || known.has(ip) ? NONE : ipAddress(ip, `${path}.ip`)),
        ...(hostname === '' ? NONE : validatePointName(hostname, `${path}.hostname`)),
      ];
    }),
  ];
}

function validatePointName(hostname: string, path: string): Errors {
  return [
    ...dnsSubdomain(hostname, path),
    ...invalid(looksLikeIp(hostname), path, hostname, 'must be a DNS name, not an IP address'),
  ];
}
