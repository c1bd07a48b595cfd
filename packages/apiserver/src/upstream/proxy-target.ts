import type { JsonObject } from '@kubewright/kube';
import { bodyOf, numberAt, objectAt, objectsAt, specOf, statusOf, stringAt } from '../objects/read.ts';
import { type ApiServerError, badRequest, failure, notFound } from '../api-server-error.ts';
import type { Store } from '../storage/store.ts';
import type { ConnectRequest } from '../model/connection.ts';
import { isGlobalUnicast } from './is-global-unicast.ts';
import type { Kubelets } from './kubelets.ts';
import { type SchemeNamePort, schemeNamePort } from './scheme-name-port.ts';
import type { UpstreamCall } from './upstream-transport.ts';

/** Where a proxied request goes. */
export type ProxyTarget = Pick<UpstreamCall, 'scheme' | 'address' | 'kubeletOf'>;

const PODS = { group: '', resource: 'pods' };
const NODES = { group: '', resource: 'nodes' };
const SERVICES = { group: '', resource: 'services' };

/** A node's kubelet, or another port of the node. */
export function nodeTarget(kubelets: Kubelets, { name: id }: ConnectRequest): ProxyTarget {
  const { scheme, name, port } = named(id, 'node');
  const place = kubelets.find(name, NODES);
  if (port === '' || port === String(place.port)) {
    const address = { host: place.host, port: place.port };
    return { scheme: 'https', address, kubeletOf: name };
  }
  return { scheme: schemeOf(scheme), address: { host: place.host, port: portNumber(port) } };
}

/** A pod's address; the default port is the first one that a container declares. */
export function podTarget(store: Store, { name: id, namespace }: ConnectRequest): ProxyTarget {
  const { scheme, name, port } = named(id, 'pod');
  const pod = store.collection('', 'pods').get(`${namespace}/${name}`)?.object;
  if (pod === undefined) throw notFound(PODS, name);
  const host = stringAt(objectsAt(statusOf(pod), 'podIPs')[0] ?? {}, 'ip');
  if (!isGlobalUnicast(host)) throw badRequest('address not allowed');
  const [declared] = objectsAt(specOf(pod), 'containers').flatMap((one) =>
    objectsAt(one, 'ports').slice(0, 1),
  );
  const standard = declared === undefined ? undefined : numberAt(declared, 'containerPort');
  const fallback = standard ?? (scheme === 'https' ? 443 : 80);
  return { scheme: schemeOf(scheme), address: { host, port: port === '' ? fallback : portNumber(port) } };
}

/** A pod behind a service that has the port of that name, or of that number in the service. */
export function serviceTarget(
  store: Store,
  random: (size: number) => Uint8Array,
  { name: id, namespace }: ConnectRequest,
): ProxyTarget {
  const { scheme, name, port } = named(id, 'service');
  const portName = /^[+-]?\d+$/.test(port) ? portNamed(store, namespace, name, Number(port)) : port;
  const endpoints = store.collection('', 'endpoints').get(`${namespace}/${name}`)?.object;
  // A real server names the resource of the request here, too.
  if (endpoints === undefined) throw notFound(SERVICES, name);
  const subsets = objectsAt(bodyOf(endpoints), 'subsets');
  if (subsets.length === 0) throw unavailable(`no endpoints available for service "${name}"`);
  const found = subsets.flatMap((subset) => addressesIn(store, namespace, subset, portName));
  const [chance = 0] = random(1);
  const chosen = found[chance % found.length];
  if (chosen === undefined) throw unavailable(`no endpoints available for service "${id}"`);
  return { scheme: schemeOf(scheme), address: chosen };
}

function portNamed(store: Store, namespace: string, name: string, port: number): string {
  const service = store.collection('', 'services').get(`${namespace}/${name}`)?.object;
  if (service === undefined) throw notFound(SERVICES, name);
  const found = objectsAt(specOf(service), 'ports').find((one) => numberAt(one, 'port') === port);
  if (found === undefined) throw unavailable(`no service port ${port} found for service "${name}"`);
  return stringAt(found, 'name');
}

/** Only addresses that are a pod's of the same namespace: anybody may write Endpoints. */
function addressesIn(
  store: Store,
  namespace: string,
  subset: JsonObject,
  portName: string,
): readonly ProxyTarget['address'][] {
  const port = objectsAt(subset, 'ports').find((one) => stringAt(one, 'name') === portName);
  if (port === undefined) return [];
  return objectsAt(subset, 'addresses').flatMap((address) => {
    const ip = stringAt(address, 'ip');
    const target = objectAt(address, 'targetRef');
    const pod = store.collection('', 'pods').get(`${namespace}/${stringAt(target, 'name')}`)?.object;
    if (stringAt(target, 'namespace') !== namespace || pod === undefined) return [];
    const own = objectsAt(statusOf(pod), 'podIPs').some((one) => stringAt(one, 'ip') === ip);
    return own && isGlobalUnicast(ip) ? [{ host: ip, port: numberAt(port, 'port') }] : [];
  });
}

function named(id: string, what: string): SchemeNamePort {
  const found = schemeNamePort(id);
  if (found === undefined) throw badRequest(`invalid ${what} request ${JSON.stringify(id)}`);
  return found;
}

function schemeOf(scheme: string): 'http' | 'https' {
  return scheme === 'https' ? 'https' : 'http';
}

function portNumber(port: string): number {
  const number = Number(port);
  if (/^\d+$/.test(port) && number > 0 && number < 65_536) return number;
  const why = /^\d+$/.test(port)
    ? `dial tcp: address ${port}: invalid port`
    : `dial tcp: lookup tcp/${port}: unknown port`;
  throw unavailable(`error trying to reach service: ${why}`);
}

function unavailable(message: string): ApiServerError {
  return failure(503, 'ServiceUnavailable', message);
}
