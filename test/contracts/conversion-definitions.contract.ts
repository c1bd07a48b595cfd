import type { JsonObject, Transport } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { call } from '../support/api.ts';
import { at, textAt } from '../support/at.ts';
import { boxDefinition } from '../support/boxes.ts';

type Server = { transport(): Transport };

const GROUP = `conversion-rules-${process.pid}.example.com`;
const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';
const URL_OF = { url: 'https://hooks.example.com/convert' };
const webhook = (clientConfig: JsonObject, versions: readonly string[] = ['v1']): JsonObject => ({
  strategy: 'Webhook',
  webhook: { clientConfig, conversionReviewVersions: [...versions] },
});

/** What a CustomResourceDefinition may say about the conversion of its versions. */
export function conversionDefinitionsContract(server: () => Server): void {
  const causesOf = async (conversion: JsonObject): Promise<readonly unknown[]> => {
    const transport = server().transport();
    const { status, body } = await call(transport, 'POST', PATH, boxDefinition(GROUP, conversion));
    await transport.close();
    const causes = (at(body, 'details', 'causes') ?? []) as JsonObject[];
    return [status, ...causes.map((cause) => `${textAt(cause, 'field')}: ${textAt(cause, 'message')}`)];
  };

  test.each<[string, JsonObject]>([
    ['a URL', webhook(URL_OF)],
    ['a Service, whose port is 443 by default', webhook({ service: { namespace: 'a', name: 'b' } })],
    ['versions of which it knows one', webhook(URL_OF, ['v9', 'v1beta1'])],
    [
      'a CA bundle that is none, as long as it is not established',
      webhook({ ...URL_OF, caBundle: 'bm9uZQ==' }),
    ],
  ])('a webhook may have %s', async (_, conversion) => {
    expect(await causesOf(conversion)).toEqual([201]);
  });

  const place = 'spec.conversion';
  test.each<[string, JsonObject, readonly string[]]>([
    [
      'another strategy',
      { strategy: 'Other' },
      [`${place}.strategy: Unsupported value: "Other": supported values: "None", "Webhook"`],
    ],
    [
      'no webhook',
      { strategy: 'Webhook' },
      [
        `${place}.webhookClientConfig: Required value: required when strategy is set to Webhook`,
        `${place}.conversionReviewVersions: Required value`,
      ],
    ],
    [
      'a webhook that is nowhere',
      webhook({}),
      [`${place}.webhookClientConfig: Required value: exactly one of url or service is required`],
    ],
    [
      'a webhook without TLS',
      webhook({ url: 'http://hooks.example.com' }),
      [
        `${place}.webhookClientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      ],
    ],
    [
      'a version twice',
      webhook(URL_OF, ['v1', 'v1']),
      [`${place}.conversionReviewVersions[1]: Invalid value: "v1": duplicate version`],
    ],
    [
      'versions that nobody knows',
      webhook(URL_OF, ['v7']),
      [`${place}.conversionReviewVersions: Invalid value: ["v7"]: must include at least one of v1, v1beta1`],
    ],
    [
      'a webhook that is not called',
      { ...webhook(URL_OF), strategy: 'None' },
      [
        `${place}.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook`,
        `${place}.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook`,
      ],
    ],
  ])('a definition with %s is rejected', async (_, conversion, causes) => {
    expect(await causesOf(conversion)).toEqual([422, ...causes]);
  });
}
