import type { Transport } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { admissionSuite } from '../support/admission.ts';
import { ALLOW } from '../support/webhook-server.ts';

type Server = { readonly name: string; transport(): Transport };

/** Where webhooks are: the paths of their URLs, and by what their certificates are verified. */
export function admissionPlacesContract(server: () => Server): void {
  const suite = admissionSuite(server, `places-${process.pid}`);
  const { maps, call, map, register, hooks } = suite;

  test.each([
    ['with a doubled slash', '//NAME'],
    ['with a slash at its end', '/NAME/'],
    ['with steps that lead nowhere', '/a/.././NAME//'],
  ])('the path of a webhook is called clean: one %s', async (_, form) => {
    const { path, asked } = hooks().answer(ALLOW);
    const url = `https://127.0.0.1:${hooks().port}${form.replace('NAME', path.slice(1))}`;
    await register('validating', { with: { clientConfig: { url, caBundle: hooks().caBundle } } });
    expect((await call('POST', maps, map())).status).toBe(201);
    expect(asked.map((request) => request['url'])).toEqual([`${path}?timeout=10s`]);
  });

  test('a caBundle may be the certificate of the webhook itself, without the authority that signed it', async () => {
    const { path, asked } = hooks().answer(ALLOW);
    const url = `https://127.0.0.1:${hooks().port}${path}`;
    await register('validating', { with: { clientConfig: { url, caBundle: hooks().ownBundle } } });
    expect((await call('POST', maps, map())).status).toBe(201);
    expect(asked).toHaveLength(1);
  });
}
