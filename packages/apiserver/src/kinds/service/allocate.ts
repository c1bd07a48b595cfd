import type { Json, JsonObject, KubeObject } from '@kubewright/kube';
import { isIPv6 } from 'node:net';
import type { StrategyContext } from '../../model/resource-definition.ts';
import {
  has,
  isTrue,
  itemsAt,
  numberAt,
  objectsAt,
  specOf,
  stringAt,
  stringsAt,
} from '../../objects/read.ts';
import {
  type Change,
  inItems,
  inOrder,
  orDefault,
  orDefaultPointer,
  when,
  withField,
} from '../../objects/change-object.ts';
import { internalError } from '../../api-server-error.ts';
import { addressAt } from '../../model/service-ranges.ts';
import { isHeadless, needsClusterIp, needsHealthCheck, needsNodePort } from './default-service.ts';

const SERVICES = { group: '', resource: 'services' };

/**
 * Fills the addresses and ports that the server gives out to the Service `name`. The cluster is IPv4 only. Throws where
 * none is left.
 */
export function allocate(context: StrategyContext, name: string): Change {
  return inOrder(
    syncClusterIps,
    when(
      needsClusterIp,
      inOrder(familyFields, (spec) => allocateClusterIp(spec, context, name)),
    ),
    when(needsNodePort, (spec) => allocateNodePorts(spec, context)),
    when(
      (spec) => needsHealthCheck(spec) && numberAt(spec, 'healthCheckNodePort') === 0,
      (spec) => withField(spec, 'healthCheckNodePort', freePort(new Set(), context)),
    ),
  );
}

/** `clusterIP` is the old name of the first of `clusterIPs`; a client may write either. */
export function syncClusterIps(spec: JsonObject): JsonObject {
  const single = stringAt(spec, 'clusterIP');
  const all = itemsAt(spec, 'clusterIPs');
  if (single !== '' && all.length === 0) return withField(spec, 'clusterIPs', [single]);
  return spec;
}

function familyFields(spec: JsonObject): JsonObject {
  const open = stringAt(spec, 'clusterIP') === 'None' && !has(spec, 'selector');
  return inOrder(
    (current) => orDefaultPointer(current, 'ipFamilyPolicy', open ? 'RequireDualStack' : 'SingleStack'),
    (current) =>
      itemsAt(current, 'ipFamilies').length > 0
        ? current
        : withField(current, 'ipFamilies', families(current)),
    (current) => (open ? bothFamilies(current) : current),
  )(spec);
}

function families(spec: JsonObject): Json {
  const addresses = stringsAt(spec, 'clusterIPs').filter((address) => address !== 'None');
  if (addresses.length === 0) return ['IPv4'];
  return addresses.map((address) => (isIPv6(address) ? 'IPv6' : 'IPv4'));
}

/** A headless service without a selector may be given endpoints of both families. */
function bothFamilies(spec: JsonObject): JsonObject {
  const [first, second] = stringsAt(spec, 'ipFamilies');
  if (second !== undefined || stringAt(spec, 'ipFamilyPolicy') === 'SingleStack') return spec;
  return withField(spec, 'ipFamilies', first === 'IPv6' ? ['IPv6', 'IPv4'] : ['IPv4', 'IPv6']);
}

function allocateClusterIp(spec: JsonObject, context: StrategyContext, name: string): JsonObject {
  const given = stringAt(spec, 'clusterIP') !== '' || itemsAt(spec, 'clusterIPs').length > 0;
  if (given || isHeadless(spec) || stringsAt(spec, 'ipFamilies')[0] !== 'IPv4') return spec;
  const address = freeAddress(context);
  if (address === undefined)
    throw internalError(`failed to allocate a serviceIP for Service ${JSON.stringify(name)}: range is full`);
  return withField(withField(spec, 'clusterIP', address), 'clusterIPs', [address]);
}

/** Whether a Service other than `self` has a cluster address. */
export function isAddressTaken(address: string, context: StrategyContext, self?: KubeObject): boolean {
  return hasOther(context.withValue(SERVICES, addressesOf, address), self);
}

function addressesOf(service: KubeObject): readonly string[] {
  return stringsAt(specOf(service), 'clusterIPs');
}

function hasOther(services: readonly KubeObject[], self: KubeObject | undefined): boolean {
  return services.some((service) => self === undefined || !isSame(service, self));
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.namespace === b.metadata.namespace && a.metadata.name === b.metadata.name;
}

function freeAddress(context: StrategyContext): string | undefined {
  const { size, offset } = context.services;
  const count = size - offset;
  const start = randomNumber(context, count);
  for (let step = 0; step < size - 1; step += 1) {
    const host = step < count ? offset + ((start + step) % count) : step - count + 1;
    const address = addressAt(context.services, host);
    if (host < size - 1 && !isAddressTaken(address, context)) return address;
  }
  return undefined;
}

/** Whether a Service other than `self` has a node port. */
export function isPortTaken(port: number, context: StrategyContext, self?: KubeObject): boolean {
  return hasOther(context.withValue(SERVICES, nodePortsOf, String(port)), self);
}

/** Their node ports, and the port of their health check. */
function nodePortsOf(service: KubeObject): readonly string[] {
  const spec = specOf(service);
  const ports = objectsAt(spec, 'ports').map((port) => numberAt(port, 'nodePort'));
  const all = new Set([...ports, numberAt(spec, 'healthCheckNodePort')]);
  return [...all].filter((port) => port !== 0).map(String);
}

function allocateNodePorts(spec: JsonObject, context: StrategyContext): JsonObject {
  if (stringAt(spec, 'type') === 'LoadBalancer' && !isTrue(spec, 'allocateLoadBalancerNodePorts'))
    return spec;
  const taken = new Set<number>();
  return inItems('ports', (port) => {
    if (numberAt(port, 'nodePort') !== 0) return port;
    const free = freePort(taken, context);
    taken.add(free);
    return orDefault(port, 'nodePort', free);
  })(spec);
}

/** `taken`: by this Service itself. */
function freePort(taken: ReadonlySet<number>, context: StrategyContext): number {
  const { firstPort, lastPort } = context.services;
  const count = lastPort - firstPort + 1;
  const start = randomNumber(context, count);
  for (let step = 0; step < count; step += 1) {
    const port = firstPort + ((start + step) % count);
    if (!taken.has(port) && !isPortTaken(port, context)) return port;
  }
  throw internalError('failed to allocate a nodePort: range is full');
}

function randomNumber(context: StrategyContext, limit: number): number {
  const [high = 0, low = 0] = context.random(2);
  return ((high << 8) | low) % limit;
}
