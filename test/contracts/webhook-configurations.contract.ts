import type { JsonObject, Transport } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { admissionSuite, configurations } from '../support/admission.ts';
import { at } from '../support/at.ts';
import { PATCH } from '../support/api.ts';
import { WRONG_WEBHOOKS } from './wrong-webhooks.ts';

type Server = { transport(): Transport };

/** Configurations of webhooks as objects. */
export function webhookConfigurationContract(server: () => Server): void {
  const id = `webhooks-${process.pid}`;
  const { call, transport } = admissionSuite(server, id);

  test('configurations are defaulted, counted and shown in a table', async () => {
    const name = `${id}-shown`;
    const path = configurations('validating');
    const webhook = {
      name: 'a.example.com',
      clientConfig: { service: { namespace: 'a', name: 'b' } },
      rules: [{ operations: ['CREATE'], apiGroups: ['none'], apiVersions: ['v1'], resources: ['none'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    };
    const made = await call('POST', path, { metadata: { name }, webhooks: [webhook] });
    expect(made.body['webhooks']).toEqual([
      {
        ...webhook,
        clientConfig: { service: { namespace: 'a', name: 'b', port: 443 } },
        rules: [{ ...webhook.rules[0], scope: '*' }],
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        timeoutSeconds: 10,
      },
    ]);
    const changed = await call(
      'PATCH',
      `${path}/${name}`,
      [{ op: 'replace', path: '/webhooks/0/timeoutSeconds', value: 3 }],
      PATCH.json,
    );
    const generations = [made, changed].map(({ body }) => at(body, 'metadata', 'generation'));
    expect(generations).toEqual([1, 2]);
    const table = await transport().request({
      method: 'GET',
      path: `${path}/${name}`,
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of table.body) chunks.push(chunk);
    const { columnDefinitions, rows } = JSON.parse(Buffer.concat(chunks).toString()) as Record<
      string,
      JsonObject[]
    >;
    expect(columnDefinitions?.map((column) => [at(column, 'name'), at(column, 'type')])).toEqual([
      ['Name', 'string'],
      ['Webhooks', 'integer'],
      ['Age', 'string'],
    ]);
    expect(at(rows?.[0], 'cells')).toEqual([name, 1, expect.any(String)]);
    await call('DELETE', `${path}/${name}`);
  });

  test('an update without a resourceVersion is refused', async () => {
    const name = `${id}-put`;
    const path = `${configurations('mutating')}/${name}`;
    await call('POST', configurations('mutating'), { metadata: { name }, webhooks: [] });
    const { status, body } = await call('PUT', path, { metadata: { name }, webhooks: [] });
    expect([status, body['reason']]).toEqual([422, 'Invalid']);
    await call('DELETE', path);
  });

  test.each(WRONG_WEBHOOKS)('a webhook with %s is refused', async (_title, fields, message) => {
    const webhook = {
      name: 'a.example.com',
      clientConfig: { url: 'https://h' },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...fields,
    };
    const metadata = { name: `${id}-wrong` };
    const { status, body } = await call('POST', configurations('mutating'), {
      metadata,
      webhooks: [webhook],
    });
    expect([status, body['message']]).toEqual([
      422,
      `MutatingWebhookConfiguration.admissionregistration.k8s.io "${id}-wrong" is invalid: ${message}`,
    ]);
  });
}
