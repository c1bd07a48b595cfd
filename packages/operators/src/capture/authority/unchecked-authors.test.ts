import type { KubeObject } from '@kubewright/kube';
import { admissionregistrationv1 } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { useServer } from '../testing/use-server.ts';
import { CHECK_AUTHOR } from './author-webhooks.ts';
import { uncheckedAuthors } from './unchecked-authors.ts';

const site = useServer([]);
const SIGNAL = new AbortController().signal;

test('CAP-182 a manager outside of the cluster says that it checks no authors, until the webhook is installed', async () => {
  expect(await uncheckedAuthors(site.admin, SIGNAL)).toMatch(
    /does not check what the authors of requests may do/,
  );
  const { validatingwebhookconfigurations } = admissionregistrationv1;
  const configuration = JSON.parse(JSON.stringify(CHECK_AUTHOR)) as KubeObject & {
    webhooks: { clientConfig: object }[];
  };
  for (const webhook of configuration.webhooks) webhook.clientConfig = { url: 'https://127.0.0.1:1/check' };
  await site.admin.create<KubeObject>(validatingwebhookconfigurations, configuration);
  expect(await uncheckedAuthors(site.admin, SIGNAL)).toBeUndefined();
});
