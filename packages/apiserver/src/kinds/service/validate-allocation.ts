import type { corev1, KubeObject } from '@kubewright/kube';
import { isIPv4 } from 'node:net';
import type { StrategyContext } from '../../model/resource-definition.ts';
import type { Field } from '../../validation/field.ts';
import { isAddressTaken, isPortTaken } from './allocate.ts';
import { isHeadless, needsClusterIp, needsNodePort } from './default-service.ts';
import { hasAddress } from '../../model/service-ranges.ts';
import { validateClusterIps } from './validate-cluster-ips.ts';

type Spec = Field<corev1.ServiceSpec>;

/** Requests that cannot be met: an address or port of another service, a family that is not served. */
export function validateAllocation(spec: Spec, self: KubeObject, context: StrategyContext): void {
  if (!needsClusterIp(spec.object)) return;
  validateClusterIps(spec);
  if (spec.errors.length === 0) validateFamilies(spec);
  if (spec.errors.length > 0) return;
  validateAddresses(spec, context, (address) => isAddressTaken(address, context, self));
  if (needsNodePort(spec.object))
    validateNodePorts(spec, context, (port) => isPortTaken(port, context, self));
}

function validateFamilies(spec: Spec): void {
  const policy = spec.at('ipFamilyPolicy');
  const several = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  if (spec.is('ipFamilyPolicy', 'SingleStack')) {
    if (spec.count('clusterIPs') === 2) policy.addInvalid(`${several} cluster IPs are specified`);
    if (spec.count('ipFamilies') === 2) policy.addInvalid(`${several} IP families are specified`);
  }
  const open = isHeadless(spec.object) && Object.keys(spec.at('selector').object).length === 0;
  if (open || spec.errors.length > 0) return;
  if (spec.is('ipFamilyPolicy', 'RequireDualStack'))
    policy.addInvalid('this cluster is not configured for dual-stack services');
  for (const family of spec.items('ipFamilies'))
    if (family.asText !== 'IPv4')
      family.addInvalid('not configured on this cluster', { value: family.asText });
}

function validateAddresses(
  spec: Spec,
  { services }: StrategyContext,
  isTaken: (address: string) => boolean,
): void {
  const value = spec.texts('clusterIPs');
  for (const address of value) {
    if (!isIPv4(address)) continue;
    const problem = hasAddress(services, address)
      ? isTaken(address) && 'provided IP is already allocated'
      : 'the provided network does not match the current range';
    if (problem !== false)
      spec.at('clusterIPs').addInvalid(`failed to allocate IP ${address}: ${problem}`, { value });
  }
}

function validateNodePorts(
  spec: Spec,
  { services: { firstPort, lastPort } }: StrategyContext,
  isTaken: (port: number) => boolean,
): void {
  for (const port of spec.items('ports')) {
    const [number, field] = [port.number('nodePort'), port.at('nodePort')];
    if (number === 0) continue;
    if (number < firstPort || number > lastPort)
      field.addInvalid(
        `provided port is not in the valid range. The range of valid ports is ${firstPort}-${lastPort}`,
      );
    else if (isTaken(number)) field.addInvalid('provided port is already allocated');
  }
}
