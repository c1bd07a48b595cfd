import { collectBody } from '@kubewright/client';
import { isJsonObject, type JsonObject, parseJson, type Transport } from '@kubewright/kube';
import { KubewrightError } from '../kubewright-error.ts';

/** The largest document of a server is a few megabytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A document that is no object of the API: discovery, OpenAPI. */
export async function getJson(path: string, transport: Transport): Promise<JsonObject> {
  const response = await transport.request({ method: 'GET', path, headers: { accept: 'application/json' } });
  const body = await collectBody(response.body, MAX_BYTES);
  if (response.status === 401) {
    throw new KubewrightError(
      'Refused',
      'the server does not accept these credentials; name another kubeconfig with --kubeconfig',
    );
  }
  const value = response.status === 200 ? parseJson(body) : undefined;
  if (isJsonObject(value)) return value;
  const hint = 'may this user read it, and is this a Kubernetes API?';
  throw new KubewrightError('Refused', `the server answered ${response.status} to ${path}; ${hint}`);
}
