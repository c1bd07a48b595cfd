import type { networkingv1 } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { nameIsDnsSubdomain } from '../../validation/errors.ts';
import type { Field } from '../../validation/field.ts';
import { portNumberOrName } from '../../validation/formats.ts';
import { specValidation } from '../../model/spec-validation.ts';
import { validateLabelSelector } from '../../validation/validate-labels.ts';
import { itemsAt } from '../../objects/read.ts';
import { generationOfChanges } from '../../model/status-strategy.ts';
import {
  type Change,
  changeObject,
  defaults,
  inItems,
  inOrder,
  inStruct,
  withField,
} from '../../objects/change-object.ts';

type Spec = networkingv1.NetworkPolicySpec;
type Port = networkingv1.NetworkPolicyPort;

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

const tcp: Change = inItems('ports', defaults<Port>({ protocol: 'TCP' }));

/** Default `policyTypes`: Ingress, and Egress where there are egress rules. */
const policyTypes: Change = (spec) => {
  if (itemsAt(spec, 'policyTypes').length > 0) return spec;
  const both = itemsAt(spec, 'egress').length > 0;
  return withField(spec, 'policyTypes', both ? ['Ingress', 'Egress'] : ['Ingress']);
};

const specDefaults = inOrder(inItems('ingress', tcp), inItems('egress', tcp), policyTypes);

/** `networking.k8s.io/v1 NetworkPolicy`. */
export const networkPolicy: Strategy = {
  default: (object) => changeObject(object, inStruct<networkingv1.NetworkPolicy>('spec', specDefaults)),
  ...generationOfChanges(),
  ...specValidation(RULES, validateSpec),
};

function validateSpec(spec: Field<Spec>): void {
  const types = spec.items('policyTypes');
  spec.at('podSelector').check(validateLabelSelector);
  for (const rule of spec.items('ingress')) validateRule(rule.items('ports'), rule.items('from'));
  for (const rule of spec.items('egress')) validateRule(rule.items('ports'), rule.items('to'));
  if (types.length > 2)
    spec
      .at('policyTypes')
      .addInvalid('may not specify more than two policyTypes', { value: spec.texts('policyTypes') });
  else for (const type of types) type.mustBeOneOf(['Ingress', 'Egress']);
}

function validateRule(
  ports: readonly Field<Port>[],
  peers: readonly Field<networkingv1.NetworkPolicyPeer>[],
): void {
  for (const port of ports) validatePort(port);
  for (const peer of peers) validatePeer(peer);
}

function validatePort(port: Field<Port>): void {
  const [{ value }, last] = [port.at('port'), port.at('endPort')];
  const end = port.maybeNumber('endPort');
  if (port.text('protocol') !== '') port.oneOf('protocol', ['TCP', 'UDP', 'SCTP']);
  if (typeof value === 'number') port.add(portNumberOrName(value, port.at('port').path));
  if (end !== undefined && typeof value === 'number') {
    if (end < value) last.addInvalid('must be greater than or equal to `port`', { value });
    port.add(portNumberOrName(end, last.path));
  } else if (end !== undefined) {
    const why = typeof value === 'string' ? 'non-numeric' : 'not specified';
    last.addInvalid(`may not be specified when \`port\` is ${why}`, { value: end });
  }
  if (typeof value === 'string') port.add(portNumberOrName(value, port.at('port').path));
}

function validatePeer(peer: Field<networkingv1.NetworkPolicyPeer>): void {
  const block = peer.maybeAt('ipBlock');
  const selects = peer.has('podSelector') || peer.has('namespaceSelector');
  peer.maybeAt('podSelector')?.check(validateLabelSelector);
  peer.maybeAt('namespaceSelector')?.check(validateLabelSelector);
  block?.requireText('cidr');
  if (!selects && block === undefined) peer.addRequired('must specify a peer');
  if (selects && block !== undefined) peer.addForbidden('may not specify both ipBlock and another peer');
}
