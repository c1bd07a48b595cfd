import type { JsonObject, KubeObject } from '@kubewright/kube';
import { bodyOf, numberAt, objectsAt, specOf, stringAt, stringsAt } from '../objects/read.ts';
import { localError } from '../api-server-error.ts';
import type { Store } from '../storage/store.ts';

/** Where requests to a Service go. Throws where that is unknown; the message is part of the response. */
export type ServiceResolver = (service: {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}) => { readonly host: string; readonly port: number };

/**
 * By the objects in the store: an external name, an address of `Endpoints` where there are such, or the cluster IP.
 * There is no kube-proxy here that serves a cluster IP, hence the endpoints.
 */
export function storedServices(store: Store): ServiceResolver {
  return ({ namespace, name, port }) => {
    const key = `${namespace}/${name}`;
    const service = store.collection('', 'services').get(key)?.object;
    if (service === undefined) throw localError('ConnectionFailed', `service "${name}" not found`);
    const spec = specOf(service);
    if (stringAt(spec, 'type') === 'ExternalName') return { host: stringAt(spec, 'externalName'), port };
    const servicePort = objectsAt(spec, 'ports').find((one) => numberAt(one, 'port') === port);
    if (servicePort === undefined)
      throw localError('ConnectionFailed', `no service port ${port} found for service "${name}"`);
    const endpoints = store.collection('', 'endpoints').get(key)?.object;
    const address =
      endpoints === undefined ? undefined : endpointOf(endpoints, stringAt(servicePort, 'name'));
    if (address !== undefined) return address;
    return clusterAddress(spec, port);
  };
}

function clusterAddress(spec: JsonObject, port: number): { host: string; port: number } {
  const [ip = stringAt(spec, 'clusterIP')] = stringsAt(spec, 'clusterIPs');
  if (ip === 'None') throw localError('ConnectionFailed', 'cannot route to service with ClusterIP "None"');
  return { host: ip, port };
}

/** The first ready address that has the port. */
function endpointOf(endpoints: KubeObject, portName: string): { host: string; port: number } | undefined {
  for (const subset of objectsAt(bodyOf(endpoints), 'subsets')) {
    const port = objectsAt(subset, 'ports').find((one) => stringAt(one, 'name') === portName);
    const [address] = objectsAt(subset, 'addresses');
    if (port !== undefined && address !== undefined)
      return { host: stringAt(address, 'ip'), port: numberAt(port, 'port') };
  }
  return undefined;
}
