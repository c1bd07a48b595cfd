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
import { isHeadless, needsClusterIp, needsHealthCheck, needsNodePort } from './default-service.ts';

/** Cluster addresses are of 10.96.0.0/16, node ports of the range that Kubernetes reserves for them. */
const NETWORK = '10.96';
const FIRST_NODE_PORT = 30_000;
const NODE_PORTS = 2768;
const SERVICES = { group: '', resource: 'services' };

/** Fills the addresses and ports that the server gives out. The cluster is IPv4 only. */
export function allocate(context: StrategyContext): Change {
  return inOrder(
    syncClusterIps,
    when(
      needsClusterIp,
      inOrder(familyFields, (spec) => allocateClusterIp(spec, context)),
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

function allocateClusterIp(spec: JsonObject, context: StrategyContext): JsonObject {
  const given = stringAt(spec, 'clusterIP') !== '' || itemsAt(spec, 'clusterIPs').length > 0;
  if (given || isHeadless(spec) || stringsAt(spec, 'ipFamilies')[0] !== 'IPv4') return spec;
  const address = freeAddress(context);
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

function freeAddress(context: StrategyContext): string {
  const start = randomNumber(context, 65_280);
  for (let step = 0; step < 65_280; step += 1) {
    // The first 256 addresses are left to Services that request one of them.
    const host = 256 + ((start + step) % 65_280);
    const address = `${NETWORK}.${host >> 8}.${host & 255}`;
    if (!isAddressTaken(address, context)) return address;
  }
  return '';
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
  const start = randomNumber(context, NODE_PORTS);
  for (let step = 0; step < NODE_PORTS; step += 1) {
    const port = FIRST_NODE_PORT + ((start + step) % NODE_PORTS);
    if (!taken.has(port) && !isPortTaken(port, context)) return port;
  }
  return 0;
}

function randomNumber(context: StrategyContext, limit: number): number {
  const [high = 0, low = 0] = context.random(2);
  return ((high << 8) | low) % limit;
}
