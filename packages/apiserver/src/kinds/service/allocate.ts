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
      (spec) => withField(spec, 'healthCheckNodePort', freePort(takenPorts(context), context)),
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

/** Every cluster address in use, but for that of `self`. */
export function takenAddresses(context: StrategyContext, self?: KubeObject): ReadonlySet<string> {
  const taken = new Set<string>();
  for (const service of context.list('', 'services')) {
    if (self !== undefined && isSame(service, self)) continue;
    for (const address of stringsAt(specOf(service), 'clusterIPs')) taken.add(address);
  }
  return taken;
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.namespace === b.metadata.namespace && a.metadata.name === b.metadata.name;
}

function freeAddress(context: StrategyContext): string {
  const taken = takenAddresses(context);
  const start = randomNumber(context, 65_280);
  for (let step = 0; step < 65_280; step += 1) {
    // The first 256 addresses are left to Services that request one of them.
    const host = 256 + ((start + step) % 65_280);
    const address = `${NETWORK}.${host >> 8}.${host & 255}`;
    if (!taken.has(address)) return address;
  }
  return '';
}

export function takenPorts(context: StrategyContext, self?: KubeObject): Set<number> {
  const taken = new Set<number>();
  for (const service of context.list('', 'services')) {
    if (self !== undefined && isSame(service, self)) continue;
    const spec = specOf(service);
    for (const port of objectsAt(spec, 'ports')) taken.add(numberAt(port, 'nodePort'));
    taken.add(numberAt(spec, 'healthCheckNodePort'));
  }
  taken.delete(0);
  return taken;
}

function allocateNodePorts(spec: JsonObject, context: StrategyContext): JsonObject {
  if (stringAt(spec, 'type') === 'LoadBalancer' && !isTrue(spec, 'allocateLoadBalancerNodePorts'))
    return spec;
  const taken = takenPorts(context);
  return inItems('ports', (port) => {
    if (numberAt(port, 'nodePort') !== 0) return port;
    const free = freePort(taken, context);
    taken.add(free);
    return orDefault(port, 'nodePort', free);
  })(spec);
}

function freePort(taken: ReadonlySet<number>, context: StrategyContext): number {
  const start = randomNumber(context, NODE_PORTS);
  for (let step = 0; step < NODE_PORTS; step += 1) {
    const port = FIRST_NODE_PORT + ((start + step) % NODE_PORTS);
    if (!taken.has(port)) return port;
  }
  return 0;
}

function randomNumber(context: StrategyContext, limit: number): number {
  const [high = 0, low = 0] = context.random(2);
  return ((high << 8) | low) % limit;
}
