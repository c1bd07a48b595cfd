import { parseQuantity, quantityAsNumber } from '@kubewright/kube/quantity';
import type { ClassFunction, Resource } from './api.ts';
import type { appsv1, Stored } from '@kubewright/kube';
import { managersOf } from './managers-of.ts';

/** Bytes of memory, or millicores. */
export type Size = { readonly request?: number | undefined; readonly limit?: number | undefined };

/** In the managedFields of a Deployment. */
const CONTAINER = ['template', 'spec', 'containers', 'k:{"name":"function"}', 'resources'];

/** What the container of a function asks for, and may use at most. */
type LiveDeployment = Stored<appsv1.Deployment>;

export function sizeOf({ spec }: LiveDeployment, resource: Resource): Size {
  const { requests, limits } = containerOf(spec)?.resources ?? {};
  return { request: numberOf(requests?.[resource], resource), limit: numberOf(limits?.[resource], resource) };
}

function containerOf(spec: LiveDeployment['spec']) {
  return spec?.template.spec?.containers.find(({ name }) => name === 'function');
}

/** What the class says that it has to have at least. */
export function ownSize({ provision_config = {} }: ClassFunction, resource: Resource): Size {
  const { cpu_request, cpu_limit, memory_request, memory_limit } = provision_config;
  const [request, limit] = resource === 'cpu' ? [cpu_request, cpu_limit] : [memory_request, memory_limit];
  return { request: numberOf(request, resource), limit: numberOf(limit, resource) };
}

/** A text that is no quantity is nothing: the server rejects it. */
function numberOf(text: string | number | undefined, resource: Resource): number | undefined {
  if (text === undefined) return undefined;
  try {
    const value = quantityAsNumber(parseQuantity(String(text)));
    return Math.ceil(resource === 'cpu' ? value * 1000 : value);
  } catch {
    return undefined;
  }
}

const [MI, KI] = [1024 ** 2, 1024];

/** `192Mi`, `250m` */
export function quantityOf(value: number, resource: Resource): string {
  if (resource === 'cpu') return `${value}m`;
  if (value % MI === 0) return `${value / MI}Mi`;
  return value % KI === 0 ? `${value / KI}Ki` : String(value);
}

/** The field managers of the request and the limit. */
export function sizeManagers(object: LiveDeployment, resource: Resource): readonly (string | undefined)[] {
  return ['requests', 'limits'].flatMap((part) => managersOf(object, ...CONTAINER, part, resource));
}

/** The resource that a field of a conflict is about. */
export function resourceIn(field: string): Resource | undefined {
  const [, resource] =
    /^\.spec\.template\.spec\.containers\[name="function"\]\.resources\.(?:requests|limits)\.(cpu|memory)$/.exec(
      field,
    ) ?? [];
  return resource as Resource | undefined;
}
