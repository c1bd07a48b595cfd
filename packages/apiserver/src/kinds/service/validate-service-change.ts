import type { JsonObject, KubeObject } from '@kubewright/kube';
import { type Errors, forbidden, invalid, NONE } from '../../validation/errors.ts';
import { maybeString, numberAt, specOf, stringAt, stringsAt, valueAt } from '../../objects/read.ts';
import { isHeadless, needsClusterIp, needsHealthCheck } from './default-service.ts';

/** A service keeps its first address and family for life, unless it passes through ExternalName. */
export function validateServiceChange(object: KubeObject, old: KubeObject): Errors {
  const [spec, before] = [specOf(object), specOf(old)];
  const stays = needsClusterIp(spec) && needsClusterIp(before);
  return [
    ...(stays && !(isHeadless(spec) && isHeadless(before)) ? validateAddresses(spec, before) : NONE),
    ...(stays && !isHeadless(spec) && !isHeadless(before) ? validateFamilies(spec, before) : NONE),
    ...validateBalancerClass(spec, before),
    ...forbidden(
      needsHealthCheck(spec) &&
        needsHealthCheck(before) &&
        numberAt(spec, 'healthCheckNodePort') !== numberAt(before, 'healthCheckNodePort'),
      'spec.healthCheckNodePort',
      'field is immutable',
    ),
  ];
}

function validateAddresses(spec: JsonObject, before: JsonObject): Errors {
  const [now, then] = [stringsAt(spec, 'clusterIPs'), stringsAt(before, 'clusterIPs')];
  const changed = (index: number): Errors =>
    invalid(now[index] !== then[index], `spec.clusterIPs[${index}]`, [...now], 'may not change once set');
  if (now.length === then.length) return then.flatMap((_, index) => changed(index));
  if (now.length > then.length) return then.length > 0 ? changed(0) : NONE;
  return [
    ...invalid(now.length === 0, 'spec.clusterIPs[0]', null, 'primary clusterIP can not be unset'),
    ...(now.length > 0 ? changed(0) : NONE),
    ...mustBeSingle(spec, now.length === 1, 'clusterIP'),
  ];
}

function mustBeSingle(spec: JsonObject, released: boolean, what: string): Errors {
  const policy = maybeString(spec, 'ipFamilyPolicy');
  return invalid(
    released && policy !== 'SingleStack',
    'spec.ipFamilyPolicy',
    policy ?? null,
    `must be set to 'SingleStack' when releasing the secondary ${what}`,
  );
}

function validateFamilies(spec: JsonObject, before: JsonObject): Errors {
  const [now, then] = [stringsAt(spec, 'ipFamilies'), stringsAt(before, 'ipFamilies')];
  const at = 'spec.ipFamilies[0]';
  if (now.length === then.length) {
    return then.flatMap((family, index) =>
      invalid(now[index] !== family, at, [...now], 'may not change once set'),
    );
  }
  const changed = now.length > 0 && then.length > 0 && now[0] !== then[0];
  return [
    ...invalid(changed, at, valueAt(spec, 'clusterIPs'), 'may not change once set'),
    ...(now.length < then.length ? mustBeSingle(spec, now.length === 1, 'ipFamily') : NONE),
  ];
}

function validateBalancerClass(spec: JsonObject, before: JsonObject): Errors {
  const balancers = [spec, before].every((value) => stringAt(value, 'type') === 'LoadBalancer');
  const [now, then] = [maybeString(spec, 'loadBalancerClass'), maybeString(before, 'loadBalancerClass')];
  return invalid(balancers && now !== then, 'spec.loadBalancerClass', now ?? null, 'may not change once set');
}
