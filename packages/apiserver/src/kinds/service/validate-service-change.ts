import type { corev1 } from '@kubewright/kube';
import type { Field } from '../../validation/field.ts';
import { isHeadless, needsClusterIp, needsHealthCheck } from './default-service.ts';

type Spec = Field<corev1.ServiceSpec>;

/** A service keeps its first address and family for life, unless it passes through ExternalName. */
export function validateServiceChange(spec: Spec, old: Spec): void {
  const stays = needsClusterIp(spec.object) && needsClusterIp(old.object);
  const [headless, wasHeadless] = [isHeadless(spec.object), isHeadless(old.object)];
  if (stays && !(headless && wasHeadless)) validateAddresses(spec, old);
  if (stays && !headless && !wasHeadless) validateFamilies(spec, old);
  validateBalancerClass(spec, old);
  validateHealthCheck(spec, old);
}

function validateHealthCheck(spec: Spec, old: Spec): void {
  if (!needsHealthCheck(spec.object) || !needsHealthCheck(old.object)) return;
  if (spec.number('healthCheckNodePort') !== old.number('healthCheckNodePort'))
    spec.at('healthCheckNodePort').addForbidden('field is immutable');
}

function validateAddresses(spec: Spec, old: Spec): void {
  const [now, then] = [spec.texts('clusterIPs'), old.texts('clusterIPs')];
  const unset = now.length === 0 && then.length > 0;
  if (unset) spec.item('clusterIPs', 0).addInvalid('primary clusterIP can not be unset', { value: null });
  const kept = now.length === then.length ? then.length : Math.min(now.length, then.length, 1);
  for (let index = 0; index < kept; index += 1)
    if (now[index] !== then[index])
      spec.item('clusterIPs', index).addInvalid('may not change once set', { value: now });
  if (now.length < then.length) validateReleased(spec, now.length === 1, 'clusterIP');
}

function validateReleased(spec: Spec, released: boolean, what: string): void {
  if (!released || spec.is('ipFamilyPolicy', 'SingleStack')) return;
  const detail = `must be set to 'SingleStack' when releasing the secondary ${what}`;
  spec.at('ipFamilyPolicy').addInvalid(detail, { value: spec.maybeText('ipFamilyPolicy') ?? null });
}

function validateFamilies(spec: Spec, old: Spec): void {
  const [now, then] = [spec.texts('ipFamilies'), old.texts('ipFamilies')];
  const first = spec.item('ipFamilies', 0);
  if (now.length === then.length) {
    for (const [index, family] of then.entries())
      if (now[index] !== family) first.addInvalid('may not change once set', { value: now });
    return;
  }
  if (now.length > 0 && then.length > 0 && now[0] !== then[0])
    first.addInvalid('may not change once set', { value: spec.at('clusterIPs').value });
  if (now.length < then.length) validateReleased(spec, now.length === 1, 'ipFamily');
}

function validateBalancerClass(spec: Spec, old: Spec): void {
  const value = spec.maybeText('loadBalancerClass');
  const balancers = spec.is('type', 'LoadBalancer') && old.is('type', 'LoadBalancer');
  if (balancers && value !== old.maybeText('loadBalancerClass'))
    spec.at('loadBalancerClass').addInvalid('may not change once set', { value: value ?? null });
}
