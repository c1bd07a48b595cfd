import type { corev1 } from '@kubewright/kube';
import { isIPv6 } from 'node:net';
import type { Field } from '../../validation/field.ts';
import { ipAddress } from '../../validation/formats.ts';
import { repeats } from '../../validation/repeats.ts';
import { isHeadless, needsClusterIp } from './default-service.ts';

type Spec = Field<corev1.ServiceSpec>;

/** `clusterIP`, `clusterIPs`, `ipFamilies` and `ipFamilyPolicy` among each other. */
export function validateClusterIps(spec: Spec): void {
  if (!needsClusterIp(spec.object)) return;
  const isRepeated = repeats();
  validateFirst(spec);
  for (const family of spec.items('ipFamilies')) {
    family.mustBeOneOf(['IPv4', 'IPv6']);
    family.mustBeNew(isRepeated);
  }
  spec.oneOfIfSet('ipFamilyPolicy', ['PreferDualStack', 'RequireDualStack', 'SingleStack']);
  const before = spec.errors.length;
  validateAddresses(spec);
  if (spec.errors.slice(before).every((error) => error.detail === TOO_MANY)) validateStacks(spec);
}

function validateFirst(spec: Spec): void {
  const [single, value] = [spec.text('clusterIP'), spec.texts('clusterIPs')];
  const addresses = spec.at('clusterIPs');
  if (single === '') {
    if (value.length > 0) addresses.addInvalid('must be empty when `clusterIP` is not specified', { value });
  } else if (value.length === 0) addresses.addRequired();
  else if (value[0] !== single) addresses.addInvalid('first value must match `clusterIP`', { value });
}

const TOO_MANY = 'may only hold up to 2 values';

function validateAddresses(spec: Spec): void {
  const [addresses, value] = [spec.at('clusterIPs'), spec.texts('clusterIPs')];
  const items = spec.items('clusterIPs');
  const none = value[0] === 'None';
  if (none && value.length > 1) addresses.addInvalid("'None' must be the first and only value", { value });
  for (const address of none ? items.slice(1) : items) address.checkText(ipAddress);
  if (value.length > 2) addresses.addInvalid(TOO_MANY, { value });
}

function validateStacks(spec: Spec): void {
  const [value, families] = [spec.texts('clusterIPs'), spec.texts('ipFamilies')];
  const sixes = value.filter((address) => isIPv6(address)).length;
  const dual = sixes > 0 && sixes < value.length;
  if (value.length > 1 && !dual)
    spec.at('clusterIPs').addInvalid('may specify no more than one IP for each IP family', { value });
  if (isHeadless(spec.object)) return;
  for (const [index, family] of families.slice(0, value.length).entries()) {
    const address = spec.item('clusterIPs', index);
    const expected = isIPv6(address.asText) ? 'IPv6' : 'IPv4';
    if ((family === 'IPv4' || family === 'IPv6') && family !== expected)
      address.addInvalid(`expected an ${family} value as indicated by \`ipFamilies[${index}]\``);
  }
}
