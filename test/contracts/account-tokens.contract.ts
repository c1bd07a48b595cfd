import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import type { Json, JsonObject } from '@kubewright/kube';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TestServer } from '../servers/test-server.ts';
import { type Answer, call } from '../support/api.ts';
import { type HttpsAnswer, httpsCall } from '../support/https-call.ts';

const NAMESPACE = 'account-tokens';
const CORE = `/api/v1/namespaces/${NAMESPACE}`;
const ISSUER = 'https://kubernetes.default.svc';
const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
const UID = /^[0-9a-f-]{36}$/;

type Server = () => TestServer;

function post(server: TestServer, path: string, body: Json): Promise<Answer> {
  return call(server.transport(), 'POST', path, body);
}

async function created(server: TestServer, resource: string, body: JsonObject): Promise<string> {
  const { body: object } = await post(server, `${CORE}/${resource}`, body);
  return (object['metadata'] as { uid: string }).uid;
}

function makeAccount(server: TestServer, name: string): Promise<string> {
  return created(server, 'serviceaccounts', { metadata: { name } });
}

function makePod(server: TestServer, name: string, account: string): Promise<string> {
  const containers = [{ name: 'a', image: 'a' }];
  return created(server, 'pods', { metadata: { name }, spec: { serviceAccountName: account, containers } });
}

function request(server: TestServer, account: string, body: JsonObject = {}): Promise<Answer> {
  return post(server, `${CORE}/serviceaccounts/${account}/token`, body);
}

function tokenOf({ body }: Answer): string {
  return (body['status'] as { token: string }).token;
}

async function tokenFor(server: TestServer, account: string, spec: JsonObject = {}): Promise<string> {
  return tokenOf(await request(server, account, { spec }));
}

function claimsOf(token: string): JsonObject {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as JsonObject;
}

async function review(server: TestServer, token: string, audiences?: readonly string[]): Promise<Json> {
  const spec = audiences === undefined ? { token } : { token, audiences };
  return (await post(server, REVIEWS, { spec })).body['status'] ?? null;
}

function whoami(server: TestServer, token: string): Promise<HttpsAnswer> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  return httpsCall(server, 'POST', path, { token }, {});
}

