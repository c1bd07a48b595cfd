import type { JsonObject, KubeObject } from '@kubewright/kube';
import { isIP, isIPv6 } from 'node:net';
import { fieldErrors } from '@kubewright/kube/validation';
import type { StrategyContext } from '../../model/resource-definition.ts';
import { type Errors, each, invalid, NONE } from '../../validation/errors.ts';
import { itemsAt, maybeString, numberAt, objectsAt, specOf, stringsAt } from '../../objects/read.ts';
import { takenAddresses, takenPorts } from './allocate.ts';
import { isHeadless, needsClusterIp, needsNodePort } from './default-service.ts';
import { validateClusterIps } from './validate-cluster-ips.ts';

/** Requests that cannot be met: an address or port of another service, a family that is not served. */
export function validateAllocation(object: KubeObject, context: StrategyContext): Errors {
  const spec = specOf(object);
  if (!needsClusterIp(spec)) return NONE;
  const wrong = validateClusterIps(spec);
  if (wrong.length > 0) return wrong;
  const families = validateFamilies(spec);
  if (families.length > 0) return families;
  return [...validateAddresses(object, spec, context), ...validateNodePorts(object, spec, context)];
}

function validateFamilies(spec: JsonObject): Errors {
  const policy = maybeString(spec, 'ipFamilyPolicy') ?? '';
  const several = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  const single = policy === 'SingleStack';
  const open = isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0;
  const errors = [
    ...invalid(
      single && itemsAt(spec, 'clusterIPs').length === 2,
      'spec.ipFamilyPolicy',
      policy,
      `${several} cluster IPs are specified`,
    ),
    ...invalid(
      single && itemsAt(spec, 'ipFamilies').length === 2,
      'spec.ipFamilyPolicy',
      policy,
      `${several} IP families are specified`,
    ),
  ];
  if (errors.length > 0 || open) return errors;
  return [
    ...invalid(
      policy === 'RequireDualStack',
      'spec.ipFamilyPolicy',
      policy,
      'this cluster is not configured for dual-stack services',
    ),
    ...each(stringsAt(spec, 'ipFamilies'), 'spec.ipFamilies', (family, path) =>
      invalid(family !== 'IPv4', path, family, 'not configured on this cluster'),
    ),
  ];
}

function validateAddresses(object: KubeObject, spec: JsonObject, context: StrategyContext): Errors {
  const taken = takenAddresses(context, object);
  return stringsAt(spec, 'clusterIPs').flatMap((address) => {
    if (isIP(address) === 0 || isIPv6(address)) return NONE;
    const shown = [...stringsAt(spec, 'clusterIPs')];
    const inside = address.startsWith('10.96.');
    const outside = `failed to allocate IP ${address}: the provided IP (${address}) is not in the valid range. The range of valid IPs is 10.96.0.0/16`;
    const used = `failed to allocate IP ${address}: provided IP is already allocated`;
    return [
      ...invalid(!inside, 'spec.clusterIPs', shown, outside),
      ...invalid(inside && taken.has(address), 'spec.clusterIPs', shown, used),
    ];
  });
}

function validateNodePorts(object: KubeObject, spec: JsonObject, context: StrategyContext): Errors {
  if (!needsNodePort(spec)) return NONE;
  const taken = takenPorts(context, object);
  return each(objectsAt(spec, 'ports'), 'spec.ports', (port, path) => {
    const number = numberAt(port, 'nodePort');
    if (number === 0) return NONE;
    const at = `${path}.nodePort`;
    if (number < 30_000 || number > 32_767) {
      const detail = 'provided port is not in the valid range. The range of valid ports is 30000-32767';
      return [fieldErrors.invalid(at, number, detail)];
    }
    return invalid(taken.has(number), at, number, 'provided port is already allocated');
  });
}
