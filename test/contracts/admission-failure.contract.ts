import type { JsonObject, Transport } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { admissionSuite } from '../support/admission.ts';
import { textAt } from '../support/at.ts';
import { makeAuthority } from '../support/certificates.ts';
import { PATCH } from '../support/api.ts';
import { startWebhookServer } from '../support/webhook-server.ts';

type Server = { readonly name: string; transport(): Transport };

const TYPE_META =
  'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const NEVER = (): Promise<JsonObject> => new Promise(() => {});

/** What becomes of a write when a webhook cannot be asked, or says nothing sensible. */
export function admissionFailureContract(server: () => Server): void {
  const id = `failure-${process.pid}`;
  const suite = admissionSuite(server, id);
  const { maps, call, map, register, hooks } = suite;
  const refusal = async (): Promise<readonly unknown[]> => {
    const { status, body } = await call('POST', maps, map());
    const message = textAt(body, 'message')
      .replaceAll(/"w\d+\.[^"]*"/g, '"w"')
      .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST');
    return [status, body['reason'], message];
  };
  const failed = (why: string): readonly unknown[] => [
    500,
    'InternalError',
    `Internal error occurred: failed calling webhook "w": ${why}`,
  ];
  const post = (path: string, seconds = 10): string =>
    `failed to call webhook: Post "https://HOST${path}?timeout=${seconds}s":`;

  test.each<[string, { readonly raw: string; readonly status?: number; readonly type?: string }, string]>([
    [
      'nothing',
      { raw: '' },
      'failed to call webhook: 0-length response with status code: 200 and content type: application/json',
    ],
    [
      'no JSON',
      { raw: 'nonsense' },
      `failed to call webhook: couldn't get version/kind; json parse error: json: cannot unmarshal string into ${TYPE_META}`,
    ],
    [
      'no object',
      { raw: '[]' },
      `failed to call webhook: couldn't get version/kind; json parse error: json: cannot unmarshal array into ${TYPE_META}`,
    ],
    ['no kind', { raw: '{}' }, 'received invalid webhook response: webhook response was absent'],
    [
      'another kind',
      { raw: '{"kind":"Pod","apiVersion":"v1"}' },
      'failed to call webhook: no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      'no response',
      { raw: '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}' },
      'received invalid webhook response: webhook response was absent',
    ],
    [
      '404',
      { raw: 'not here', status: 404, type: 'text/plain' },
      'failed to call webhook: the server could not find the requested resource',
    ],
    [
      '500 in text',
      { raw: 'broken', status: 500, type: 'text/plain' },
      'failed to call webhook: an error on the server ("broken") has prevented the request from succeeding',
    ],
    [
      '500 in JSON',
      { raw: '{"a":1}', status: 500 },
      'failed to call webhook: an error on the server ("unknown") has prevented the request from succeeding',
    ],
    [
      '503',
      { raw: 'busy', status: 503, type: 'text/plain' },
      'failed to call webhook: the server is currently unable to handle the request',
    ],
    ['403', { raw: 'go away', status: 403, type: 'text/plain' }, 'failed to call webhook: go away'],
    [
      '418',
      { raw: 'tea', status: 418, type: 'text/plain' },
      'failed to call webhook: the server responded with the status code 418 but did not return more information',
    ],
  ])('an answer that is %s', async (_title, raw, why) => {
    await register('validating', { answering: () => raw });
    expect(await refusal()).toEqual(failed(why));
  });

  test('an answer to another question', async () => {
    let uid = '';
    await register('validating', {
      answering: (request) => {
        uid = textAt(request, 'uid');
        return { allowed: true, uid: 'other' };
      },
    });
    expect(await refusal()).toEqual(
      failed(`received invalid webhook response: expected response.uid="${uid}", got "other"`),
    );
  });

  test('an answer in another version', async () => {
    const raw =
      '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","response":{"uid":"UID","allowed":true}}';
    await register('validating', { answering: ({ uid }) => ({ raw: raw.replace('UID', textAt(uid)) }) });
    expect(await refusal()).toEqual(
      failed(
        'failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion',
      ),
    );
  });

  test('the old version of reviews, where a webhook takes no other', async () => {
    const [asked = []] = await register('validating', {
      with: { admissionReviewVersions: ['v9', 'v1beta1'] },
    });
    expect((await call('POST', maps, map())).status).toBe(201);
    expect(asked).toHaveLength(1);
  });

  test.each(['patch', 'patchType'])('a validating webhook that gives a %s', async (key) => {
    await register('validating', {
      answering: () => ({ allowed: true, [key]: key === 'patch' ? 'W10=' : 'JSONPatch' }),
    });
    expect(await refusal()).toEqual(
      failed(`received invalid webhook response: validating webhook may not return response.${key}`),
    );
  });

  describe('who cannot be reached', () => {
    test('at a port where nobody listens', async () => {
      const { caBundle } = hooks();
      const url = 'https://127.0.0.1:1/x';
      await register('validating', { with: { clientConfig: { url, caBundle } } });
      expect(await refusal()).toEqual(
        failed(
          'failed to call webhook: Post "https://HOST/x?timeout=10s": dial tcp HOST: connect: connection refused',
        ),
      );
    });

    test('under an unknown name', async () => {
      const clientConfig = { url: 'https://no-such-host.invalid/x', caBundle: hooks().caBundle };
      await register('validating', { with: { clientConfig } });
      const [status, reason, message] = await refusal();
      expect([status, reason]).toEqual([500, 'InternalError']);
      expect(message).toMatch(
        /Post "https:\/\/no-such-host\.invalid\/x\?timeout=10s": dial tcp: lookup no-such-host\.invalid.*$/,
      );
    });

    test('whose certificate another authority signed', async () => {
      const other = await makeAuthority('another');
      const { path } = hooks().answer(() => ({ allowed: true }));
      const clientConfig = {
        url: `https://127.0.0.1:${hooks().port}${path}`,
        caBundle: Buffer.from(other.cert).toString('base64'),
      };
      await register('validating', { with: { clientConfig } });
      const [status, , message] = await refusal();
      expect(status).toBe(500);
      expect(message).toContain(
        `${post(path)} tls: failed to verify certificate: x509: certificate signed by unknown authority`,
      );
    });

    test('whose certificate is for another name', async () => {
      const named = await startWebhookServer(['elsewhere.example.com']);
      const { path } = named.answer(() => ({ allowed: true }));
      const clientConfig = { url: `https://127.0.0.1:${named.port}${path}`, caBundle: named.caBundle };
      await register('validating', { with: { clientConfig } });
      const [status, , message] = await refusal();
      await named.stop();
      expect(status).toBe(500);
      expect(message).toContain(`${post(path)} tls: failed to verify certificate: x509: `);
    });

    test('is let pass where the policy says so, and others are asked still', async () => {
      const url = 'https://127.0.0.1:1/x';
      const clientConfig = { url, caBundle: hooks().caBundle };
      const [, second = []] = await register(
        'mutating',
        { with: { clientConfig, failurePolicy: 'Ignore' } },
        {},
      );
      expect((await call('POST', maps, map())).status).toBe(201);
      expect(second).toHaveLength(1);
    });
  });

  describe('who does not answer in time', () => {
    test('fails the write', async () => {
      await register('validating', { answering: NEVER, with: { timeoutSeconds: 1 } });
      const [status, reason, message] = await refusal();
      expect([status, reason]).toEqual([500, 'InternalError']);
      expect(message).toMatch(
        /failed calling webhook "w": failed to call webhook: Post ".*\?timeout=1s": context deadline exceeded$/,
      );
    });

    test('or is let pass', async () => {
      await register('validating', {
        answering: NEVER,
        with: { timeoutSeconds: 1, failurePolicy: 'Ignore' },
      });
      expect((await call('POST', maps, map())).status).toBe(201);
    });
  });

  test('a refusal is one whatever the failure policy', async () => {
    await register('validating', {
      answering: () => ({ allowed: false }),
      with: { failurePolicy: 'Ignore' },
    });
    expect((await call('POST', maps, map())).status).toBe(400);
  });

  test('a service is called by its name, where it is', async () => {
    const service = `${id}-hooks`;
    const { port } = hooks();
    await call('POST', `/api/v1/namespaces/${suite.namespace}/services`, {
      metadata: { name: service },
      spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
    });
    const named = await startWebhookServer([`${service}.${id}.svc`]);
    const { path, asked } = named.answer(() => ({ allowed: true }));
    const reference = { namespace: id, name: service, path, port: named.port };
    await register('validating', {
      with: { clientConfig: { service: reference, caBundle: named.caBundle } },
    });
    const answer = await call('POST', maps, map());
    await named.stop();
    expect([answer.status, asked.length]).toEqual([201, 1]);
  });

  test('a service that is not there', async () => {
    const service = { namespace: id, name: 'nobody', path: '/x' };
    await register('validating', { with: { clientConfig: { service, caBundle: hooks().caBundle } } });
    expect(await refusal()).toEqual(
      failed(
        `failed to call webhook: Post "https://nobody.${id}.svc:443/x?timeout=10s": service "nobody" not found`,
      ),
    );
  });

  test('an object that changes meanwhile is patched and asked about anew', async () => {
    const object = map({ data: { a: '1' } });
    const path = `${maps}/${object.metadata.name}`;
    await call('POST', maps, object);
    let [first, writes] = [true, 0];
    const [asked = []] = await register('mutating', {
      answering: async (request) => {
        const mine = JSON.stringify(request['object']).includes('"mine"');
        if (mine && first) {
          first = false;
          await call('PATCH', path, { data: { b: String((writes += 1)) } }, PATCH.merge);
        }
        return { allowed: true };
      },
    });
    const { status, body } = await call('PATCH', path, { data: { mine: 'yes' } }, PATCH.merge);
    expect([status, body['data']]).toEqual([200, { a: '1', b: '1', mine: 'yes' }]);
    // Of the first try, of the rival and of the second try; kube-apiserver may ask of what its cache still had, too.
    if (server().name === 'embedded') expect(asked).toHaveLength(3);
    else expect(asked.length).toBeGreaterThanOrEqual(3);
    await call('PATCH', path, { data: { mine: null } }, PATCH.merge);
    first = true;
    const { resourceVersion } = (await call('GET', path)).body['metadata'] as JsonObject;
    const stale = {
      ...object,
      metadata: { ...object.metadata, resourceVersion },
      data: { mine: 'again' },
    } as JsonObject;
    const refused = await call('PUT', path, stale);
    expect([refused.status, refused.body['reason']]).toEqual([409, 'Conflict']);
  });
}
