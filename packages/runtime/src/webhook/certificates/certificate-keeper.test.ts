import { createClient, createManualClock } from '@kubewright/client';
import { isJsonObject, type Json, parseJson, stringifyJson, type Transport } from '@kubewright/kube';
import { expect, it } from 'vitest';
import { silentLogger } from '../../log/logger.ts';
import { fakeIssuer } from '../testing/fake-issuer.ts';
import { readBundle } from './certificate-bundle.ts';
import { CertificateKeeper } from './certificate-keeper.ts';

const MINUTE = 60_000;
const settings = {
  hosts: ['a'],
  leafMs: 10 * MINUTE,
  authorityMs: 60 * MINUTE,
  settleMs: MINUTE,
};

it('serves with no certificate whose write to the Secret was undone by a webhook', async () => {
  const clock = createManualClock();
  let secret: Json | undefined;
  let undone = 0;
  let version = 0;
  const transport: Transport = {
    async request({ method, body }) {
      if (method === 'PUT' && undone > 0) undone--;
      else if (method !== 'GET') secret = stored(parseJson(Buffer.from(body ?? '')), ++version);
      const found = secret ?? {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        code: 404,
        reason: 'NotFound',
      };
      return { status: secret === undefined ? 404 : 200, headers: {}, body: chunk(stringifyJson(found)) };
    },
    close: () => Promise.resolve(),
  };
  const told: string[] = [];
  const keeper = new CertificateKeeper({
    client: createClient(transport),
    clock,
    log: silentLogger,
    issuer: fakeIssuer(),
    secret: { namespace: 'ns', name: 'certificates' },
    configurations: [],
    settings,
    onBundle: ({ leaf }) => {
      expect(bundleIn(secret)?.leaf.cert).toBe(leaf.cert);
      told.push(leaf.cert);
    },
  });
  const reconcile = () => keeper.reconcile(undefined, { signal: new AbortController().signal });
  await reconcile();
  await clock.advance(6 * MINUTE);
  undone = 2;
  await reconcile();
  expect({ undone, told: told.length, generation: bundleIn(secret)?.generation }).toEqual({
    undone: 0,
    told: 2,
    generation: 2,
  });
});

function stored(sent: Json, version: number): Json {
  if (!isJsonObject(sent) || !isJsonObject(sent['metadata'])) return sent;
  return { ...sent, metadata: { ...sent['metadata'], uid: 'u', resourceVersion: String(version) } };
}

function bundleIn(secret: Json | undefined) {
  const data = isJsonObject(secret) ? secret['data'] : undefined;
  const text = isJsonObject(data) ? data['bundle.json'] : undefined;
  return typeof text === 'string' ? readBundle(Buffer.from(text, 'base64').toString()) : undefined;
}

async function* chunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
