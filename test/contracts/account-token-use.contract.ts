import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import type { Json, JsonObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { TestServer } from '../servers/test-server.ts';
import { call } from '../support/api.ts';
import { type HttpsAnswer, httpsCall } from '../support/https-call.ts';
import {
  CORE,
  claimsOf,
  created,
  ISSUER,
  makeAccount,
  makePod,
  NAMESPACE,
  post,
  review,
  type Server,
  tokenFor,
  whoami,
} from './account-token-calls.ts';

/** What a token of a service account is good for, and how long. */
export function accountTokenUseContract(server: Server): void {
  useContract(server);
  bindingContract(server);
  discoveryContract(server);
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

    test.each(['=', '==', '.', '*'])('with %j behind it is no token', async (more) => {
      await makeAccount(server(), 'padder');
      const token = await tokenFor(server(), 'padder');
      expect((await whoami(server(), token)).status).toBe(201);
      expect(await review(server(), `${token}${more}`)).toEqual({
        user: {},
        error: expect.stringContaining('invalid bearer token'),
      });
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
      const [key] = keys.body['keys'] as JsonWebKey[];
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
