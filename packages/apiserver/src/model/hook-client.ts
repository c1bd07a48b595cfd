import type { JsonObject } from '@kubewright/kube';
import { maybeNumber, maybeObject, stringAt } from '../objects/read.ts';

/** Where a webhook is: at `url`, or behind a Service. */
export type HookClient = {
  readonly url: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly port: number;
    readonly path: string;
  };
  /** PEM; empty: the system's roots. */
  readonly caBundle: string;
};

/** Reads a `clientConfig`. */
export function readClient(config: JsonObject): HookClient {
  const service = maybeObject(config, 'service');
  const client = { url: stringAt(config, 'url'), caBundle: decoded(stringAt(config, 'caBundle')) };
  if (service === undefined) return client;
  const [namespace, name, path] = ['namespace', 'name', 'path'].map((key) => stringAt(service, key));
  const port = maybeNumber(service, 'port') ?? 443;
  return { ...client, service: { namespace: namespace ?? '', name: name ?? '', path: path ?? '', port } };
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}
