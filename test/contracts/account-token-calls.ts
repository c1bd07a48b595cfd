import type { Json, JsonObject } from '@kubewright/kube';
import type { TestServer } from '../servers/test-server.ts';
import { type Answer, call } from '../support/api.ts';
import { type HttpsAnswer, httpsCall } from '../support/https-call.ts';

export const NAMESPACE = 'account-tokens';
export const CORE = `/api/v1/namespaces/${NAMESPACE}`;
export const ISSUER = 'https://kubernetes.default.svc';
const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';

export type Server = () => TestServer;

export function post(server: TestServer, path: string, body: Json): Promise<Answer> {
  return call(server.transport(), 'POST', path, body);
}

/** Creates an object in the namespace; answers with its uid. */
export async function created(server: TestServer, resource: string, body: JsonObject): Promise<string> {
  const { body: object } = await post(server, `${CORE}/${resource}`, body);
  return (object['metadata'] as { uid: string }).uid;
}

export function makeAccount(server: TestServer, name: string): Promise<string> {
  return created(server, 'serviceaccounts', { metadata: { name } });
}

export function makePod(server: TestServer, name: string, account: string): Promise<string> {
  const containers = [{ name: 'a', image: 'a' }];
  return created(server, 'pods', { metadata: { name }, spec: { serviceAccountName: account, containers } });
}

/** A TokenRequest. */
export function request(server: TestServer, account: string, body: JsonObject = {}): Promise<Answer> {
  return post(server, `${CORE}/serviceaccounts/${account}/token`, body);
}

function tokenOf({ body }: Answer): string {
  return (body['status'] as { token: string }).token;
}

/** A token of an account. */
export async function tokenFor(server: TestServer, account: string, spec: JsonObject = {}): Promise<string> {
  return tokenOf(await request(server, account, { spec }));
}

export function claimsOf(token: string): JsonObject {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as JsonObject;
}

/** What a TokenReview says of a token. */
export async function review(
  server: TestServer,
  token: string,
  audiences?: readonly string[],
): Promise<Json> {
  const spec = audiences === undefined ? { token } : { token, audiences };
  return (await post(server, REVIEWS, { spec })).body['status'] ?? null;
}

/** As whom a token is accepted. */
export function whoami(server: TestServer, token: string): Promise<HttpsAnswer> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  return httpsCall(server, 'POST', path, { token }, {});
}
