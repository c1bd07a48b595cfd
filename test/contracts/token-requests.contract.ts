import type { JsonObject } from '@kubewright/kube';
import { beforeAll, describe, expect, test } from 'vitest';
import { call } from '../support/api.ts';
import {
  CORE,
  claimsOf,
  ISSUER,
  makeAccount,
  makePod,
  NAMESPACE,
  post,
  request,
  type Server,
  tokenFor,
} from './account-token-calls.ts';

const UID = /^[0-9a-f-]{36}$/;

/** TokenRequests: what is answered, and what is refused. */
export function tokenRequestsContract(server: Server): void {
  issueContract(server);
  refusalContract(server);
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
