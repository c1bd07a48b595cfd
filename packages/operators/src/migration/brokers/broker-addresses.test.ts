import { createApiServer } from '@kubewright/apiserver';
import { createClient, systemClock } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { migrationOf } from '../testing/migration-bench.ts';
import { BrokerAddresses } from './broker-addresses.ts';
import { addressKey } from './address-key.ts';

const URL = 'tls://nats.shop:4222';

async function addressWith(stringData: Readonly<Record<string, string>>) {
  const server = createApiServer();
  const client = createClient(server.transport());
  const metadata = { namespace: 'default', name: 'ms2m-broker' };
  await client.create(corev1.secrets, { apiVersion: 'v1', kind: 'Secret', metadata, stringData });
  const messageQueueConfig = {
    queueName: 'orders',
    exchangeName: 'orders',
    routingKey: '',
    brokerUrl: '',
    brokerSecret: 'ms2m-broker',
  };
  const migration = migrationOf({ messageQueueConfig });
  const named = { ...migration, metadata: { ...migration.metadata, namespace: 'default' } };
  try {
    return await new BrokerAddresses(['*']).of(named, { client, clock: systemClock });
  } finally {
    await server.close();
  }
}

test.each([
  [{ username: 'shop', password: 'p' }, { credentials: { username: 'shop', password: 'p' } }],
  [{ token: 't' }, { login: { token: 't' } }],
  [{ nkey: 'SUA' }, { login: { nkey: 'SUA' } }],
  [{ credentials: 'JWT\n' }, { login: { credentials: 'JWT' } }],
  [{ 'ca.crt': 'CA', 'tls.crt': 'C', 'tls.key': 'K' }, { tls: { ca: 'CA', cert: 'C', key: 'K' } }],
  [{ username: 'shop', password: '', token: ' ' }, {}],
])('a Secret says who the operator is: %j', async (data, parts) => {
  const address = await addressWith({ url: URL, ...data });
  expect(address).toEqual({ url: URL, ...parts });
  const isAnother = Object.keys(parts).length > 0;
  expect(addressKey(address) !== addressKey({ url: URL })).toBe(isAnother);
});
