import type { corev1, Stored } from '@kubewright/kube';

export const ZENOH_PORT = 17447;

/** A Zenoh router that workloads connect to. */
export type Router = { readonly service: string; readonly port: number };

/** The address of a router: its port `zenoh`, else its first one. */
export function routerOf({ metadata, spec }: Stored<corev1.Service>): Router {
  const ports = spec?.ports ?? [];
  const port = ports.find(({ name }) => name === 'zenoh') ?? ports[0];
  return { service: metadata.name, port: port?.port ?? ZENOH_PORT };
}

/** `tcp/router:17447` */
export function peerOf({ service, port }: Router): string {
  return `tcp/${service}:${port}`;
}