/** TokenRequests, and what their tokens are good for. */
export function accountTokensContract(server: Server): void {
  beforeAll(async () => {
    await post(server(), '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  });
  issueContract(server);
  refusalContract(server);
  useContract(server);
  bindingContract(server);
  discoveryContract(server);
}

function issueContract(server: Server): void {
  describe('a TokenRequest', () => {
    test('is answered with a token that says for whom it is', async () => {
      const uid = await makeAccount(server(), 'robot');
      const { status, body } = await request(server(), 'robot');
      expect(status).toBe(201);
      expect(body).toMatchObject({
        kind: 'TokenRequest',
        apiVersion: 'authentication.k8s.io/v1',
        metadata: { name: 'robot', namespace: NAMESPACE, uid, managedFields: [{ subresource: 'token' }] },
        spec: { audiences: [ISSUER], expirationSeconds: 3600, boundObjectRef: null },
      });
      const { token, expirationTimestamp } = body['status'] as Record<string, string>;
      const claims = claimsOf(token ?? '');
      expect(Object.keys(claims).sort()).toEqual(
        ['aud', 'exp', 'iat', 'iss', 'jti', 'kubernetes.io', 'nbf', 'sub'].sort(),
      );
      expect(claims).toMatchObject({
        aud: [ISSUER],
        iss: ISSUER,
        jti: expect.stringMatching(UID),
        sub: `system:serviceaccount:${NAMESPACE}:robot`,
        nbf: claims['iat'],
        exp: Number(claims['iat']) + 3600,
        'kubernetes.io': { namespace: NAMESPACE, serviceaccount: { name: 'robot', uid } },
      });
      expect(Math.abs(Date.parse(expirationTimestamp ?? '') / 1000 - Number(claims['exp']))).toBeLessThan(2);
    });

    test('asks for audiences and a time to live', async () => {
      await makeAccount(server(), 'asking');
      const spec = { audiences: ['vault', 'mesh'], expirationSeconds: 600 };
      const claims = claimsOf(await tokenFor(server(), 'asking', spec));
      expect(claims['aud']).toEqual(['vault', 'mesh']);
      expect(Number(claims['exp']) - Number(claims['iat'])).toBe(600);
    });

    test('is shown by discovery, and can be made only', async () => {
      const { body } = await call(server().transport(), 'GET', '/api/v1');
      expect(body['resources']).toContainEqual({
        name: 'serviceaccounts/token',
        singularName: '',
        namespaced: true,
        group: 'authentication.k8s.io',
        version: 'v1',
        kind: 'TokenRequest',
        verbs: ['create'],
      });
      await makeAccount(server(), 'made');
      const path = `${CORE}/serviceaccounts/made/token`;
      expect((await call(server().transport(), 'GET', path)).status).toBe(405);
      expect((await call(server().transport(), 'PUT', path, {})).status).toBe(405);
    });
  });
}

function refusalContract(server: Server): void {
  describe('a TokenRequest is refused', () => {
    beforeAll(async () => {
      await makeAccount(server(), 'strict');
      await makeAccount(server(), 'other');
      await makePod(server(), 'of-other', 'other');
    });
    const bound = (boundObjectRef: JsonObject): JsonObject => ({ spec: { boundObjectRef } });
    const invalid = 'TokenRequest.authentication.k8s.io';

    test.each([
      [
        'for too short a time',
        { spec: { expirationSeconds: 599 } },
        422,
        `${invalid} "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes`,
      ],
      [
        'for too long a time',
        { spec: { expirationSeconds: 4294967297 } },
        422,
        `${invalid} "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds`,
      ],
      [
        'under another name',
        { metadata: { name: 'another' } },
        422,
        `${invalid} "strict" is invalid: metadata.name: Invalid value: "another": must match the service account name if specified`,
      ],
      [
        'in another namespace',
        { metadata: { namespace: 'default' } },
        400,
        'the namespace of the provided object does not match the namespace sent on the request',
      ],
      [
        'for a pod that is not there',
        bound({ apiVersion: 'v1', kind: 'Pod', name: 'none' }),
        404,
        'pods "none" not found',
      ],
      [
        'for a secret that is not there',
        bound({ apiVersion: 'v1', kind: 'Secret', name: 'none' }),
        404,
        'secrets "none" not found',
      ],
      [
        'for the pod of another account',
        bound({ apiVersion: 'v1', kind: 'Pod', name: 'of-other' }),
        400,
        'cannot bind token for serviceaccount "strict" to pod running with different serviceaccount name.',
      ],
      [
        'for what no token can be bound to',
        bound({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }),
        400,
        'cannot bind token to object of type apps/v1, Kind=Deployment',
      ],
      [
        'for a kind of the core group that no token can be bound to',
        bound({ apiVersion: 'v1', kind: 'ConfigMap', name: 'web' }),
        400,
        'cannot bind token to object of type /v1, Kind=ConfigMap',
      ],
      ['for nothing', bound({}), 400, 'cannot bind token to object of type /, Kind='],
      [
        'as another kind',
        { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' },
        400,
        'TokenReview in version "v1" cannot be handled as a TokenRequest: converting (v1.TokenReview) to (authentication.TokenRequest): unknown conversion',
      ],
    ])('%s', async (_, body, code, message) => {
      expect((await request(server(), 'strict', body)).body).toMatchObject({ code, message });
    });

    test('for an account, or a namespace, that is not there', async () => {
      expect((await request(server(), 'nobody')).body).toMatchObject({
        code: 404,
        message: 'serviceaccounts "nobody" not found',
      });
      const path = '/api/v1/namespaces/nowhere/serviceaccounts/nobody/token';
      expect((await post(server(), path, {})).body['message']).toBe('namespaces "nowhere" not found');
    });

    test('for an account or a pod of another uid', async () => {
      const { body } = await request(server(), 'strict', { metadata: { uid: 'old' } });
      expect(body).toMatchObject({
        code: 409,
        details: { group: 'authentication.k8s.io', kind: 'TokenRequest', name: 'strict' },
      });
      expect(body['message']).toContain('the UID in the token request (old) does not match the UID of');
      const pod = bound({ apiVersion: 'v1', kind: 'Pod', name: 'of-other', uid: 'old' });
      const conflict = await request(server(), 'other', pod);
      expect(conflict.body).toMatchObject({ code: 409, details: { kind: 'Pod', name: 'of-other' } });
      expect(conflict.body['message']).toContain('the UID in the bound object reference (old)');
    });

    test('to those who may not make one', async () => {
      const path = `${CORE}/serviceaccounts/strict/token`;
      expect((await call(server().transport('alice'), 'POST', path, {})).body['message']).toBe(
        `serviceaccounts "strict" is forbidden: User "alice" cannot create resource "serviceaccounts/token" in API group "" in the namespace "${NAMESPACE}"`,
      );
    });
  });
}

function useContract(server: Server): void {
  describe('a token of a service account', () => {
    test('makes its bearer the account', async () => {
      const uid = await makeAccount(server(), 'bearer');
      const token = await tokenFor(server(), 'bearer');
      const { body } = await whoami(server(), token);
      expect(body['status']).toEqual({
        userInfo: {
          username: `system:serviceaccount:${NAMESPACE}:bearer`,
          uid,
          groups: ['system:serviceaccounts', `system:serviceaccounts:${NAMESPACE}`, 'system:authenticated'],
          extra: {
            'authentication.kubernetes.io/credential-id': [`JTI=${claimsOf(token)['jti'] as string}`],
          },
        },
      });
    });

    test('may do what the account is bound to', async () => {
      await makeAccount(server(), 'reader');
      const token = await tokenFor(server(), 'reader');
      const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}`;
      const [metadata, rules] = [
        { name: 'reader' },
        [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }],
      ];
      await post(server(), `${roles}/roles`, { metadata, rules });
      await post(server(), `${roles}/rolebindings`, {
        metadata,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
        subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: NAMESPACE }],
      });
      const list = (path: string): Promise<HttpsAnswer> => httpsCall(server(), 'GET', path, { token });
      await expect.poll(async () => (await list(`${CORE}/configmaps`)).status).toBe(200);
      expect((await list(`${CORE}/secrets`)).status).toBe(403);
      expect((await list('/api/v1/namespaces/default/configmaps')).status).toBe(403);
    });

    test('for another audience is no token here, and one there', async () => {
      await makeAccount(server(), 'abroad');
      const token = await tokenFor(server(), 'abroad', { audiences: ['vault', 'mesh'] });
      expect((await whoami(server(), token)).status).toBe(401);
      expect(await review(server(), token)).toEqual({
        user: {},
        error: `[invalid bearer token, token audiences ["vault" "mesh"] is invalid for the target audiences ["${ISSUER}"]]`,
      });
      expect(await review(server(), token, ['mesh', 'third'])).toMatchObject({
        authenticated: true,
        user: { username: `system:serviceaccount:${NAMESPACE}:abroad` },
        audiences: ['mesh'],
      });
    });

    test('that someone has changed is no token', async () => {
      await makeAccount(server(), 'forger');
      const token = await tokenFor(server(), 'forger');
      const [head, , signature] = token.split('.');
      const claims = { ...claimsOf(token), sub: 'system:serviceaccount:kube-system:admin' };
      const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
      const forged = `${head}.${payload}.${signature}`;
      expect((await whoami(server(), forged)).status).toBe(401);
      expect(await review(server(), forged)).toEqual({
        user: {},
        error: '[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]',
      });
      const unsigned = Buffer.from('{"alg":"none"}').toString('base64url');
      expect((await whoami(server(), `${unsigned}.${payload}.`)).status).toBe(401);
    });

    test('of another issuer, or of another key, is no token', async () => {
      const part = (value: Json): string => Buffer.from(JSON.stringify(value)).toString('base64url');
      const made = (header: JsonObject, iss: string): string => `${part(header)}.${part({ iss })}.c2ln`;
      expect(await review(server(), made({ alg: 'RS256' }, 'https://elsewhere'))).toEqual({
        user: {},
        error: 'invalid bearer token',
      });
      expect(await review(server(), made({ alg: 'RS256', kid: 'unknown' }, ISSUER))).toEqual({
        user: {},
        error: '[invalid bearer token, invalid signature, no keys found]',
      });
    });

    test('ends with its account, even if there is another of that name', async () => {
      const uid = await makeAccount(server(), 'mortal');
      const token = await tokenFor(server(), 'mortal');
      expect((await whoami(server(), token)).status).toBe(201);
      await call(server().transport(), 'DELETE', `${CORE}/serviceaccounts/mortal`);
      await refused(server(), token, 'serviceaccounts "mortal" not found');
      const next = await makeAccount(server(), 'mortal');
      await refused(server(), token, `service account UID (${next}) does not match claim (${uid})`);
    });
  });
}

/** A real server keeps for some seconds what it knows of a token. */
async function refused(server: TestServer, token: string, why: string): Promise<void> {
  const reviewed = (): Promise<Json> => review(server, token);
  await expect
    .poll(reviewed, { timeout: 20_000, interval: 200 })
    .toEqual({ user: {}, error: `[invalid bearer token, ${why}]` });
  expect((await whoami(server, token)).status).toBe(401);
}

function bindingContract(server: Server): void {
  const reference = (kind: string, name: string): JsonObject => ({
    boundObjectRef: { apiVersion: 'v1', kind, name },
  });

  describe('a token that is bound', () => {
    test('to a pod names it, and ends with it', async () => {
      await makeAccount(server(), 'pod-owner');
      const uid = await makePod(server(), 'worker', 'pod-owner');
      const token = await tokenFor(server(), 'pod-owner', reference('Pod', 'worker'));
      expect(claimsOf(token)['kubernetes.io']).toMatchObject({ pod: { name: 'worker', uid } });
      expect((await whoami(server(), token)).body).toMatchObject({
        status: {
          userInfo: {
            extra: {
              'authentication.kubernetes.io/pod-name': ['worker'],
              'authentication.kubernetes.io/pod-uid': [uid],
            },
          },
        },
      });
      await call(server().transport(), 'DELETE', `${CORE}/pods/worker?gracePeriodSeconds=0`);
      await refused(server(), token, 'service account token has been invalidated');
    });

    test('to a secret ends with it', async () => {
      await makeAccount(server(), 'secret-owner');
      const uid = await created(server(), 'secrets', { metadata: { name: 'seal' } });
      const token = await tokenFor(server(), 'secret-owner', reference('Secret', 'seal'));
      expect(claimsOf(token)['kubernetes.io']).toMatchObject({ secret: { name: 'seal', uid } });
      expect((await whoami(server(), token)).status).toBe(201);
      await call(server().transport(), 'DELETE', `${CORE}/secrets/seal`);
      await refused(server(), token, 'service account token has been invalidated');
    });

    test('to a pod lasts a year where it replaces one that never ended, and says when it would have', async () => {
      await makeAccount(server(), 'projected');
      await makePod(server(), 'projected', 'projected');
      const spec = { ...reference('Pod', 'projected'), expirationSeconds: 3607 };
      const claims = claimsOf(await tokenFor(server(), 'projected', spec));
      const issued = Number(claims['iat']);
      expect(claims['exp']).toBe(issued + 365 * 24 * 3600);
      expect(claims['kubernetes.io']).toMatchObject({ warnafter: issued + 3607 });
    });
  });
}

function discoveryContract(server: Server): void {
  describe('who checks tokens by himself', () => {
    const get = (path: string, token?: string): Promise<HttpsAnswer> =>
      httpsCall(server(), 'GET', path, {
        ...(token === undefined ? {} : { token }),
        headers: { accept: '*/*' },
      });

    test('finds the issuer and the keys', async () => {
      await makeAccount(server(), 'checked');
      const token = await tokenFor(server(), 'checked');
      const configuration = await get('/.well-known/openid-configuration', token);
      expect(configuration.body).toMatchObject({
        issuer: ISSUER,
        jwks_uri: expect.stringMatching(/^https:.*\/openid\/v1\/jwks$/),
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
      });
      expect(configuration.headers['cache-control']).toBe('public, max-age=3600');
      const keys = await get('/openid/v1/jwks', token);
      expect(keys.headers['content-type']).toBe('application/jwk-set+json');
      const [key] = keys.body['keys'] as unknown as JsonWebKey[];
      const [head = '', payload = '', signature = ''] = token.split('.');
      const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as Record<string, string>;
      expect(header).toEqual({ alg: key?.['alg'], kid: key?.['kid'] });
      const publicKey = createPublicKey({ key: key ?? {}, format: 'jwk' });
      expect(
        verify(
          'sha256',
          Buffer.from(`${head}.${payload}`),
          { key: publicKey, dsaEncoding: 'ieee-p1363' },
          Buffer.from(signature, 'base64url'),
        ),
      ).toBe(true);
    });

    test('must be a service account', async () => {
      expect((await get('/openid/v1/jwks')).status).toBe(403);
    });
  });
}
