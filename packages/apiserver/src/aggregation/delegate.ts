import type { KubeObject, Stored } from '@kubewright/kube';
import { isTrue, maybeNumber, maybeObject, objectsAt, specOf, statusOf, stringAt } from '../objects/read.ts';

export const GROUP = 'apiregistration.k8s.io';
export const RESOURCE = 'apiservices';

/** The Service of an extension server. */
type ServiceReference = { readonly namespace: string; readonly name: string; readonly port: number };

/** The extension server of a version of a group, and how it is called. */
export type Delegate = {
  /** `VERSION.GROUP`. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly priority: number;
  readonly service: ServiceReference;
  /** PEM; empty: by the system's roots. */
  readonly caBundle: string;
  readonly insecure: boolean;
  readonly available: boolean;
};

function isAvailable(object: KubeObject): boolean {
  const conditions = objectsAt(statusOf(object), 'conditions');
  const condition = conditions.find((one) => stringAt(one, 'type') === 'Available');
  return stringAt(condition ?? {}, 'status') === 'True';
}

/** Undefined for a local APIService. */
export function delegateOf(object: Stored): Delegate | undefined {
  const spec = specOf(object);
  const service = maybeObject(spec, 'service');
  if (service === undefined) return undefined;
  return {
    name: object.metadata.name,
    group: stringAt(spec, 'group'),
    version: stringAt(spec, 'version'),
    priority: maybeNumber(spec, 'groupPriorityMinimum') ?? 0,
    service: {
      namespace: stringAt(service, 'namespace'),
      name: stringAt(service, 'name'),
      port: maybeNumber(service, 'port') ?? 443,
    },
    caBundle: Buffer.from(stringAt(spec, 'caBundle'), 'base64').toString(),
    insecure: isTrue(spec, 'insecureSkipTLSVerify'),
    available: isAvailable(object),
  };
}
